package classic

import (
	"math"

	"privpipe/account/internal/renyi"
)

// A Guarantee is (ε, δ)-differential privacy: for all neighbours x, y and sets E of results P[M(x) ∈ E] ≤ e^ε·P[M(y) ∈ E]
// + δ. Epsilon is in [0, +Inf], Delta in [0, 1].
type Guarantee struct{ Epsilon, Delta float64 }

// Linear returns what releases times of g give: (kε, kδ). Dwork and Roth, The Algorithmic Foundations of Differential
// Privacy (2014), theorem 3.16.
func (g Guarantee) Linear(releases uint64) Guarantee {
	if releases == 0 {
		return Guarantee{}
	}
	k := float64(releases)
	return Guarantee{up(k * g.Epsilon), min(1, up(k*g.Delta))}
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
	return Guarantee{up(epsilon), min(1, up(k*g.Delta+slack))}
}

// StrongShare returns the most ε₀ of one of so many releases for which Strong gives at most epsilon, which is
// finite.
func StrongShare(epsilon float64, releases uint64, slack float64) float64 {
	if epsilon == 0 {
		return 0
	}
	over := least(epsilon, func(share float64) bool {
		return Guarantee{Epsilon: share}.Strong(releases, slack).Epsilon > epsilon
	})
	return down(over)
}

// Amplified returns what g gives where it takes a sample of the units of the given rate in [0, 1]: (log(1+q(e^ε−1)), qδ).
// That is theorem 1 of the papers; Balle, Barthe and Gaboardi, Privacy Amplification by Subsampling (NeurIPS 2018),
// theorem 8 for coins of each unit and g under the addition or removal of one, theorem 9 for a sample of fixed size and g
// under the replacement of one. It needs the sample to be drawn uniformly and to stay secret, and not a pass over
// shuffled units.
func (g Guarantee) Amplified(rate float64) Guarantee {
	if rate == 0 {
		return Guarantee{}
	}
	epsilon := g.Epsilon
	if !math.IsInf(epsilon, 1) {
		epsilon = up(renyi.AmplifiedEpsilon(rate, epsilon))
	}
	delta := g.Delta
	if delta > 0 {
		delta = max(math.SmallestNonzeroFloat64, up(rate*delta))
	}
	return Guarantee{epsilon, delta}
}

// BeforeAmplification returns the ε that is amplified to epsilon by a sample of the given rate in (0, 1]:
// log(1+(e^ε−1)/q), rounded down.
func BeforeAmplification(epsilon, rate float64) float64 {
	if epsilon < 1 {
		return down(math.Log1p(math.Expm1(epsilon) / rate))
	}
	return down(epsilon + math.Log((1-math.Exp(-epsilon))/rate+math.Exp(-epsilon))) // e^ε may be beyond float64
}

// Parallel returns what releases give of which a unit takes part in one at most, whichever it is, by a rule that no other
// unit changes: the largest ε and the largest δ. McSherry, Privacy Integrated Queries (SIGMOD 2009), theorem 4. One pass
// over disjoint batches costs what one batch costs. There is no amplification: a pass is no sample. Where a unit that
// replaces another may go to another batch, two batches change and the rule does not hold; nor does it where adding a
// unit moves the others, as it does in batches of a fixed number.
func Parallel(releases ...Guarantee) (most Guarantee) {
	for _, g := range releases {
		most = Guarantee{max(most.Epsilon, g.Epsilon), max(most.Delta, g.Delta)}
	}
	return most
}

// Adaptive returns the claim of SUB-LDA's lemma 5.1 for words that are sampled v times as often as g's uniform rate has it,
// v = 1/(ηq) ≥ 1: ε + log v and vδ. It is above Amplified at the rate v·γ, which holds for fixed, public rates up to 1. It
// is no bound for SUB-LDA, whose rates follow from the assignments: those are data.
func (g Guarantee) Adaptive(v float64) Guarantee {
	return Guarantee{up(g.Epsilon + math.Log(v)), min(1, up(v*g.Delta))}
}
