package blr

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"privpipe/mstep/internal/denoise"
)

// A prior is w ~ N(0, I/α), α ~ Gamma(shape, rate).
type prior struct{ shape, rate float64 }

// A posterior is q(w) and the mean of q(α).
type posterior struct {
	mean      []float64 // E[w]
	moments   []float64 // E[w·wᵀ], V × V row by row
	precision float64   // E[α]
}

// leastPrecision keeps the posterior finite, whatever is released. Weights have a prior deviation of at most 10⁶.
const leastPrecision = 1e-12

// The precision is found as a fixed point. A change below tolerance ends the iteration, mostly after some ten steps.
const (
	tolerance     = 1e-10
	maxIterations = 1000
)

// solve returns the posterior for the sums s1 and s2 (Park et al. 2020, eq. 53 and 54): Λ = E[α]·I + S2, w ~ N(Λ⁻¹·S1,
// Λ⁻¹). It starts from the prior's mean and repeats both updates until the precision is at its fixed point. Without
// noise S2 is positive semidefinite. raise replaces its noisy eigenvalues before the precision is computed from them.
// Otherwise E[α] would run away to 0 where Λ is almost singular. With a point mass q(w) has no variance, which is
// expectation maximisation (App. 6).
func solve(s1, s2 []float64, p prior, raise func(float64) float64, point bool) (*posterior, error) {
	n := len(s1)
	eigen, err := denoise.NewSpectrum(s2, n)
	if err != nil {
		return nil, err
	}
	for i, v := range eigen.Values {
		eigen.Values[i] = raise(v)
	}
	rotated := eigen.Rotate(s1)
	alpha := precision(eigen.Values, rotated, p, point)
	variances := make([]float64, n) // of w, along each eigenvector
	for i, v := range eigen.Values {
		rotated[i] /= alpha + v
		if !point {
			variances[i] = 1 / (alpha + v)
		}
	}
	mean := eigen.Back(rotated)
	moments := eigen.Matrix(variances)
	moments.SymRankOne(moments, 1, mat.NewVecDense(n, mean))
	return &posterior{mean: mean, moments: denoise.Cells(moments), precision: alpha}, nil
}

// precision returns the fixed point of E[α] = (a0 + V/2) / (b0 + ½·(μᵀμ + tr Σ)). values has the eigenvalues of S2, and
// rotated has S1 in the coordinates of the eigenvectors.
func precision(values, rotated []float64, p prior, point bool) float64 {
	alpha := p.shape / p.rate
	for range maxIterations {
		square := 0.0
		for i, v := range values {
			mean := rotated[i] / (alpha + v)
			square += mean * mean
			if !point {
				square += 1 / (alpha + v)
			}
		}
		next := max(leastPrecision, (p.shape+float64(len(values))/2)/(p.rate+square/2))
		done := math.Abs(next-alpha) <= tolerance*alpha
		alpha = next
		if done {
			break
		}
	}
	return alpha
}
