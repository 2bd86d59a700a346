// Package adagrad is Adagrad, a gradient method with shrinking steps. Each coordinate's step shrinks with the
// coordinate's past gradients (Duchi, Hazan and Singer, Adaptive Subgradient Methods for Online Learning and Stochastic
// Optimization, JMLR 12, 2011, §1.1).
package adagrad

import "math"

// An Optimiser maximises a function of some coordinates by noisy gradients.
type Optimiser struct {
	Rate    float64   // η > 0, the length of each coordinate's first step
	Squares []float64 // each coordinate's sum of squared gradients; the whole state
}

// New returns an optimiser for n coordinates.
func New(rate float64, n int) *Optimiser { return &Optimiser{Rate: rate, Squares: make([]float64, n)} }

// Step moves x up along the gradient: x_i ← x_i + η·g_i/√(Σ g_i²), with the sum over all gradients so far. A coordinate
// that never had a gradient stays.
func (o *Optimiser) Step(x, gradient []float64) {
	for i, g := range gradient {
		o.Squares[i] += g * g
		if o.Squares[i] == 0 {
			continue
		}
		x[i] += o.Rate * g / math.Sqrt(o.Squares[i])
	}
}
