package coin

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"privpipe/pipelines/event"
	"privpipe/sample/internal/corpus"
)

// A Set is a set of units. Each unit is identified by its number.
type Set []uint64

// NewSet returns an empty set for numbers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Has reports whether i is in the set.
func (s Set) Has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

// Add puts i into the set.
func (s Set) Add(i int) { s[i/64] |= 1 << (i % 64) }

// From returns the smallest member from i on, or -1 if there is none.
func (s Set) From(i int) int {
	for at := i / 64; at < len(s); at++ {
		word := s[at]
		if at == i/64 {
			word &= math.MaxUint64 << (i % 64)
		}
		if word != 0 {
			return at*64 + bits.TrailingZeros64(word)
		}
	}
	return -1
}

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
	digests []uint64 // one per unit
	// numbers returns a function that gives each unit its number for one round: uniform and independent. high is the
	// number. low orders units with equal high. For event.Allocate the argument is the epoch, from 0, in place of the
	// round.
	numbers func(round int) func(unit int) (high, low uint64)
	// coins draws one round of event.Poisson.
	coins func(round int) Set
}

// New returns a Chooser for units with the given digests (wire.UnitDigest) and keys. throw must be for the scheme's
// Purpose, and the scheme must have passed its Check. Whether a unit is in a round depends only on the throw, the round
// and the unit's key. It does not depend on the order of units or on other units. event.Fixed is the exception: it
// takes the units with the smallest numbers.
func NewChooser(scheme event.Scheme, digests []uint64, keys []corpus.Key, throw Throw) (*Chooser, error) {
	numbers := func(round int) func(int) (uint64, uint64) {
		number := throw.Round(round)
		return func(unit int) (high, low uint64) { return number(&keys[unit]) }
	}
	coins := &groups{throw: throw, keys: keys, rate: scheme.Rate, rounds: scheme.Rounds}
	return newChooser(scheme, digests, numbers, coins.round)
}

// NewSeeded is New with a public seed in place of a throw. Units with equal digests are ordered by their keys, so that
// the order does not depend on the corpus.
func NewSeeded(scheme event.Scheme, digests []uint64, keys []corpus.Key, seed Seed) (*Chooser, error) {
	numbers := func(round int) func(int) (uint64, uint64) {
		return func(unit int) (high, low uint64) {
			return seed.Number(round, digests[unit]), binary.LittleEndian.Uint64(keys[unit][:])
		}
	}
	coins := func(round int) Set {
		threshold, drawn := NewThreshold(scheme.Rate), NewSet(len(digests))
		for i, digest := range digests {
			if threshold.Falls(seed.Number(round, digest)) {
				drawn.Add(i)
			}
		}
		return drawn
	}
	return newChooser(scheme, digests, numbers, coins)
}

func newChooser(scheme event.Scheme, digests []uint64, numbers func(int) func(int) (uint64, uint64),
	coins func(int) Set) (*Chooser, error) {
	if scheme.Method == event.Fixed && scheme.Population != uint64(len(digests)) {
		return nil, fmt.Errorf("scheme is for a population of %d units, which the corpus has not", scheme.Population)
	}
	return &Chooser{scheme, digests, numbers, coins}, nil
}

// Round draws the units of the given round. Rounds count from 1.
func (c *Chooser) Round(round int) Set {
	if c.scheme.Method == event.Poisson {
		return c.coins(round)
	}
	n := len(c.digests)
	chosen := NewSet(n)
	switch c.scheme.Method {
	case event.All:
		for i := range n {
			chosen.Add(i)
		}
	case event.Fixed:
		smallest(chosen, n, int(c.scheme.Size), c.numbers(round))
	case event.Allocate:
		number, of := c.numbers(c.scheme.EpochOf(round)), (round-1)%c.scheme.EpochRounds()+1
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

// roundOf returns a unit's only round in an epoch, from 1. number is a public hash of the unit's name, or the unit's
// number in the throw. The multiplication maps 64 random bits to a round with a bias below 2^-32.
func (c *Chooser) roundOf(number uint64) int {
	high, _ := bits.Mul64(number, uint64(c.scheme.EpochRounds()))
	return int(high) + 1
}
