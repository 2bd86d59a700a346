package event

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// NewHead returns a head with a new identity.
func NewHead() *Head {
	var id [headIDBytes]byte
	rand.Read(id[:]) // never fails
	return &Head{ID: hex.EncodeToString(id[:])}
}

// NewLedger returns the content of a new ledger: its head's line.
func NewLedger(h *Head, at time.Time) ([]byte, error) {
	line := new(Ledger).Next(at)
	line.Type, line.Head = TypeHead, h
	return line.Encode(Genesis)
}
