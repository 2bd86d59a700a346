package loss

import (
	"math"

	"privpipe/account/internal/mechanism"
	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// A Bound is an upper bound of ε or δ, rounded up; +Inf is none.
type Bound struct {
	Upper float64
	Lower float64 // of what the worst case of the list loses; 0 where the accountant has none
	Order float64 // of the Rényi divergence that proves it; 0 where there is none
}

// A Profile says what a list costs.
type Profile interface {
	// Epsilon bounds the least ε at δ in [0, 1).
	Epsilon(delta float64) (Bound, error)
	// Delta bounds the least δ at a finite ε ≥ 0.
	Delta(epsilon float64) (Bound, error)
}

// curveProfile is the profile of a Rényi curve.
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

// roundoff is more than the relative error of a bound by Rényi's curves: they round up what is lost by cancellation, and the
// rest is sums of up to 2^16 positive terms.
const roundoff = 1e-9

// PaddedEpsilon rounds an ε by Rényi's curves up. At the large orders that prove a small ε, the terms of the conversion are
// below 1. One of 0 is proved by the total variation distance, or of nothing.
func PaddedEpsilon(epsilon float64) float64 {
	if epsilon == 0 {
		return 0
	}
	return epsilon*(1+roundoff) + 1e-14
}

// PaddedDelta rounds a δ by Rényi's curves up. One that is below float64's range is not 0.
func PaddedDelta(delta float64) float64 {
	return min(1, max(delta*(1+roundoff), math.SmallestNonzeroFloat64))
}

// distributionProfile is the profile of privacy loss distributions. Where their grid cannot bring its bounds together, at the
// extremes of δ, rate or rounds, doubling or the Rényi curve of the same list may prove less.
type distributionProfile struct {
	dominating *pld.Distribution
	attained   *pld.Distribution       // see Pairs; the same one where they are tight, nil where nothing is known
	doubled    func() *pld.Doubled     // of the same list; nil if it has none
	whole      bool                    // see Pairs
	curve      func() (Profile, error) // of the same list
}

// far is the ratio of a distribution's bounds from which the curve is asked.
const far = 1.01

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
	ask func(*pld.Distribution) (upper, lower float64, err error), askDoubled func(*pld.Doubled) (upper, lower float64), askCurve func(Profile) (Bound, error),
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
	if upper <= near*far && !p.whole && !math.IsInf(upper, 1) { // a pair above the least one may tell all with a probability that is none
		return bound, nil
	}
	if d := p.doubled(); d != nil {
		other, near := askDoubled(d)
		bound.Upper = min(bound.Upper, other)
		if p.attained == p.dominating {
			bound.Lower = max(bound.Lower, near)
		}
	}
	if bound.Upper <= bound.Lower*far && !math.IsInf(bound.Upper, 1) {
		return bound, nil
	}
	curve, err := p.curve()
	if err != nil { // there is none: the distribution's bound stands
		return bound, nil
	}
	other, err := askCurve(curve)
	if err == nil && !(other.Upper >= bound.Upper) {
		bound.Upper, bound.Order = other.Upper, other.Order
	}
	return bound, err
}

// basicProfile is a profile of which the sum of the mechanisms' own (ε, δ) is known, too. It is what is best for a single
// one, and where all are pure.
type basicProfile struct {
	Profile
	basic mechanism.Approximate // an infinite ε: none
}

// same is the part by which a δ may be below another that is the same number, written with other roundings.
const same = 1e-15

func (p basicProfile) holds(delta float64) bool {
	return !math.IsInf(p.basic.Epsilon, 1) && delta >= p.basic.Delta*(1-same)
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

// failing is the profile of releases of which some fail with a small probability.
//
// A release that fails gives, for a unit that is there, with probability p ≤ δ' some other result, and else, whatever came
// before, a result distributed as that of an ideal release, which the profile is about. Let X be all results without the
// unit, Y those with it, and I those of the ideal releases with it; the profile is that of X and I, in both directions, by
// composition. Then for every set E of results
//
//	P[Y ∈ E] ≤ P[I ∈ E] + Σδ'        Y and I can be drawn alike until the first failure, and the union bound,
//	P[I ∈ E] ≤ P[Y ∈ E]·Π 1/(1−δ')   given what came before, Y's law is at least (1−δ') times that of I, at each release.
//
// If the profile proves (ε, δ), P[Y ∈ E] ≤ e^ε·P[X ∈ E] + δ + Σδ' and P[X ∈ E] ≤ e^(ε + Σ −log(1−δ'))·P[Y ∈ E] + δ. And from
// (0, δ), P[X ∈ E] ≤ P[I ∈ E] + δ ≤ P[Y ∈ E] + 1 − Π(1−δ') + δ, of which 1 − Π(1−δ') ≤ Σδ'.
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

// nothing is the profile of a release without noise.
type nothing struct{}

func (nothing) Epsilon(float64) (Bound, error) { return Bound{Upper: math.Inf(1)}, nil }

func (nothing) Delta(float64) (Bound, error) { return Bound{Upper: 1}, nil }
