package release

import (
	"crypto/sha256"

	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/unit"
)

// gather adds a record to its unit's contribution.
func (r *round) gather(k unit.Key, record string, mark unit.Mark, v *fixed.Vector) error {
	id := sha256.Sum256(append(k[:], record...))
	if first, known := r.records[id]; known {
		return again(first == mark, "a record of a unit contributes twice to a round, with different contributions")
	}
	r.records[id] = mark
	r.taken.Records++
	if r.pending[k] == nil {
		r.pending[k] = new(fixed.Vector)
	}
	if len(v.Products) > 0 {
		r.factored[k] = append(r.factored[k], v.Clone())
		return nil
	}
	return r.pending[k].Merge(v)
}
