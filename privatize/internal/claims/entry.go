package claims

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"privpipe/pipelines/event"
)

// Version is the version of the entries that this package reads and writes.
const Version = 1

// OwnerSize is the number of random bytes in an owner's name, which is written in hexadecimal.
const OwnerSize = 16

// A claim is an entry of the log: JSON with all of these members, in this order, and nothing else.
type claim struct {
	Version int    `json:"version"`
	Run     string `json:"run"`
	Round   int    `json:"round"`
	Attempt int    `json:"attempt"`
	Owner   string `json:"owner"`
}

func (c *claim) release() Release { return Release{c.Run, c.Round, c.Attempt} }

// encode returns the claim as an entry.
func (c *claim) encode() ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return json.Marshal(c)
}

// decode reads an entry. It refuses every entry that encode does not write, so that all readers read the same. The
// messages do not quote the entry, which may have come into the log by mistake.
func decode(entry []byte) (*claim, error) {
	c := new(claim)
	err := json.Unmarshal(entry, c)
	if err == nil && c.Version > Version {
		return nil, fmt.Errorf("version %d of a claim, must be %d", c.Version, Version)
	}
	if again, e := c.encode(); err != nil || e != nil || !bytes.Equal(again, entry) {
		return nil, errors.New("not a claim")
	}
	return c, nil
}

func (c *claim) check() error {
	if c.Version != Version {
		return fmt.Errorf("version must be %d, is %d", Version, c.Version)
	}
	if err := event.CheckName(c.Run); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if err := event.CheckRounds(c.Round); err != nil {
		return fmt.Errorf("round: %w", err)
	}
	if c.Attempt < 1 {
		return fmt.Errorf("attempt must be at least 1, is %d", c.Attempt)
	}
	return CheckOwner(c.Owner)
}

// CheckOwner returns an error unless the owner's name is OwnerSize bytes in hexadecimal, with lower-case letters.
func CheckOwner(owner string) error {
	if b, err := hex.DecodeString(owner); err != nil || len(b) != OwnerSize || hex.EncodeToString(b) != owner {
		return fmt.Errorf("owner must be named by %d bytes in hexadecimal", OwnerSize)
	}
	return nil
}
