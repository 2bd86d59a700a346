package loss

import (
	"math"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// A Bound is an upper bound on ε or δ, rounded up. +Inf means that there is none.
type Bound struct {
	Upper float64
	Lower float64 // lower bound on the worst case's loss; 0 if the accountant has none
	Order float64 // order of the Rényi divergence behind the upper bound; 0 if there is none
}

// A Profile bounds a list's privacy loss.
type Profile interface {
	// Epsilon bounds the least ε at δ in [0, 1).
	Epsilon(delta float64) (Bound, error)
	// Delta bounds the least δ at a finite ε ≥ 0.
	Delta(epsilon float64) (Bound, error)
}

// curveProfile is the profile by a Rényi curve.
type curveProfile struct{ curve renyi.Curve }

func (p curveProfile) Epsilon(delta float64) (Bound, error) {
	epsilon, alpha := renyi.Epsilon(p.curve, delta)
	return Bound{Upper: PaddedEpsilon(epsilon), Order: order(alpha)}, nil
}

func (p curveProfile) Delta(epsilon float64) (Bound, error) {
	delta, alpha := renyi.Delta(p.curve, epsilon)
	return Bound{Upper: PaddedDelta(delta), Order: order(alpha)}, nil
}

func order(alpha float64) float64 {
	if math.IsNaN(alpha) {
		return 0
	}
	return alpha
}

// roundoff is above the relative error of a bound by Rényi curves. The curves round up where cancellation loses digits.
// The remaining error is from sums of up to 2^16 positive terms.
const roundoff = 1e-9

// PaddedEpsilon rounds up an ε from Rényi curves. The large orders that prove a small ε have conversion terms below 1,
// so an absolute margin is enough. An ε of 0 is not padded: it is proved by the total variation distance, or nothing is
// lost.
func PaddedEpsilon(epsilon float64) float64 {
	if epsilon == 0 {
		return 0
	}
	return epsilon*(1+roundoff) + 1e-14
}

// PaddedDelta rounds up a δ from Rényi curves. A δ below the range of float64 does not become 0.
func PaddedDelta(delta float64) float64 {
	return min(1, max(delta*(1+roundoff), math.SmallestNonzeroFloat64))
}

// distributionProfile is the profile by privacy loss distributions. At extremes of δ, rate or rounds their grid cannot
// bring the two bounds together. There doubling or the list's Rényi curve may prove less.
type distributionProfile struct {
	dominating *pld.Distribution
	attained   *pld.Distribution       // see Pairs; equals dominating if tight, nil if nothing is known
	doubled    func() *pld.Doubled     // for the same list; returns nil if it has none
	whole      bool                    // see Pairs
	curve      func() (Profile, error) // of the same list
}

// farApart is the ratio of the upper and the lower bound above which doubling and the Rényi curve are asked, too.
const farApart = 1.01

func (p distributionProfile) Epsilon(delta float64) (Bound, error) {
	return p.bound(
		func(d *pld.Distribution) (upper, lower float64, err error) { return d.Epsilon(delta) },
		func(d *pld.Doubled) (upper, lower float64) { return d.Epsilon(delta) },
		func(q Profile) (Bound, error) { return q.Epsilon(delta) })
}

func (p distributionProfile) Delta(epsilon float64) (Bound, error) {
	return p.bound(
		func(d *pld.Distribution) (upper, lower float64, err error) { return d.Delta(epsilon) },
		func(d *pld.Doubled) (upper, lower float64) { return d.Delta(epsilon) },
		func(q Profile) (Bound, error) { return q.Delta(epsilon) })
}

func (p distributionProfile) bound(
	ask func(*pld.Distribution) (upper, lower float64, err error), askDoubled func(*pld.Doubled) (upper, lower float64),
	askCurve func(Profile) (Bound, error),
) (bound Bound, err error) {
	upper, near, err := ask(p.dominating)
	if err != nil {
		return Bound{}, err
	}
	bound.Upper = upper
	switch p.attained {
	case nil:
	case p.dominating:
		bound.Lower = near
	default:
		if _, bound.Lower, err = ask(p.attained); err != nil {
			return Bound{}, err
		}
	}
	// An infinite upper bound is checked below, too. A pair that dominates more than it has to may tell all with some
	// probability, although the releases never do.
	if upper <= near*farApart && !p.whole && !math.IsInf(upper, 1) {
		return bound, nil
	}
	if d := p.doubled(); d != nil {
		other, near := askDoubled(d)
		bound.Upper = min(bound.Upper, other)
		if p.attained == p.dominating {
			bound.Lower = max(bound.Lower, near)
		}
	}
	if bound.Upper <= bound.Lower*farApart && !math.IsInf(bound.Upper, 1) {
		return bound, nil
	}
	curve, err := p.curve()
	if err != nil { // no curve, so the distribution's bound stands
		return bound, nil
	}
	other, err := askCurve(curve)
	if err == nil && !(other.Upper >= bound.Upper) {
		bound.Upper, bound.Order = other.Upper, other.Order
	}
	return bound, err
}

// basicProfile is a profile for a list with a known sum of the mechanisms' own (ε, δ). This sum is best for a single
// mechanism, and if all mechanisms are pure.
type basicProfile struct {
	Profile
	basic Approximate // an infinite ε if there is no sum
}

// roundingOfDelta is the largest relative difference between two δ that count as one number with different roundings.
const roundingOfDelta = 1e-15

func (p basicProfile) holds(delta float64) bool {
	return !math.IsInf(p.basic.Epsilon, 1) && delta >= p.basic.Delta*(1-roundingOfDelta)
}

func (p basicProfile) Epsilon(delta float64) (Bound, error) {
	pure := Bound{Upper: p.basic.Epsilon, Order: math.Inf(1)}
	if delta == 0 {
		if !p.holds(0) {
			pure = Bound{Upper: math.Inf(1)}
		}
		return pure, nil
	}
	bound, err := p.Profile.Epsilon(delta)
	if p.holds(delta) && bound.Upper >= pure.Upper {
		bound.Upper = pure.Upper
		if bound.Order > 0 {
			bound.Order = pure.Order
		}
	}
	return bound, err
}

func (p basicProfile) Delta(epsilon float64) (Bound, error) {
	if epsilon >= p.basic.Epsilon && p.basic.Delta == 0 {
		return Bound{Order: math.Inf(1)}, nil
	}
	bound, err := p.Profile.Delta(epsilon)
	if epsilon >= p.basic.Epsilon && bound.Upper >= p.basic.Delta {
		bound.Upper = p.basic.Delta
	}
	return bound, err
}

// failing is the profile of releases if some fail with a small probability.
//
// For a unit that is there, a failing release gives some other result with probability p ≤ δ'. Otherwise, whatever came
// before, its result is distributed like the result of an ideal release. The ideal profile is about the ideal releases.
// Let X be all results without the unit, Y all results with it, and I the results of the ideal releases with it. The
// ideal profile is for X and I, in both directions, by composition. Then for every set E of results
//
//	P[Y ∈ E] ≤ P[I ∈ E] + Σδ'        Y and I can be drawn alike until the first failure, and the union bound,
//	P[I ∈ E] ≤ P[Y ∈ E]·Π 1/(1−δ')   given the past, Y's law is at least (1−δ') times I's law, at each release.
//
// If the profile proves (ε, δ), P[Y ∈ E] ≤ e^ε·P[X ∈ E] + δ + Σδ' and P[X ∈ E] ≤ e^(ε + Σ −log(1−δ'))·P[Y ∈ E] + δ.
// From (0, δ) follows P[X ∈ E] ≤ P[I ∈ E] + δ ≤ P[Y ∈ E] + 1 − Π(1−δ') + δ, where 1 − Π(1−δ') ≤ Σδ'.
type failing struct {
	ideal   Profile
	failure float64 // Σδ'
	excess  float64 // Σ −log(1−δ')
}

func (p failing) Epsilon(delta float64) (Bound, error) {
	if p.failure > delta {
		return Bound{Upper: math.Inf(1)}, nil
	}
	left := math.Nextafter(delta-p.failure, 0)
	bound, err := p.ideal.Epsilon(left)
	bound.Upper, bound.Lower = math.Nextafter(bound.Upper+p.excess, math.Inf(1)), 0
	return bound, err
}

func (p failing) Delta(epsilon float64) (Bound, error) {
	left := max(0, math.Nextafter(epsilon-p.excess, 0))
	bound, err := p.ideal.Delta(left)
	bound.Upper, bound.Lower = min(1, math.Nextafter(bound.Upper+p.failure, 1)), 0
	return bound, err
}

// unbounded is the profile if some release has no noise.
type unbounded struct{}

func (unbounded) Epsilon(float64) (Bound, error) { return Bound{Upper: math.Inf(1)}, nil }

func (unbounded) Delta(float64) (Bound, error) { return Bound{Upper: 1}, nil }
