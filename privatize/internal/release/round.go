package release

import (
	"crypto/sha256"
	"errors"

	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/unit"
)

// An Announced holds the totals that a round's sources announce, without repeated deliveries.
type Announced struct {
	Units   uint64
	Records uint64 // contributions; where a unit may have several, all of them
	Digest  uint64 // sum of the units' digests
}

// A round sums the bounded contributions of distinct units. A repeated delivery is dropped, see again.
type round struct {
	limit  *limiter
	marker *marker
	sum    *fixed.Sum
	seen   unit.Marks // for each unit, the mark of its first contribution or of its part
	taken  Announced
	whole  fixed.Vector // the unit under way, expanded
	failed error        // first error of add: the sum is not to be used

	// pending is for units with several records. It holds a unit's contributions so far, which are bounded when the
	// round ends.
	pending map[unit.Key]*fixed.Vector
	// factored holds the records with products. They are expanded one unit at a time: a few numbers may stand for as
	// many cells as a sum has.
	factored map[unit.Key][]*fixed.Vector
	records  map[[sha256.Size]byte]unit.Mark
}

func newRound(limit *limiter, marker *marker, cells, units int, severalRecords bool) *round {
	r := &round{limit: limit, marker: marker, sum: fixed.NewSum(cells), seen: make(unit.Marks, units)}
	if severalRecords {
		r.pending, r.records = make(map[unit.Key]*fixed.Vector), make(map[[sha256.Size]byte]unit.Mark)
		r.factored = make(map[unit.Key][]*fixed.Vector)
	}
	return r
}

// add takes a unit's contribution, or one record of it. After an error the round cannot be released. v may be used
// again.
func (r *round) add(name, record string, digest uint64, v *fixed.Vector) error {
	if r.failed == nil {
		r.failed = mismatch(r.take(name, record, digest, v))
	}
	return r.failed
}

// mismatch turns an overflowing sum into a Mismatch, which has an exit code.
func mismatch(err error) error {
	if errors.Is(err, fixed.ErrOverflow) {
		return &book.Mismatch{Reason: "the contributions of a round are too large to sum exactly"}
	}
	return err
}

func (r *round) take(name, record string, digest uint64, v *fixed.Vector) error {
	k, mark := unit.KeyOf(name), r.marker.contribution(record, v)
	first, fresh := r.seen.Add(k, mark)
	if fresh {
		r.taken.Units++
		r.taken.Digest += digest
	}
	if r.pending != nil && (fresh || r.pending[k] != nil) {
		return r.gather(k, record, mark, v)
	}
	if !fresh {
		return again(first == mark, "a unit contributes twice to a round, with different contributions")
	}
	r.taken.Records++
	if !r.limit.keeps(v) {
		v = v.Expand(&r.whole)
		if err := r.limit.unit(v); err != nil {
			return err
		}
	}
	return v.AddTo(r.sum, r.limit.most())
}

// again drops a repeated delivery that is the same, since a transport may deliver more than once. It refuses a
// different one. To add it could exceed the bound. To keep the first one would let timing choose, and timing depends on
// the data of others.
func again(same bool, reason string) error {
	if same {
		return nil
	}
	return &book.Mismatch{Reason: reason}
}

// close ends the round. The units that contributed must be the announced units, by their number, the sum of their
// digests and the number of their records. The message tells no number: how many units a round holds is private.
func (r *round) close(announced Announced) error {
	if r.failed != nil {
		return r.failed
	}
	if r.taken != announced {
		return &book.Mismatch{Reason: "the units that contributed to a round are not the ones it announces"}
	}
	for k, v := range r.pending {
		delete(r.pending, k) // its memory is free for the next one
		for _, record := range r.factored[k] {
			if err := v.Merge(record.Expand(&r.whole)); err != nil {
				return mismatch(err)
			}
		}
		fixed.Saturate(v.Steps)
		if err := r.limit.unit(v); err != nil {
			return err
		}
		if err := v.AddTo(r.sum, r.limit.most()); err != nil {
			return mismatch(err)
		}
	}
	return nil
}
