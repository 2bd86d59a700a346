package model

import (
	"fmt"
	"math"
	"slices"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Release holds a round's noisy statistics, scaled to the whole data set: each sum is divided by the public sampling
// rate, never by the number of sampled units, which is private. It is unbiased for the sum over all units.
type Release struct {
	Round  uint32
	Rounds int // planned number of rounds T

	// Rate is the expected share of all units in the round. Statistics were divided by it.
	Rate float64

	// All says that all units answered the round: nothing was sampled, so the statistics describe the whole data set.
	All bool

	// Exact says that privatize none released exact sums.
	Exact bool

	set *stream.Set
}

// Exact is the number of releases without noise that a model was learned from. A model from noisy ones lacks it.
var Exact = Scalar{Name: "exact", Rule: Positive}

// ExactOf returns the number of releases without noise that a model, parameters or a checkpoint was learned from.
func ExactOf(set *stream.Set) (float64, error) {
	if !Exact.In(set) {
		return 0, nil
	}
	return Exact.Of(set)
}

// A Statistic is one matrix in a release, in the scale of the whole data set.
type Statistic struct {
	// Values are the cells, row by row. A symmetric matrix has the cells of the full square, so each released cell off
	// the diagonal occurs twice.
	Values []float64

	// Deviation is the standard deviation of the noise on each cell, 0 without noise. OffDiagonal is the noise's
	// standard deviation off the diagonal in a symmetric matrix, where it can be smaller. In other matrices both are
	// equal.
	Deviation, OffDiagonal float64
}

// maxScale keeps sums and squares of cells with up to 2⁶⁴ steps far from overflow.
const maxScale = 1e60

// maxNoise bounds the noise scale, in steps. It is the bound that event.OffDiagonalScale has, and twice the bound of
// every sampler (privatize/internal/noise).
const maxNoise = 1<<32 - 1

// NewRelease interprets a set from a stream of RELEASES.
func NewRelease(set *stream.Set) (*Release, error) {
	scheme := set.Release.Scheme
	r := &Release{Round: set.Round, Rounds: int(scheme.Rounds), Rate: scheme.Rate,
		All: scheme.Method == wire.Scheme_ALL, Exact: set.Release.Mechanism == event.None, set: set}
	for i := range max(1, len(set.Release.Bounds)) {
		if !(r.scale(i) <= maxScale) {
			return nil, fmt.Errorf("release of round %d has a grid, a rate or a bound out of range", set.Round)
		}
	}
	if set.Release.Scale > maxNoise {
		return nil, fmt.Errorf("release of round %d has noise out of range", set.Round)
	}
	return r, nil
}

// scale is the value of one step in the i-th matrix, scaled to the whole data set.
func (r *Release) scale(i int) float64 {
	bound := 1.
	if bounds := r.set.Release.Bounds; len(bounds) > 0 {
		bound = bounds[i]
	}
	return r.set.Release.Grid * bound / r.set.Release.Scheme.Rate
}

// Statistic returns the matrix with this name, once: the release does not keep it.
func (r *Release) Statistic(name string) (*Statistic, error) {
	i, m, err := r.set.Matrix(name)
	if err != nil {
		return nil, err
	}
	s := &Statistic{Values: make([]float64, 0, m.Cells())}
	s.Deviation, s.OffDiagonal,
		err = r.drain(i, m, func(_ int, values []float64) { s.Values = append(s.Values, values...) })
	if err != nil {
		return nil, err
	}
	if m.Symmetric {
		s.Values = square(s.Values, int(m.Rows))
	}
	return s, nil
}

// Each gives the values in the matrix with this name to take, once and in order: some values, and the number of the
// first. The matrix must not be symmetric. take may change the slice, and must not keep it. So no memory holds the
// whole matrix twice. Each returns the standard deviation of the noise on each cell. After an error some values may
// have been taken.
func (r *Release) Each(name string, take func(first int, values []float64)) (deviation float64, err error) {
	i, m, err := r.set.Matrix(name)
	if err != nil {
		return 0, err
	}
	if m.Symmetric {
		return 0, fmt.Errorf("matrix %q is symmetric, and has no values in order", name)
	}
	deviation, _, err = r.drain(i, m, take)
	return deviation, err
}

// drain gives the values of the i-th matrix, as they are in the release, to take. It returns the deviations for a
// Statistic.
func (r *Release) drain(i int, m *wire.Matrix,
	take func(first int, values []float64)) (diagonal, off float64, err error) {
	scale, first := r.scale(i), 0
	var values []float64
	err = stream.Drain(r.set, m.Name, func(steps []int64) {
		values = slices.Grow(values[:0], len(steps))[:len(steps)]
		for j, step := range steps {
			values[j] = float64(step) * scale
		}
		take(first, values)
		first += len(steps)
	})
	diagonal, off = deviations(r.set.Release, m.Symmetric)
	return diagonal * scale, off * scale, err
}

// deviations returns the noise's standard deviations, in steps: on a cell, and off the diagonal in a symmetric matrix.
func deviations(r *wire.Release, symmetric bool) (diagonal, off float64) {
	switch r.Mechanism {
	case event.Gaussian:
		// σ: the discrete Gaussian's variance is at most σ² (Canonne, Kamath, Steinke 2020), and nearly that for σ ≥ 1.
		diagonal = float64(r.Scale)
		if symmetric {
			return diagonal, float64(event.OffDiagonalScale(r.Scale))
		}
	case event.Laplace:
		// The discrete Laplace with P[x] ∝ e^(−|x|/t) is the difference of two independent geometric numbers with ratio
		// r = e^(−1/t) (Inusah and Kozubowski 2006, "A discrete analogue of the Laplace distribution"). Each has the
		// variance r/(1−r)², so the difference has 2r/(1−r)² = 2e^(1/t)/(e^(1/t) − 1)² = 1/(2 sinh²(1/2t)).
		diagonal = 1 / (math.Sqrt2 * math.Sinh(0.5/float64(r.Scale)))
	}
	return diagonal, diagonal
}

// square returns a full symmetric matrix, row by row, from its upper triangle.
func square(triangle []float64, rows int) []float64 {
	full := make([]float64, rows*rows)
	for r := range rows {
		for c := r; c < rows; c++ {
			full[r*rows+c], full[c*rows+r] = triangle[0], triangle[0]
			triangle = triangle[1:]
		}
	}
	return full
}

// CheckReleases refuses releases from another model, or releases that lack one of the learner's statistics.
func CheckReleases(h *wire.Header, l Learner) error {
	if f := l.Family(); h.Model != f.Name {
		return fmt.Errorf("releases are of model %q, must be of %q", h.Model, f.Name)
	}
	for _, want := range l.Family().Statistics(l.Size()) {
		if !slices.ContainsFunc(h.Matrices, func(m *wire.Matrix) bool {
			return m.Name == want.Name && m.Rows == want.Rows && m.Columns == want.Columns &&
				m.Symmetric == want.Symmetric
		}) {
			kind := "matrix"
			if want.Symmetric {
				kind = "symmetric matrix"
			}
			return fmt.Errorf("releases have no %s %q of %d × %d", kind, want.Name, want.Rows, want.Columns)
		}
	}
	return nil
}
