package informed

import (
	"math"

	"gonum.org/v1/gonum/blas/blas32"
)

// logLinear are the settings of a fit that corrects expected sizes by features of their columns:
// m_kv ← m_kv exp(f_v·w_k), with w_k small.
type logLinear struct {
	Ridge      float64 // λ in the penalty λ|w|²/2
	ModelError float64 // κ in each cell's variance τ² + κm²
	Steps      int     // steps of conjugate gradients
}

// fitLogLinear returns w, K × P. It makes one Gauss–Newton step from w = 0 for
//
//	Σ_v (s_kv − m_kv exp(f_v·w_k))² / (2(τ² + κm_kv²)) + λ|w_k|²/2.
//
// The residuals are r = s − m, the Jacobian is mf and the weights are u = 1/(τ² + κm²). fitLogLinear solves (fᵀ(um²)f
// + λ)w = fᵀ(umr) by conjugate gradients (Hestenes and Stiefel 1952), for all rows k side by side. m and s are K × V,
// and features are P × V, with their transpose.
func fitLogLinear(m, s []float32, features pair, tau float64, o logLinear) blas32.General {
	p, v := features.Matrix.Rows, features.Matrix.Columns
	k := len(m) / v
	curvature, cells := make([]float32, k*v), zeros(k, v)
	for i, x := range m {
		u := 1 / (tau*tau + o.ModelError*float64(x)*float64(x))
		curvature[i] = float32(u * float64(x) * float64(x))
		cells.Data[i] = float32(u * float64(x) * float64(s[i]-x))
	}
	w, direction, residual := zeros(k, p), zeros(k, p), product(cells, features.Transpose)
	copy(direction.Data, residual.Data)
	for range o.Steps {
		logs := product(direction, features.Matrix)
		for i, c := range curvature {
			logs.Data[i] *= c
		}
		image := product(logs, features.Transpose)
		for row := range k {
			at := func(x blas32.General) []float32 { return x.Data[row*p : (row+1)*p] }
			conjugateStep(at(w), at(residual), at(direction), at(image), o.Ridge)
		}
	}
	return w
}

// conjugateStep is one step of conjugate gradients. image is the direction times the matrix without the ridge.
func conjugateStep(w, residual, direction, image []float32, ridge float64) {
	before, curved, after := 0.0, 0.0, 0.0
	for i, d := range direction {
		image[i] += float32(ridge) * d
		before += float64(residual[i]) * float64(residual[i])
		curved += float64(d) * float64(image[i])
	}
	if !(curved > 0) { // solved
		return
	}
	length := float32(before / curved)
	for i, d := range direction {
		w[i] += length * d
		residual[i] -= length * image[i]
		after += float64(residual[i]) * float64(residual[i])
	}
	for i := range direction {
		direction[i] = residual[i] + float32(after/before)*direction[i]
	}
}

// mostCorrection bounds a correction's logarithm.
const mostCorrection = 3

// correct multiplies m, K × V, by exp(f·w).
func correct(m []float32, features *factor, w blas32.General) {
	for i, x := range product(w, features).Data {
		m[i] *= float32(math.Exp(float64(min(max(x, -mostCorrection), mostCorrection))))
	}
}
