package dpvi

import (
	"math"
	"math/rand/v2"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// Options are the settings of the M-step. All are public and fixed before the run.
type Options struct {
	Words     int     // V, the number of features
	Prior     float64 // standard deviation of each weight under the prior
	Deviation float64 // first standard deviation of each weight under q
	Rate      float64 // of Adagrad
	Seed      uint64  // of the draws
}

// Learner implements model.Learner.
type Learner struct {
	o     Options
	round uint32

	q         []float64 // μ, then log d: 2 × V
	optimiser *optimiser
}

// New returns a learner that starts with mean 0.
func New(o Options) *Learner {
	l := &Learner{o: o, q: make([]float64, 2*o.Words), optimiser: newOptimiser(o.Rate, 2*o.Words)}
	for v := range o.Words {
		l.q[o.Words+v] = math.Log(o.Deviation)
	}
	return l
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family { return families.DPVI }

// Size implements model.Learner.
func (l *Learner) Size() model.Size { return model.Size{Words: l.o.Words} }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

// widest bounds |log d|, so that d and d² stay finite, whatever is released.
const widest = 100

// Update implements model.Learner. It steps along the gradient of the evidence lower bound. The gradient has three
// terms: the log likelihood, the prior N(0, s²·I) and the entropy Σ log d (Jälkö, Dikmen and Honkela 2017, eq. 3).
func (l *Learner) Update(r *model.Release) error {
	s, err := r.Statistic(families.Gradients)
	if err != nil {
		return err
	}
	n, square := l.o.Words, l.o.Prior*l.o.Prior
	gradient := s.Values
	for v := range n {
		gradient[v] -= l.q[v] / square
		gradient[n+v] += 1 - math.Exp(2*l.q[n+v])/square
	}
	l.optimiser.Step(l.q, gradient)
	for v := n; v < 2*n; v++ {
		l.q[v] = min(max(l.q[v], -widest), widest)
	}
	l.round = r.Round
	return nil
}

// put writes q.
func (l *Learner) put(s *model.Snapshot) {
	n := l.o.Words
	deviation := make([]float64, n)
	for v := range deviation {
		deviation[v] = math.Exp(l.q[n+v])
	}
	families.Mean.Put(s, l.Size(), l.q[:n])
	families.Deviation.Put(s, l.Size(), deviation)
}

// Parameters implements model.Learner. It returns q and the draw for the next round.
func (l *Learner) Parameters() *model.Snapshot {
	random := rand.New(rand.NewPCG(l.o.Seed, uint64(l.round)))
	draw := make([]float64, l.o.Words)
	for v := range draw {
		draw[v] = random.NormFloat64()
	}
	s := new(model.Snapshot)
	l.put(s)
	families.Draw.Put(s, l.Size(), draw)
	return s
}

// Model implements model.Learner.
func (l *Learner) Model() (*model.Snapshot, error) {
	s := new(model.Snapshot)
	families.Rounds.Put(s, float64(l.round))
	l.put(s)
	return s, nil
}
