// Package coin draws the units of each round by random numbers. claim.md states and proves the properties of the
// numbers.
package coin

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"privpipe/sample/internal/corpus"
)

// A Secret is the key of the coins. Whoever has it knows the units of each round, and sampling then hides nothing from
// him.
type Secret [32]byte

// NewSecret returns a key from the operating system's generator (crypto/rand).
func NewSecret() (s Secret) {
	rand.Read(s[:]) // never fails: it ends the process instead
	return s
}

// A Throw gives a number to every unit in every round. The same secret and purpose always give the same numbers,
// whatever the order and the other units are. To anyone without the secret, the numbers of different throws are
// independent.
type Throw struct {
	secret  Secret
	purpose string
}

// Throw returns the throw for a purpose. The purpose must contain everything that separates two throws.
func (s Secret) Throw(purpose string) Throw { return Throw{s, purpose} }

// Name is the public name of the throw, in 32 hexadecimal digits. It identifies the throw and reveals nothing else.
func (t Throw) Name() string { return hex.EncodeToString(t.derive("name", 0)[:16]) }

// Numbers gives a unit's number, by the unit's key (SPEC.md §3.6): 128 bits in two halves. Units with different keys
// have different numbers. It is not safe for concurrent use.
type Numbers func(unit *corpus.Key) (high, low uint64)

// Round returns the numbers for one round, from 1. An allocation draws once for all rounds of an epoch. It passes the
// epoch, from 0, in place of the round.
func (t Throw) Round(round int) Numbers {
	blocks, block := t.cipher("round", round), make([]byte, aes.BlockSize)
	return func(unit *corpus.Key) (high, low uint64) {
		blocks.Encrypt(block, unit[:])
		return binary.LittleEndian.Uint64(block), binary.LittleEndian.Uint64(block[8:])
	}
}

// cipher returns AES-256 with the key for one use of the throw, in one round or group.
func (t Throw) cipher(use string, round int) cipher.Block {
	blocks, err := aes.NewCipher(t.derive(use, round))
	if err != nil {
		panic(err) // impossible: the only error is a wrong key length
	}
	return blocks
}

// derive returns 32 bytes for one use of the throw, in one round or group. They are the HMAC-SHA256 of an injective
// encoding of use, purpose and round.
func (t Throw) derive(use string, round int) []byte {
	mac := hmac.New(sha256.New, t.secret[:])
	mac.Write([]byte(use + "\n" + t.purpose))
	mac.Write(binary.LittleEndian.AppendUint64(nil, uint64(round)))
	return mac.Sum(nil)
}
