package blr

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A prior is w ~ N(0, I/α), α ~ Gamma(shape, rate).
type prior struct{ shape, rate float64 }

// A posterior is q(w) and the mean of q(α).
type posterior struct {
	mean      []float64 // E[w]
	moments   []float64 // E[w·wᵀ], V × V row by row
	precision float64   // E[α]
}

// leastPrecision keeps the posterior finite, whatever is released: weights have a prior deviation of at most 10⁶.
const leastPrecision = 1e-12

// The fixed point of the precision: a change below tolerance ends the iteration, which mostly takes some ten steps.
const (
	tolerance     = 1e-10
	maxIterations = 1000
)

// solve returns the posterior for the sums s1 and s2 (Park et al. 2020, eq. 53 and 54): Λ = E[α]·I + S2, w ~ N(Λ⁻¹·S1, Λ⁻¹). Both updates
// are repeated until the precision is at its fixed point, from the prior's mean on. Without noise S2 is positive semidefinite; raise
// replaces its noisy eigenvalues, before the precision is computed from them: E[α] would run away to 0 where Λ is almost singular. With a
// point mass q(w) has no variance, which is expectation maximisation (App. 6).
func solve(s1, s2 []float64, p prior, raise func(float64) float64, point bool) (*posterior, error) {
	n := len(s1)
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, s2), true) {
		return nil, errors.New("the eigenvalues of s2 were not found")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	for i, v := range values {
		values[i] = raise(v)
	}
	var rotated mat.VecDense // S1 in the coordinates of the eigenvectors
	rotated.MulVec(vectors.T(), mat.NewVecDense(n, s1))

	alpha := precision(values, rotated.RawVector().Data, p, point)
	scaled := mat.NewDense(n, n, nil) // eigenvectors, divided by the roots of Λ's eigenvalues
	for i, v := range values {
		rotated.SetVec(i, rotated.AtVec(i)/(alpha+v))
		root := math.Sqrt(alpha + v)
		for r := range n {
			scaled.Set(r, i, vectors.At(r, i)/root)
		}
	}
	var mean mat.VecDense
	mean.MulVec(&vectors, &rotated)
	var moments mat.SymDense
	if point {
		moments = *mat.NewSymDense(n, nil)
	} else {
		moments.SymOuterK(1, scaled)
	}
	moments.SymRankOne(&moments, 1, &mean)
	q := &posterior{mean: mean.RawVector().Data, moments: make([]float64, n*n), precision: alpha}
	for r := range n {
		for c := range n {
			q.moments[r*n+c] = moments.At(r, c)
		}
	}
	return q, nil
}

// precision returns the fixed point of E[α] = (a0 + V/2) / (b0 + ½·(μᵀμ + tr Σ)), for the eigenvalues of S2 and S1 in their coordinates.
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
