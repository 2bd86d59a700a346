// Package coin gives the numbers that sampling decides by. What it promises and why is in claim.md.
package coin

import (
	"crypto/aes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"privpipe/pipelines/wire"
)

// A Secret is the key that coins are thrown by. Who has it knows which units each round holds, and sampling then hides
// nothing from him.
type Secret [32]byte

// NewSecret returns a key of the operating system's generator (crypto/rand).
func NewSecret() (s Secret) {
	rand.Read(s[:]) // never fails: it ends the process instead
	return s
}

// A Throw is one throw of coins: it gives a number to every unit in every round. The same secret and purpose give the
// same numbers again, in whatever order and beside whatever other units they are asked for; all others are independent of
// them, to anyone who lacks the secret.
type Throw struct {
	secret  Secret
	purpose string
}

// Throw returns the throw for a purpose, which must name all that is to keep two throws apart.
func (s Secret) Throw(purpose string) Throw { return Throw{s, purpose} }

// Name is the public name of the throw, in 32 hexadecimal digits. It tells two throws apart, and nothing more.
func (t Throw) Name() string { return hex.EncodeToString(t.derive("name", 0)[:16]) }

// Numbers gives the number of a unit, by its key (SPEC.md §3.6): 128 bits in two halves. Units of different keys have
// different numbers. It is not safe for concurrent use.
type Numbers func(unit [wire.KeySize]byte) (high, low uint64)

// Round returns the numbers of a round, from 1; those of round 0 are for what is thrown once for all rounds.
func (t Throw) Round(round int) Numbers {
	block, err := aes.NewCipher(t.derive("round", round))
	if err != nil {
		panic(err) // of another length of key alone
	}
	in, out := make([]byte, aes.BlockSize), make([]byte, aes.BlockSize)
	return func(unit [wire.KeySize]byte) (high, low uint64) {
		copy(in, unit[:])
		block.Encrypt(out, in)
		return binary.LittleEndian.Uint64(out), binary.LittleEndian.Uint64(out[8:])
	}
}

// derive returns 32 bytes for a use of the throw in a round: HMAC-SHA256 of the three, which no others encode to.
func (t Throw) derive(use string, round int) []byte {
	mac := hmac.New(sha256.New, t.secret[:])
	mac.Write([]byte(use + "\n" + t.purpose))
	mac.Write(binary.LittleEndian.AppendUint64(nil, uint64(round)))
	return mac.Sum(nil)
}
