package renyi

import (
	"math"
)

// A Guarantee is (ε, δ)-differential privacy: P[M(x) ∈ E] ≤ e^ε·P[M(y) ∈ E] + δ for all neighbours x, y and all sets E
// of results. Epsilon is in [0, +Inf], Delta in [0, 1].
type Guarantee struct{ Epsilon, Delta float64 }

// Linear returns what releases times of g give: (kε, kδ). Dwork and Roth, The Algorithmic Foundations of Differential
// Privacy (2014), theorem 3.16.
func (g Guarantee) Linear(releases uint64) Guarantee {
	if releases == 0 {
		return Guarantee{}
	}
	k := float64(releases)
	return Guarantee{RoundUp(k * g.Epsilon), min(1, RoundUp(k*g.Delta))}
}

// Strong returns what releases times of g give with slack δ' in (0, 1]: ε = √(2k log(1/δ'))·ε₀ + k·ε₀(e^ε₀ − 1) and
// δ = kδ₀ + δ'. Dwork and Roth 2014, theorem 3.20. It may be more than Linear.
func (g Guarantee) Strong(releases uint64, slack float64) Guarantee {
	if releases == 0 {
		return Guarantee{0, slack}
	}
	k, epsilon := float64(releases), g.Epsilon
	if epsilon > 0 && !math.IsInf(epsilon, 1) {
		epsilon = math.Sqrt(2*k*-logOf(slack))*g.Epsilon + k*g.Epsilon*math.Expm1(g.Epsilon)
	}
	return Guarantee{RoundUp(epsilon), min(1, RoundUp(k*g.Delta+slack))}
}

// Amplified returns the guarantee of g on a secret sample of the units at the given rate in [0, 1]: (log(1+q(e^ε−1)),
// qδ). It is theorem 1 of the papers, and theorems 8 and 9 of Balle, Barthe and Gaboardi, Privacy Amplification by
// Subsampling (NeurIPS 2018). Theorem 8 is for one coin per unit, with g under the addition or removal of one unit.
// Theorem 9 is for a sample of fixed size, with g under the replacement of one. The sample has to be drawn uniformly
// and to stay secret. A pass over shuffled units is no such sample.
func (g Guarantee) Amplified(rate float64) Guarantee {
	if rate == 0 {
		return Guarantee{}
	}
	epsilon := g.Epsilon
	if !math.IsInf(epsilon, 1) {
		epsilon = RoundUp(AmplifiedEpsilon(rate, epsilon))
	}
	delta := g.Delta
	if delta > 0 {
		delta = max(math.SmallestNonzeroFloat64, RoundUp(rate*delta))
	}
	return Guarantee{epsilon, delta}
}
