package release

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/unit"
)

// Takes tells whether a partial sum has the same steps as c.
func (c *Collector) Takes(step float64, bound uint64, bounds []float64) bool {
	return step == c.step && bound == c.limit.bound && slices.Equal(bounds, c.bounds)
}

// AddPart adds a partial sum of other units: their keys, the number of their records, the sum of their digests, and all
// cells. A second delivery of the same part is dropped. A part that shares a unit with anything else is a
// *book.Mismatch.
func (c *Collector) AddPart(keys []byte, records, digest uint64, cells []int64) error {
	return c.round.addPart(keys, records, digest, cells)
}

// addPart takes an exact sum over records from other units, which were bounded elsewhere. digest is the sum of the
// units' digests.
func (r *round) addPart(keys []byte, records, digest uint64, cells []int64) error {
	if r.failed == nil {
		r.failed = mismatch(r.takePart(keys, records, digest, cells))
	}
	return r.failed
}

func (r *round) takePart(keys []byte, records, digest uint64, cells []int64) error {
	mark, units := r.marker.part(keys, records, digest, cells), len(keys)/unit.KeySize
	var added, known int
	for k := range slices.Chunk(keys, unit.KeySize) {
		switch first, fresh := r.seen.Add(unit.Key(k), mark); {
		case fresh:
			added++
		case first == mark:
			known++
		}
	}
	if added < units {
		return again(known == units,
			"a unit is in two partial sums of a round, or in a partial sum and in contributions")
	}
	r.taken.Units += uint64(units)
	r.taken.Records += records
	r.taken.Digest += digest
	if !r.limit.part(cells, units) {
		return &book.Mismatch{Reason: "a partial sum is larger than its units could make it"}
	}
	return r.sum.AddCells(cells)
}

// part tells whether a partial sum can be a sum over this number of units, up to the rounding of its norm. It cannot
// see that each unit was bounded: sums come from a Collector.
func (l *limiter) part(cells []int64, units int) bool {
	// A sum over no units is 0, whatever the clipping. A part without units has no key that shows a second delivery,
	// but to add 0 again changes nothing.
	if units == 0 {
		return !slices.ContainsFunc(cells, func(z int64) bool { return z != 0 })
	}
	if l.clipping == "" || l.clipping == event.ClipBatch || l.clipping == event.ClipUnbounded || l.words {
		return true
	}
	norm := 0.0
	for i, z := range cells {
		v := math.Abs(float64(z))
		if !l.l1 && l.clipping != event.ClipUnitL1 {
			v *= v
		}
		if l.twice != nil && l.twice[i] {
			v *= 2
		}
		norm += v
	}
	if !l.l1 && l.clipping != event.ClipUnitL1 {
		norm = math.Sqrt(norm)
	}
	return norm <= float64(units)*float64(l.bound)*(1+1e-9)
}

// part returns the mark for a partial sum.
func (m *marker) part(keys []byte, records, digest uint64, cells []int64) unit.Mark {
	var h maphash.Hash
	h.SetSeed(m.seed)
	h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, records), digest))
	h.Write(keys)
	writeCells(&h, cells) // never fails
	return unit.Mark{High: h.Sum64(), Low: 1}
}
