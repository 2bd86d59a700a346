package sbn

import (
	"math"
)

// A shrinkage has the means of the variables in the weights' prior, the three parameter beta normal prior (Park et al.
// 2020, §7 and App. 5):
//
//	W_jk ~ N(0, ζ_jk), ζ_jk ~ Gamma(½, ξ_jk), ξ_jk ~ Gamma(½, φ_k), φ_k ~ Gamma(½, ω), ω ~ Gamma(½, 1)
//
// Gamma has its shape and its rate.
// It depends only on public settings and released numbers.
type shrinkage struct {
	pixels, units int
	precisions    []float64 // E[1/ζ], one row for each hidden unit
	rates         []float64 // E[ξ], likewise
	scales        []float64 // E[φ] for each hidden unit
	top           float64   // E[ω]
}

// newShrinkage returns the initial values, except for ζ.
func newShrinkage(pixels, hidden int) shrinkage {
	s := shrinkage{
		pixels: pixels, units: hidden, precisions: make([]float64, hidden*pixels),
		rates:  make([]float64, hidden*pixels),
		scales: make([]float64, hidden), top: 0.5,
	}
	for i := range s.rates {
		s.rates[i] = 0.5
	}
	for k := range s.scales {
		s.scales[k] = 1
	}
	return s
}

// leastSquare keeps E[1/ζ] finite where a weight is 0.
const leastSquare = 1e-12

// updateZeta updates q(ζ) from E[W²], and returns E[ζ].
func (s *shrinkage) updateZeta(squares []float64) []float64 {
	zeta := make([]float64, len(squares))
	for i, square := range squares {
		zeta[i], s.precisions[i] = inverseGaussian(2*s.rates[i], max(leastSquare, square))
	}
	return zeta
}

// update updates all variables in the order of App. 5: ζ, ξ, φ, ω.
func (s *shrinkage) update(squares []float64) {
	sum := 0.0
	zeta := s.updateZeta(squares)
	for k, scale := range s.scales {
		rates := 0.0
		for i := k * s.pixels; i < (k+1)*s.pixels; i++ {
			s.rates[i] = 1 / (zeta[i] + scale)
			rates += s.rates[i]
		}
		s.scales[k] = (float64(s.pixels)/2 + 0.5) / (s.top + rates)
		sum += s.scales[k]
	}
	s.top = (float64(s.units)/2 + 0.5) / (1 + sum)
}

// inverseGaussian returns E[x] and E[1/x] for the generalised inverse Gaussian distribution GIG(0, a, b). Its density
// is ∝ x⁻¹·exp(−(ax + b/x)/2) (Jørgensen, Statistical Properties of the Generalized Inverse Gaussian Distribution,
// 1982, eq. 2.9; K₋₁ = K₁).
func inverseGaussian(a, b float64) (mean, inverse float64) {
	k0, k1 := scaledK(math.Sqrt(a) * math.Sqrt(b))
	ratio := k1 / k0
	return math.Sqrt(b/a) * ratio, math.Sqrt(a/b) * ratio
}
