package model

import (
	"fmt"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Release is the noisy statistics of a round in the scale of the whole data set: each sum is divided by the public
// rate at which units were sampled, never by how many were, which is private. It is unbiased for the sum over all units.
type Release struct {
	Round  uint32
	Rounds int // planned number of rounds T

	// Deviation is the standard deviation of the noise on each cell, in this scale; 0 without noise.
	Deviation float64

	set   *stream.Set
	scale float64 // value of a step in this scale
}

// maxScale keeps sums and squares of cells of 2⁶⁴ steps far from overflow.
const maxScale = 1e60

// NewRelease interprets a set of a stream of RELEASES.
func NewRelease(set *stream.Set) (*Release, error) {
	r := set.Release
	if r.Mechanism != event.Gaussian && r.Mechanism != event.None {
		return nil, fmt.Errorf("release of round %d by unknown mechanism %q", set.Round, r.Mechanism)
	}
	scale := r.Grid / r.Scheme.Rate
	if !(scale <= maxScale) {
		return nil, fmt.Errorf("release of round %d has a grid or a rate out of range", set.Round)
	}
	return &Release{
		Round: set.Round, Rounds: int(r.Scheme.Rounds), Deviation: float64(r.Scale) * scale, set: set, scale: scale,
	}, nil
}

// Values returns the cells of a matrix, row by row.
func (r *Release) Values(name string) ([]float64, error) {
	steps, err := stream.Cells[int64](r.set, name)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(steps))
	for i, s := range steps {
		values[i] = float64(s) * r.scale
	}
	return values, nil
}

// CheckShapes refuses releases whose matrices are not those that a learner wants.
func CheckShapes(h *wire.Header, l Learner) error {
	if h.Model != l.Name() {
		return fmt.Errorf("releases are of model %q, must be of %q", h.Model, l.Name())
	}
	for _, want := range l.Shapes() {
		found := false
		for _, m := range h.Matrices {
			found = found || m.Name == want.Name && m.Rows == want.Rows && m.Columns == want.Columns
		}
		if !found {
			return fmt.Errorf("releases have no matrix %q of %d × %d", want.Name, want.Rows, want.Columns)
		}
	}
	return nil
}
