package dpvi

import "math"

// An optimiser maximises a function of some coordinates by noisy gradients. It is Adagrad (Duchi, Hazan and Singer,
// Adaptive Subgradient Methods for Online Learning and Stochastic Optimization, JMLR 12, 2011, §1.1): each coordinate's
// step shrinks with the coordinate's past gradients.
type optimiser struct {
	Rate    float64   // η > 0, the length of each coordinate's first step
	Squares []float64 // each coordinate's sum of squared gradients; the whole state
}

// newOptimiser returns an optimiser for n coordinates.
func newOptimiser(rate float64, n int) *optimiser {
	return &optimiser{Rate: rate, Squares: make([]float64, n)}
}

// Step moves x up along the gradient: x_i ← x_i + η·g_i/√(Σ g_i²), with the sum over all gradients so far. A coordinate
// that never had a gradient stays.
func (o *optimiser) Step(x, gradient []float64) {
	for i, g := range gradient {
		o.Squares[i] += g * g
		if o.Squares[i] == 0 {
			continue
		}
		x[i] += o.Rate * g / math.Sqrt(o.Squares[i])
	}
}
