// Package choose draws the units of a round.
package choose

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"

	"privpipe/pipelines/event"
	"privpipe/sample/internal/coin"
)

// A Set is a set of units by their numbers.
type Set []uint64

// NewSet returns an empty set for numbers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Has says whether i is in the set.
func (s Set) Has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s Set) add(i int) { s[i/64] |= 1 << (i % 64) }

// Len returns the number of units in the set.
func (s Set) Len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// A Chooser draws the units of rounds by one scheme.
type Chooser struct {
	scheme  event.Scheme
	digests []uint64 // of the units
	coins   *coin.Source
	key     []byte // of an allocation
}

// New returns a Chooser for units with the given digests (wire.UnitDigest). The scheme must have passed its Check. key
// is that of an allocation: the same key throws the same units into the same rounds.
func New(scheme event.Scheme, digests []uint64, coins *coin.Source, key []byte) (*Chooser, error) {
	if scheme.Method == event.Fixed && scheme.Population != uint64(len(digests)) {
		return nil, fmt.Errorf("scheme is for a population of %d units, which the corpus has not", scheme.Population)
	}
	return &Chooser{scheme, digests, coins, key}, nil
}

// Round draws the units of a round, from 1.
func (c *Chooser) Round(round int) Set {
	n := len(c.digests)
	chosen := NewSet(n)
	switch c.scheme.Method {
	case event.All:
		for i := range n {
			chosen.add(i)
		}
	case event.Poisson:
		threshold := coin.NewThreshold(c.scheme.Rate)
		for i := range n {
			if c.coins.Flip(threshold) {
				chosen.add(i)
			}
		}
	case event.Fixed:
		// Floyd's algorithm (Bentley and Floyd, Programming Pearls: A Sample of Brilliance, CACM 30(9), 1987).
		for j := n - int(c.scheme.Size); j < n; j++ {
			if i := int(c.coins.Below(uint64(j) + 1)); !chosen.Has(i) {
				chosen.add(i)
			} else {
				chosen.add(j)
			}
		}
	case event.Allocate, event.Epoch:
		for i, digest := range c.digests {
			if c.roundOf(digest) == round {
				chosen.add(i)
			}
		}
	}
	return chosen
}

// roundOf is the one round of a unit: by a public hash of its name, or by a pseudo-random function with a secret key.
// Multiplying high maps 64 random bits to a round with a bias below 2^-32.
func (c *Chooser) roundOf(digest uint64) int {
	v := digest
	if c.scheme.Method == event.Allocate {
		mac := hmac.New(sha256.New, c.key)
		mac.Write(binary.LittleEndian.AppendUint64(nil, digest))
		v = binary.LittleEndian.Uint64(mac.Sum(nil))
	}
	high, _ := bits.Mul64(v, uint64(c.scheme.Rounds))
	return int(high) + 1
}

// AllocationName is the public name of the allocation with a key: a hash of it, which tells two apart and nothing more.
func AllocationName(key []byte) string {
	sum := sha256.Sum256(append([]byte("privpipe allocation\n"), key...))
	return fmt.Sprintf("%x", sum[:8])
}
