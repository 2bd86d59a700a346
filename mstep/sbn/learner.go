package sbn

import (
	"math"
	"math/rand/v2"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// Options are the settings of the M-step. All are public and fixed before the run.
type Options struct {
	Size     model.Size // J pixels and K hidden units
	Images   uint64     // N, if it is public; 0: releases count the images
	NuB, NuC float64    // prior variances of b and of c
	Rate     model.Rate
	Point    bool // q(W), q(b) and q(c) are point masses
	Seed     uint64
}

// Learner implements model.Learner.
type Learner struct {
	o     Options
	round uint32

	learned  float64              // number of releases
	averages map[string][]float64 // averages of each statistic's sums, row by row
	// Noise variance on each cell of the averages of g and gzz.
	varianceG, varianceGZZ float64

	q *posterior
}

// initial is the deviation of the first weights. It is large enough for hidden units to differ, and small beside the
// data.
const initial = 0.1

// New returns a learner that starts from the prior with random weights.
func New(o Options) *Learner {
	l := &Learner{o: o, averages: make(map[string][]float64)}
	for _, m := range l.Family().Statistics(o.Size) {
		l.averages[m.Name] = make([]float64, m.Cells())
	}
	random := rand.New(rand.NewPCG(o.Seed, 0))
	j, k := o.Size.Words, o.Size.Components
	l.q = &posterior{
		weights: make([]float64, k*j), squares: make([]float64, k*j),
		hidden: make([]float64, k), visible: make([]float64, j), hiddenSquares: make([]float64, k),
		shrinkage: newShrinkage(j, k),
	}
	for i := range l.q.weights {
		l.q.weights[i] = initial * random.NormFloat64()
		l.q.squares[i] = initial * initial
	}
	l.q.updateZeta(l.q.squares)
	return l
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family {
	if l.o.Images > 0 {
		return families.SBNUncounted
	}
	return families.SBN
}

// Size implements model.Learner.
func (l *Learner) Size() model.Size { return l.o.Size }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

// Update implements model.Learner. The first release replaces the sums. They are 0, and averaging them in would only be
// a bias.
func (l *Learner) Update(r *model.Release) error {
	l.learned++
	rho := 1.0
	if l.learned > 1 {
		rho = l.o.Rate.At(l.learned)
	}
	for name, average := range l.averages {
		s, err := r.Statistic(name)
		if err != nil {
			return err
		}
		noise := s.Deviation * s.Deviation
		switch name {
		case families.G:
			l.varianceG = model.Mix(average, s.Values, rho, l.varianceG, noise)
		case families.GZZ:
			l.varianceGZZ = model.Mix(average, s.Values, rho, l.varianceGZZ, noise)
		default:
			model.Mix(average, s.Values, rho, 0, 0) // nothing needs the variance
		}
	}
	l.round = r.Round
	return l.q.update(l.sums(), &l.o)
}

// sums returns the sums that the posterior is computed from.
func (l *Learner) sums() *sums {
	s := &sums{averages: l.averages, images: float64(l.o.Images)}
	if l.o.Images == 0 {
		s.images = max(1, l.averages[families.Count][0])
	}
	s.floorG = math.Sqrt(l.varianceG)
	// The eigenvalues of K × K symmetric noise with deviation τ off the diagonal are within 2τ·√K, except for a few
	// (Wigner's semicircle).
	s.floorGZZ = 2 * math.Sqrt(l.varianceGZZ*float64(l.o.Size.Components))
	return s
}

// Parameters implements model.Learner.
func (l *Learner) Parameters() *model.Snapshot {
	s := new(model.Snapshot)
	l.put(s)
	return s
}

// put writes the matrices that the E-step reads.
func (l *Learner) put(s *model.Snapshot) {
	families.SBNWeights.Put(s, l.o.Size, l.q.weights)
	families.SBNSquares.Put(s, l.o.Size, l.q.squares)
	families.SBNHidden.Put(s, l.o.Size, l.q.hidden)
	families.SBNVisible.Put(s, l.o.Size, l.q.visible)
}

// Model implements model.Learner.
func (l *Learner) Model() (*model.Snapshot, error) {
	s := new(model.Snapshot)
	families.Rounds.Put(s, float64(l.round))
	l.put(s)
	return s, nil
}
