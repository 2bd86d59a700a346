package release

import (
	"crypto/rand"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"

	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/unit"
)

// A marker makes marks. They distinguish the second delivery of one contribution from a different contribution. Its
// random keys never leave it, so nobody can make a contribution that has another contribution's mark. See claim.md.
type marker struct {
	keys  []markKey // one for each cell of the longest contribution so far
	pairs []markKey // memory for the pairs of products
	seed  maphash.Seed
}

type markKey struct{ cell, steps uint64 }

func newMarker() *marker { return &marker{seed: maphash.MakeSeed()} }

// contribution returns the mark for a unit's contribution, or for one record of it: Σ (cell + key)·(steps + key) modulo
// 2^128, made even. A part's mark is odd. A product has pairs instead of cells and steps: they hold its place and its
// numbers.
func (m *marker) contribution(record string, v *fixed.Vector) unit.Mark {
	m.pairs = pairsOf(m.pairs[:0], v.Products)
	m.grow(len(v.Cells) + len(m.pairs))
	keys, steps := m.keys[:len(v.Cells)], v.Steps[:len(v.Cells)]
	var high, low, carry uint64
	for i, cell := range v.Cells {
		h, l := bits.Mul64(uint64(cell)+keys[i].cell, uint64(steps[i])+keys[i].steps)
		low, carry = bits.Add64(low, l, 0)
		high, _ = bits.Add64(high, h, carry)
	}
	for i, pair := range m.pairs {
		key := m.keys[len(v.Cells)+i]
		h, l := bits.Mul64(pair.cell+key.cell, pair.steps+key.steps)
		low, carry = bits.Add64(low, l, 0)
		high, _ = bits.Add64(high, h, carry)
	}
	return unit.Mark{High: high + maphash.String(m.seed, record), Low: low &^ 1}
}

// grow draws keys until there is one for each cell. It keeps the keys that it has, because marks were made with them.
func (m *marker) grow(cells int) {
	for len(m.keys) < cells {
		b := make([]byte, 1<<12)
		rand.Read(b) // never fails
		for k := range slices.Chunk(b, 16) {
			m.keys = append(m.keys, markKey{binary.LittleEndian.Uint64(k), binary.LittleEndian.Uint64(k[8:])})
		}
	}
}
