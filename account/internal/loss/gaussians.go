package loss

import (
	"errors"
	"fmt"

	"privpipe/pipelines/event"
)

// Gaussians are a number of equal releases with Gaussian noise only.
type Gaussians struct {
	Sampling Sampling
	Rate     float64 // for All 1
	Sigma    float64 // continuous noise over the distance of neighbours' sums, rounded down
	Count    int
}

// Gaussians returns the list's events. ok is false if some noise is not Gaussian, or if a unit may be in one of several
// batches.
func (l *List) Gaussians() (all []Gaussians, ok bool) {
	if l.NoNoise || l.Failure > 0 {
		return nil, false
	}
	for _, e := range l.Releases() {
		sigma, only := JointSigma(Continuous(e.Released))
		if !only || e.Instead != nil || e.Apart {
			return nil, false
		}
		g := Gaussians{e.Sampling, e.Rate, sigma, e.Count}
		if g.Sampling == All {
			g.Rate = 1
		}
		all = append(all, g)
	}
	return all, true
}

// Unsampled returns the list as if all units took part in each batch. It bounds the loss. For each sample the
// divergence is at most the one without sampling. A divergence of mixtures is at most the largest of their parts'
// (joint convexity).
func (l *List) Unsampled() *List {
	whole := &List{Adjacency: l.Adjacency, Failure: l.Failure, Excess: l.Excess, NoNoise: l.NoNoise}
	for _, e := range l.Releases() {
		e.Sampling, e.Rate, e.Apart, e.Thrown, e.Complete = All, 0, false, 0, false
		whole.Add(e)
	}
	return whole
}

// Squares returns the sum of μ² (Gaussian differential privacy) for a list with Gaussian noise and no sampling, rounded
// up (Dong, Roth and Su, Gaussian Differential Privacy, 2022, corollary 3.3).
func (l *List) Squares() (sum float64, err error) {
	rounds, ok := l.Gaussians()
	if !ok {
		return 0, errors.New("not all noise is Gaussian")
	}
	for _, g := range rounds {
		if g.Sampling != All {
			return 0, errors.New("sampling does not amplify Gaussian differential privacy")
		}
		sum += float64(g.Count) / (g.Sigma * g.Sigma)
	}
	return sum * (1 + 1e-12), nil
}

// Rho returns ρ (zero-concentrated differential privacy) for a list without sampling, rounded up.
func (l *List) Rho() (rho float64, err error) {
	if l.NoNoise || l.Failure > 0 {
		return 0, errors.New("zCDP has no failures in δ")
	}
	for _, e := range l.Releases() {
		if e.Sampling != All {
			return 0, errors.New("zCDP is not amplified by sampling: use pld or renyi")
		}
		worst, err := rhoOf(e.Released)
		for _, released := range e.Instead {
			other, wrong := rhoOf(released)
			worst, err = max(worst, other), errors.Join(err, wrong)
		}
		if err != nil {
			return 0, err
		}
		rho += float64(e.Count) * worst
	}
	return rho * (1 + 1e-12), nil
}

// rhoOf adds up the ρ of the releases from one batch (Bun and Steinke, Concentrated Differential Privacy, 2016, lemma
// 1.7).
func rhoOf(released []Mechanism) (rho float64, err error) {
	for _, m := range released {
		one, ok := m.Traits().rho()
		if !ok {
			return 0, fmt.Errorf("%s is not zCDP", m)
		}
		rho += one
	}
	return rho, nil
}

// A Round is one of Count equal rounds, either with Gaussian noise or with an (ε, δ) guarantee.
type Round struct {
	Sampling  Sampling
	Rate      float64 // for All 1
	Gaussian  float64 // noise over sensitivity; 0 if Guarantee is used
	Guarantee Approximate
	Count     int
}

// OneGuarantee returns the list's rounds if they are all equal.
func (l *List) OneGuarantee() (r Round, err error) {
	events := l.Releases()
	if len(events) != 1 || len(events[0].Released) != 1 || events[0].Instead != nil || l.NoNoise || l.Failure > 0 {
		return r, errors.New("its theorem is about rounds that are all the same")
	}
	e := events[0]
	r = Round{Sampling: e.Sampling, Rate: e.Rate, Count: e.Count}
	if e.Sampling == All {
		r.Rate = 1
	}
	if e.Sampling == Poisson && l.Adjacency == event.ReplaceOne {
		return r, errReplacedPoisson
	}
	m := e.Released[0]
	g, isGaussian := m.(Gaussian)
	switch traits := m.Traits(); {
	case isGaussian:
		r.Gaussian = g.continuous().Sigma()
	case traits.Guarantee != nil:
		r.Guarantee = *traits.Guarantee
	case traits.Pure != nil:
		r.Guarantee.Epsilon = *traits.Pure
	default:
		return r, fmt.Errorf("%s has no (ε, δ) of its own here", m)
	}
	return r, nil
}
