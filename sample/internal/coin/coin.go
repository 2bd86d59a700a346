// Package coin gives the random numbers of sampling. claim.md states and proves their properties.
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

// A Secret is the key of coins. Whoever has it knows the units of each round, and sampling then hides nothing from him.
type Secret [32]byte

// NewSecret returns a key of the operating system's generator (crypto/rand).
func NewSecret() (s Secret) {
	rand.Read(s[:]) // never fails: it ends the process instead
	return s
}

// A Throw is one throw of coins: it gives a number to every unit in every round. The same secret and purpose always give the same
// numbers, independent of order and of other units. To anyone without the secret, numbers of other throws are independent of them.
type Throw struct {
	secret  Secret
	purpose string
}

// Throw returns the throw for a purpose. The purpose must hold everything that separates two throws.
func (s Secret) Throw(purpose string) Throw { return Throw{s, purpose} }

// Name is the public name of the throw, in 32 hexadecimal digits. It identifies the throw and reveals nothing else.
func (t Throw) Name() string { return hex.EncodeToString(t.derive("name", 0)[:16]) }

// Numbers gives the number of a unit, by its key (SPEC.md §3.6): 128 bits in two halves. Units of different keys have
// different numbers. It is not safe for concurrent use.
type Numbers func(unit *corpus.Key) (high, low uint64)

// Round returns the numbers of a round, from 1. An allocation, whose choices hold for all rounds of an epoch, takes the numbers of an epoch
// instead, from 0.
func (t Throw) Round(round int) Numbers {
	blocks, block := t.cipher("round", round), make([]byte, aes.BlockSize)
	return func(unit *corpus.Key) (high, low uint64) {
		blocks.Encrypt(block, unit[:])
		return binary.LittleEndian.Uint64(block), binary.LittleEndian.Uint64(block[8:])
	}
}

// cipher returns AES-256 with the key for a use of the throw in a round or a group.
func (t Throw) cipher(use string, round int) cipher.Block {
	blocks, err := aes.NewCipher(t.derive(use, round))
	if err != nil {
		panic(err) // impossible: the only error is a wrong key length
	}
	return blocks
}

// derive returns 32 bytes for a use of the throw in a round or a group: HMAC-SHA256 of an injective encoding of use, purpose and round.
func (t Throw) derive(use string, round int) []byte {
	mac := hmac.New(sha256.New, t.secret[:])
	mac.Write([]byte(use + "\n" + t.purpose))
	mac.Write(binary.LittleEndian.AppendUint64(nil, uint64(round)))
	return mac.Sum(nil)
}
