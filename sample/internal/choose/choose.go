// Package choose draws the units of a round.
package choose

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

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
	seed    *coin.Seed // in place of coins
	key     []byte     // of an allocation
}

// New returns a Chooser for units with the given digests (wire.UnitDigest). The scheme must have passed its Check. key
// is that of an allocation: the same key throws the same units into the same rounds.
func New(scheme event.Scheme, digests []uint64, coins *coin.Source, key []byte) (*Chooser, error) {
	if scheme.Method == event.Fixed && scheme.Population != uint64(len(digests)) {
		return nil, fmt.Errorf("scheme is for a population of %d units, which the corpus has not", scheme.Population)
	}
	return &Chooser{scheme: scheme, digests: digests, coins: coins, key: key}, nil
}

// NewSeeded is New with a seed in place of coins and key. Whether a unit is in a round follows from the seed, the round and
// the unit's digest, in whatever order and beside whatever other units it comes; for event.Fixed, from whether its number
// is among the smallest.
func NewSeeded(scheme event.Scheme, digests []uint64, seed coin.Seed) (*Chooser, error) {
	c, err := New(scheme, digests, nil, seed.Key())
	if err != nil {
		return nil, err
	}
	c.seed = &seed
	return c, nil
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
		for i, digest := range c.digests {
			if threshold.Falls(c.number(round, digest)) {
				chosen.add(i)
			}
		}
	case event.Fixed:
		if c.seed != nil {
			c.smallest(round, chosen)
			break
		}
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

// number returns the next uniform number, or the seed's for a unit.
func (c *Chooser) number(round int, digest uint64) uint64 {
	if c.seed != nil {
		return c.seed.Number(round, digest)
	}
	return c.coins.Next()
}

// smallest adds the units that have the smallest numbers by the seed. Between data sets that differ in one unit exchanged for
// another the order of all others is the same, so that the sets differ in at most one member exchanged for another.
func (c *Chooser) smallest(round int, chosen Set) {
	type numbered struct {
		number, digest uint64
		unit           int
	}
	units := make([]numbered, len(c.digests))
	for i, digest := range c.digests {
		units[i] = numbered{c.seed.Number(round, digest), digest, i}
	}
	slices.SortFunc(units, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.digest, b.digest), cmp.Compare(a.unit, b.unit))
	})
	for _, u := range units[:c.scheme.Size] {
		chosen.add(u.unit)
	}
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
