package release

import (
	"crypto/sha256"
	"slices"

	"privpipe/privatize/internal/clip"
	"privpipe/privatize/internal/fixed"
)

// A round sums the clipped contributions of distinct units.
type round struct {
	bound  uint64 // L2, in steps; 0: no clip
	sum    *fixed.Sum
	seen   map[[16]byte]struct{} // units, by 128 bits of SHA-256 of their names
	digest uint64                // sum of the units' digests
	failed error                 // first error of add: the sum is not to be used
}

func newRound(bound uint64, cells int) *round {
	return &round{bound: bound, sum: fixed.NewSum(cells), seen: make(map[[16]byte]struct{})}
}

// add clips and adds the whole contribution of a unit. A second contribution of a unit is refused: together they could
// exceed the bound. After an error the round cannot be released.
func (r *round) add(unit string, digest uint64, v *fixed.Vector) error {
	if r.failed == nil {
		r.failed = r.take(unit, digest, v)
	}
	return r.failed
}

func (r *round) take(unit string, digest uint64, v *fixed.Vector) error {
	name := sha256.Sum256([]byte(unit))
	key := [16]byte(name[:16])
	if _, again := r.seen[key]; again {
		return &Mismatch{"a unit contributes twice to a round"}
	}
	r.seen[key] = struct{}{}
	r.digest += digest
	if r.bound > 0 {
		clip.L2(v.Steps, r.bound)
	} else if slices.ContainsFunc(v.Steps, func(z int64) bool { return fixed.Magnitude(z) >= fixed.Limit }) {
		// Under a clip bound a saturated coordinate is about to be clipped; here it would be a wrong sum.
		return &Mismatch{"a contribution has a coordinate that is too large to sum exactly"}
	}
	return v.AddTo(r.sum)
}

// check reports whether the units that contributed are those announced, by their number and the sum of their digests.
// The message tells no number: how many units a round holds is private.
func (r *round) check(units, digest uint64) error {
	if r.failed != nil {
		return r.failed
	}
	if uint64(len(r.seen)) != units || r.digest != digest {
		return &Mismatch{"the units that contributed to a round are not the ones it announces"}
	}
	return nil
}
