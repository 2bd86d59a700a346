// Package choose draws the units of a round.
package choose

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"privpipe/pipelines/event"
	"privpipe/sample/internal/coin"
	"privpipe/sample/internal/corpus"
)

// A Set is a set of units by their numbers.
type Set []uint64

// NewSet returns an empty set for numbers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Has reports whether i is in the set.
func (s Set) Has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

// Add puts i into the set.
func (s Set) Add(i int) { s[i/64] |= 1 << (i % 64) }

// Len returns the number of units in the set.
func (s Set) Len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// A Chooser draws the units of rounds by one scheme. It is not safe for concurrent use.
type Chooser struct {
	scheme  event.Scheme
	digests []uint64 // of the units
	// round returns a function that gives each unit of a round its uniform, independent number. high is the number; low orders
	// units with equal high. event.Allocate takes numbers for an epoch, from 0, in place of numbers for a round.
	round func(round int) func(unit int) (high, low uint64)
}

// New returns a Chooser for units with the given digests (wire.UnitDigest) and keys, by a throw for the Purpose of the
// scheme. The scheme must have passed its Check. Whether a unit is in a round depends only on the throw, the round and the unit's
// key, not on the order of units or on other units. event.Fixed is the exception: it takes the units with the smallest numbers.
func New(scheme event.Scheme, digests []uint64, keys []corpus.Key, throw coin.Throw) (*Chooser, error) {
	return newChooser(scheme, digests, func(round int) func(int) (uint64, uint64) {
		numbers := throw.Round(round)
		return func(unit int) (high, low uint64) { return numbers(keys[unit]) }
	})
}

// NewSeeded is New by a seed and the units' digests. If two units have the same digest, their keys determine their order, so that
// the order does not depend on the corpus.
func NewSeeded(scheme event.Scheme, digests []uint64, keys []corpus.Key, seed coin.Seed) (*Chooser, error) {
	return newChooser(scheme, digests, func(round int) func(int) (uint64, uint64) {
		return func(unit int) (high, low uint64) {
			return seed.Number(round, digests[unit]), binary.LittleEndian.Uint64(keys[unit][:])
		}
	})
}

func newChooser(scheme event.Scheme, digests []uint64, round func(int) func(int) (uint64, uint64)) (*Chooser, error) {
	if scheme.Method == event.Fixed && scheme.Population != uint64(len(digests)) {
		return nil, fmt.Errorf("scheme is for a population of %d units, which the corpus has not", scheme.Population)
	}
	return &Chooser{scheme, digests, round}, nil
}

// Round draws the units of a round, from 1.
func (c *Chooser) Round(round int) Set {
	n := len(c.digests)
	chosen := NewSet(n)
	switch c.scheme.Method {
	case event.All:
		for i := range n {
			chosen.Add(i)
		}
	case event.Poisson:
		threshold, number := coin.NewThreshold(c.scheme.Rate), c.round(round)
		for i := range n {
			if high, _ := number(i); threshold.Falls(high) {
				chosen.Add(i)
			}
		}
	case event.Fixed:
		smallest(chosen, n, int(c.scheme.Size), c.round(round))
	case event.Allocate:
		number, of := c.round(c.scheme.EpochOf(round)), (round-1)%c.scheme.EpochRounds()+1
		for i := range n {
			if high, _ := number(i); c.roundOf(high) == of {
				chosen.Add(i)
			}
		}
	case event.Epoch:
		for i, digest := range c.digests {
			if c.roundOf(digest) == round {
				chosen.Add(i)
			}
		}
	}
	return chosen
}

// roundOf is the only round of a unit in an epoch, from 1, by a public hash of its name or by its number of the throw. The
// multiplication maps 64 random bits to a round with a bias below 2^-32.
func (c *Chooser) roundOf(number uint64) int {
	high, _ := bits.Mul64(number, uint64(c.scheme.EpochRounds()))
	return int(high) + 1
}
