package sbn

import (
	"errors"
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// A posterior has q(W), q(b) and q(c), and the means of the prior of W.
type posterior struct {
	weights, squares []float64 // E[W] and E[W²], one row for each hidden unit
	hidden, visible  []float64 // E[b] and E[c]
	hiddenSquares    []float64 // E[b²]
	shrinkage
}

// sums are the statistics, summed over all images.
type sums struct {
	averages map[string][]float64
	images   float64 // N

	// The values that noise may give to a cell of g, and to an eigenvalue of gzz, if without noise it is 0.
	floorG, floorGZZ float64
}

// maxParameter bounds weights and biases, whatever is released. A logit of 10³ is a probability of 0 or 1 in binary64.
const maxParameter = 1e3

// least is the smallest eigenvalue of Z_j relative to the largest. A smaller one would be lost in rounding.
const least = 1e-12

// update updates W, b, c and the prior of W, in this order (Park et al. 2020, App. 5). The very first update begins
// with random weights and c = 0.
func (q *posterior) update(s *sums, o *Options) error {
	if err := q.updateWeights(s, o.Point); err != nil {
		return err
	}
	q.updateHidden(s, o)
	q.updateVisible(s, o)
	q.shrinkage.update(q.squares)
	return nil
}

// updateWeights is eq. 85. For each pixel Σ = (Z_j + diag E[1/ζ_j])⁻¹ and μ = Σ·(YZ_j − ½·Z − E[c_j]·GZ_j), where Z_j
// is the matrix from row j of gzz.
func (q *posterior) updateWeights(s *sums, point bool) error {
	var group sync.WaitGroup
	failed := make([]bool, q.pixels)
	workers := min(q.pixels, runtime.GOMAXPROCS(0))
	for first := range workers {
		group.Go(func() {
			defer exit.Guard()
			for j := first; j < q.pixels; j += workers {
				failed[j] = !q.updatePixel(j, s, point)
			}
		})
	}
	group.Wait()
	for _, f := range failed {
		if f {
			return errors.New("the equations of the weights have no solution")
		}
	}
	return nil
}

func (q *posterior) updatePixel(j int, s *sums, point bool) bool {
	n := q.units
	precision, ok := project(n, s.averages[families.GZZ][j*n*(n+1)/2:], s.floorGZZ)
	if !ok {
		return false
	}
	linear := mat.NewVecDense(n, nil)
	z, gz, yz := s.averages[families.Z], s.averages[families.GZ][j*n:], s.averages[families.YZ][j*n:]
	for k := range n {
		precision.SetSym(k, k, precision.At(k, k)+q.precisions[k*q.pixels+j])
		linear.SetVec(k, yz[k]-z[k]/2-q.visible[j]*gz[k])
	}
	var factor mat.Cholesky
	if !factor.Factorize(precision) {
		return false
	}
	var mean mat.VecDense
	var covariance mat.SymDense
	// An error means only that the matrix is nearly singular.
	_ = factor.SolveVecTo(&mean, linear)
	if !point {
		_ = factor.InverseTo(&covariance)
	}
	for k := range n {
		w := bounded(mean.AtVec(k))
		square := w * w
		if !point {
			square += min(max(0, covariance.At(k, k)), maxParameter)
		}
		q.weights[k*q.pixels+j], q.squares[k*q.pixels+j] = w, square
	}
	return true
}

// project returns the symmetric n × n matrix with this triangle, given row by row. Its eigenvalues are raised to at
// least floor. Without noise they are not negative.
func project(n int, triangle []float64, floor float64) (*mat.SymDense, bool) {
	full := mat.NewSymDense(n, nil)
	for k := range n {
		for l := k; l < n; l++ {
			full.SetSym(k, l, triangle[0])
			triangle = triangle[1:]
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(full, true) {
		return nil, false
	}
	values := eigen.Values(nil) // ascending
	floor = max(floor, least*values[n-1])
	if values[0] >= floor {
		return full, true
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for c, v := range values {
		root := math.Sqrt(max(v, floor))
		for r := range n {
			vectors.Set(r, c, vectors.At(r, c)*root)
		}
	}
	full = new(mat.SymDense)
	full.SymOuterK(1, &vectors)
	return full, true
}

// updateHidden is eq. 86, with ξ_k ~ PG(1, √E[b_k²]) for each image.
func (q *posterior) updateHidden(s *sums, o *Options) {
	for k, z := range s.averages[families.Z] {
		variance := 1 / (1/o.NuB + s.images*model.PolyaGamma(1, math.Sqrt(q.hiddenSquares[k])))
		q.hidden[k] = bounded(variance * (z - s.images/2))
		q.hiddenSquares[k] = q.hidden[k] * q.hidden[k]
		if !o.Point {
			q.hiddenSquares[k] += variance
		}
	}
}

// updateVisible is eq. 88. The last sum has coefficient 1: its ½ in the paper's text is no part of the exponent.
func (q *posterior) updateVisible(s *sums, o *Options) {
	for j, y := range s.averages[families.Y] {
		linear := y - s.images/2
		for k := range q.hidden {
			linear -= s.averages[families.GZ][j*q.units+k] * q.weights[k*q.pixels+j]
		}
		q.visible[j] = bounded(linear / (1/o.NuC + max(s.floorG, s.averages[families.G][j])))
	}
}

// bounded clamps a parameter to ±maxParameter. NaN, where sums overflowed, becomes 0.
func bounded(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, -maxParameter), maxParameter)
}
