// Package loglinear corrects expected sizes by features of their columns: m_kv ← m_kv exp(f_v·w_k), with w_k small.
package loglinear

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Options are the settings of a fit.
type Options struct {
	Ridge      float64 // λ of the penalty λ|w|²/2
	ModelError float64 // κ of the variance τ² + κm² of a cell
	Steps      int     // of conjugate gradients
}

// Fit returns w, K × P, by one Gauss–Newton step from w = 0 for
//
//	Σ_v (s_kv − m_kv exp(f_v·w_k))² / (2(τ² + κm_kv²)) + λ|w_k|²/2.
//
// With residuals r = s − m, Jacobian mf and weights u = 1/(τ² + κm²), it solves (fᵀ(um²)f + λ)w = fᵀ(umr) by conjugate gradients (Hestenes and
// Stiefel 1952), for all rows k side by side. m and s are K × V, and features is P × V.
func Fit(m, s []float32, features blas32.General, tau float64, o Options) blas32.General {
	p, v := features.Rows, features.Cols
	k := len(m) / v
	curvature, cells := make([]float32, k*v), general(k, v)
	for i, x := range m {
		u := 1 / (tau*tau + o.ModelError*float64(x)*float64(x))
		curvature[i] = float32(u * float64(x) * float64(x))
		cells.Data[i] = float32(u * float64(x) * float64(s[i]-x))
	}
	w, residual, direction, product := general(k, p), general(k, p), general(k, p), general(k, p)
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, cells, features, 0, residual)
	copy(direction.Data, residual.Data)
	for range o.Steps {
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, direction, features, 0, cells)
		for i, c := range curvature {
			cells.Data[i] *= c
		}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, cells, features, 0, product)
		for row := range k {
			at := func(x blas32.General) []float32 { return x.Data[row*p : (row+1)*p] }
			step(at(w), at(residual), at(direction), at(product), o.Ridge)
		}
	}
	return w
}

// step is one step of conjugate gradients, where product is the direction times the matrix without the ridge.
func step(w, residual, direction, product []float32, ridge float64) {
	before, curved, after := 0.0, 0.0, 0.0
	for i, d := range direction {
		product[i] += float32(ridge) * d
		before += float64(residual[i]) * float64(residual[i])
		curved += float64(d) * float64(product[i])
	}
	if !(curved > 0) { // solved
		return
	}
	length := float32(before / curved)
	for i, d := range direction {
		w[i] += length * d
		residual[i] -= length * product[i]
		after += float64(residual[i]) * float64(residual[i])
	}
	for i := range direction {
		direction[i] = residual[i] + float32(after/before)*direction[i]
	}
}

// most bounds the logarithm of a correction.
const most = 3

// Correct multiplies m, K × V, by exp(f·w).
func Correct(m []float32, features, w blas32.General) {
	cells := general(w.Rows, features.Cols)
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, w, features, 0, cells)
	for i, x := range cells.Data {
		m[i] *= float32(math.Exp(float64(min(max(x, -most), most))))
	}
}

func general(rows, columns int) blas32.General {
	return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float32, rows*columns)}
}
