// Package adagrad is Adagrad, a gradient method whose steps shrink by what each coordinate has moved (Duchi, Hazan and Singer, Adaptive
// Subgradient Methods for Online Learning and Stochastic Optimization, JMLR 12, 2011, §1.1).
package adagrad

import "math"

// An Optimiser maximises a function of some coordinates by noisy gradients.
type Optimiser struct {
	Rate    float64   // η > 0, the length of the first step of each coordinate
	Squares []float64 // sum of the squared gradients of each coordinate; the whole state
}

// New returns an optimiser of n coordinates.
func New(rate float64, n int) *Optimiser { return &Optimiser{Rate: rate, Squares: make([]float64, n)} }

// Step moves x up along the gradient: x_i ← x_i + η·g_i/√(Σ g_i²), the sum over all gradients so far. A coordinate without a gradient stays.
func (o *Optimiser) Step(x, gradient []float64) {
	for i, g := range gradient {
		o.Squares[i] += g * g
		if o.Squares[i] == 0 {
			continue
		}
		x[i] += o.Rate * g / math.Sqrt(o.Squares[i])
	}
}
