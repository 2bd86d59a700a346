package release

import (
	"crypto/sha256"
	"errors"
	"slices"

	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/unit"
)

// A round sums the bounded contributions of distinct units.
type round struct {
	limit  *limiter
	sum    *fixed.Sum
	seen   unit.Set
	digest uint64 // sum of the units' digests
	failed error  // first error of add: the sum is not to be used

	// Where a unit has several records: what it contributed so far, which is bounded when the round ends, and the records.
	pending map[unit.Key]*fixed.Vector
	records map[[sha256.Size]byte]struct{}
}

func newRound(limit *limiter, cells int, severalRecords bool) *round {
	r := &round{limit: limit, sum: fixed.NewSum(cells), seen: make(unit.Set)}
	if severalRecords {
		r.pending, r.records = make(map[unit.Key]*fixed.Vector), make(map[[sha256.Size]byte]struct{})
	}
	return r
}

// add takes the contribution of a unit, or of one record of it. A second one is refused: together they could exceed the
// bound. After an error the round cannot be released. v may be used again.
func (r *round) add(name, record string, digest uint64, v *fixed.Vector) error {
	if r.failed == nil {
		r.failed = mismatch(r.take(name, record, digest, v))
	}
	return r.failed
}

// mismatch gives a sum that does not fit its exit code.
func mismatch(err error) error {
	if errors.Is(err, fixed.ErrOverflow) {
		return &book.Mismatch{Reason: "the contributions of a round are too large to sum exactly"}
	}
	return err
}

func (r *round) take(name, record string, digest uint64, v *fixed.Vector) error {
	k := unit.KeyOf(name)
	fresh := r.seen.Add(k)
	if fresh {
		r.digest += digest
	}
	if r.pending != nil && (fresh || r.pending[k] != nil) {
		return r.gather(k, record, v)
	}
	if !fresh { // where units have records: it is in a partial sum
		return &book.Mismatch{Reason: "a unit contributes twice to a round"}
	}
	if err := r.limit.unit(v); err != nil {
		return err
	}
	return v.AddTo(r.sum)
}

// gather adds a record to what its unit contributes.
func (r *round) gather(k unit.Key, record string, v *fixed.Vector) error {
	id := sha256.Sum256(append(k[:], record...))
	if _, again := r.records[id]; again {
		return &book.Mismatch{Reason: "a record of a unit contributes twice to a round"}
	}
	r.records[id] = struct{}{}
	if r.pending[k] == nil {
		r.pending[k] = new(fixed.Vector)
	}
	return r.pending[k].Merge(v)
}

// addPart takes the exact sum of other units, of sum digest digest, that were bounded elsewhere.
func (r *round) addPart(keys []byte, digest uint64, cells []int64) error {
	if r.failed == nil {
		r.failed = mismatch(r.takePart(keys, digest, cells))
	}
	return r.failed
}

func (r *round) takePart(keys []byte, digest uint64, cells []int64) error {
	for k := range slices.Chunk(keys, unit.KeySize) {
		if !r.seen.Add(unit.Key(k)) {
			return &book.Mismatch{Reason: "a unit is in two partial sums of a round"}
		}
	}
	r.digest += digest
	if !r.limit.part(cells, len(keys)/unit.KeySize) {
		return &book.Mismatch{Reason: "a partial sum is larger than its units could make it"}
	}
	return r.sum.AddCells(cells)
}

// close ends the round: the units that contributed must be those announced, by their number and the sum of their digests.
// The message tells no number: how many units a round holds is private.
func (r *round) close(units, digest uint64) error {
	if r.failed != nil {
		return r.failed
	}
	if uint64(len(r.seen)) != units || r.digest != digest {
		return &book.Mismatch{Reason: "the units that contributed to a round are not the ones it announces"}
	}
	for _, v := range r.pending {
		fixed.Saturate(v.Steps)
		if err := r.limit.unit(v); err != nil {
			return err
		}
		if err := v.AddTo(r.sum); err != nil {
			return mismatch(err)
		}
	}
	return nil
}
