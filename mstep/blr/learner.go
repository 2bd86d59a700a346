package blr

import (
	"math"

	"privpipe/mstep/internal/denoise"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// Options are the settings of the M-step. All are public and fixed before the run.
type Options struct {
	Words  int     // V, the number of features
	A0, B0 float64 // of the precision's prior, Gamma(a0, b0)
	Rate   model.Rate
	// The paper sets negative eigenvalues of S2 to Negative; nil: raise all eigenvalues by the noise.
	Negative *float64
	Point    bool // q(w) is a point mass
}

// Learner implements model.Learner.
type Learner struct {
	o     Options
	round uint32

	learned       float64   // number of releases
	first, second []float64 // averages of the sums s1, 1 × V, and s2, V × V row by row
	variance      float64   // of the noise on each diagonal cell of second

	q *posterior // computed from the fields above
}

// New returns a learner that starts from the prior.
func New(o Options) *Learner {
	n := o.Words
	l := &Learner{o: o, first: make([]float64, n), second: make([]float64, n*n)}
	l.q = &posterior{mean: make([]float64, n), moments: make([]float64, n*n), precision: o.A0 / o.B0}
	if !o.Point {
		for i := range n {
			l.q.moments[i*n+i] = 1 / l.q.precision
		}
	}
	return l
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family { return families.BLR }

// Size implements model.Learner.
func (l *Learner) Size() model.Size { return model.Size{Words: l.o.Words} }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

// Update implements model.Learner. The first release replaces the sums. They are 0, and averaging them in would only be
// a bias.
func (l *Learner) Update(r *model.Release) error {
	first, err := r.Statistic(families.S1)
	if err != nil {
		return err
	}
	second, err := r.Statistic(families.S2)
	if err != nil {
		return err
	}
	l.learned++
	rho := 1.0
	if l.learned > 1 {
		rho = l.o.Rate.At(l.learned)
	}
	model.Mix(l.first, first.Values, rho, 0, 0) // nothing needs the variance of S1
	l.variance = model.Mix(l.second, second.Values, rho, l.variance, second.Deviation*second.Deviation)
	l.round = r.Round
	return l.learn()
}

// raise returns the replacement for an eigenvalue of S2. Without noise all eigenvalues are at least 0.
func (l *Learner) raise(eigenvalue float64) float64 {
	if l.o.Negative == nil {
		return max(eigenvalue, denoise.NoiseFloor(math.Sqrt(l.variance), l.o.Words))
	}
	if eigenvalue < 0 {
		return *l.o.Negative
	}
	return eigenvalue
}

// learn computes the posterior from the averages.
func (l *Learner) learn() (err error) {
	l.q, err = solve(l.first, l.second, prior{l.o.A0, l.o.B0}, l.raise, l.o.Point)
	return err
}

// Parameters implements model.Learner.
func (l *Learner) Parameters() *model.Snapshot {
	s := new(model.Snapshot)
	l.put(s)
	return s
}

// put writes the matrices that the E-step reads.
func (l *Learner) put(s *model.Snapshot) {
	families.Mean.Put(s, l.Size(), l.q.mean)
	families.Moments.Put(s, l.Size(), l.q.moments)
}

// Model implements model.Learner.
func (l *Learner) Model() (*model.Snapshot, error) {
	s := new(model.Snapshot)
	families.Precision.Put(s, l.q.precision)
	families.Rounds.Put(s, float64(l.round))
	l.put(s)
	return s, nil
}
