package release

import (
	"crypto/sha256"

	"privpipe/privatize/internal/clip"
	"privpipe/privatize/internal/fixed"
)

// A round sums the clipped contributions of distinct units.
type round struct {
	number int
	bound  uint64 // L2, in steps; 0: no clip
	sum    *fixed.Sum
	seen   map[[16]byte]struct{} // units, by 128 bits of SHA-256 of their names
	digest uint64                // sum of the units' digests
}

func newRound(number int, bound uint64, cells int) *round {
	return &round{number: number, bound: bound, sum: fixed.NewSum(cells), seen: make(map[[16]byte]struct{})}
}

// add clips and adds the whole contribution of a unit. A second contribution of a unit is refused: together they could
// exceed the bound.
func (r *round) add(unit string, digest uint64, v *fixed.Vector) error {
	name := sha256.Sum256([]byte(unit))
	key := [16]byte(name[:16])
	if _, again := r.seen[key]; again {
		return &Mismatch{"a unit contributes twice to a round"}
	}
	r.seen[key] = struct{}{}
	r.digest += digest
	if r.bound > 0 {
		clip.L2(v.Steps, r.bound)
	}
	return v.AddTo(r.sum)
}

// check reports whether the units that contributed are those announced, by their number and the sum of their digests.
// The message tells no number: how many units a round holds is private.
func (r *round) check(units, digest uint64) error {
	if uint64(len(r.seen)) != units || r.digest != digest {
		return &Mismatch{"the units that contributed to a round are not the ones it announces"}
	}
	return nil
}
