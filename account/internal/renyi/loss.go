package renyi

import "math"

// A Loss is what a composition costs: releases with a Rényi curve, some of which fail with a small probability.
//
// A release that fails gives, for a unit that is there, with probability p ≤ δ' some other result, and else, whatever came
// before, a result distributed as that of an ideal release, which the curve is about. Let X be all results without the
// unit, Y those with it, and I those of the ideal releases with it; C is the curve of X and I, in both directions, by
// composition. Then for every set E of results
//
//	P[Y ∈ E] ≤ P[I ∈ E] + Σδ'        Y and I can be drawn alike until the first failure, and the union bound,
//	P[I ∈ E] ≤ P[Y ∈ E]·Π 1/(1−δ')   given what came before, Y's law is at least (1−δ') times that of I, at each release.
//
// If C proves (ε, δ), P[Y ∈ E] ≤ e^ε·P[X ∈ E] + δ + Σδ' and P[X ∈ E] ≤ e^(ε + Σ −log(1−δ'))·P[Y ∈ E] + δ.
type Loss struct {
	Curve   Curve
	Failure float64 // Σδ'
	Excess  float64 // Σ −log(1−δ')
}

// Add adds a release that fails with probability at most failure in [0, 1]; its curve is not part of it.
func (l *Loss) Add(failure float64) {
	l.Failure += failure
	l.Excess -= math.Log1p(-failure)
}

// Epsilon returns the least ε that the loss is proven to have at δ in [0, 1), and the order that proves it: what is left
// of δ is the curve's.
func (l Loss) Epsilon(delta float64) (epsilon, alpha float64) {
	if l.Failure > delta {
		return math.Inf(1), math.NaN()
	}
	epsilon, alpha = Epsilon(l.Curve, delta-l.Failure)
	return epsilon + l.Excess, alpha
}

// Delta returns the least δ that the loss is proven to have at ε > 0, and the order that proves it.
func (l Loss) Delta(epsilon float64) (delta, alpha float64) {
	if epsilon > l.Excess {
		delta, alpha = Delta(l.Curve, epsilon-l.Excess)
	} else {
		delta, alpha = totalVariation(l.Curve), orders[0]
	}
	return min(1, delta+l.Failure), alpha
}
