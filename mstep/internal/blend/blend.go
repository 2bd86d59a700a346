// Package blend explains noisy rows as mixtures of known rows, with weights of 0 or more: weighted least squares under a constraint of sign.
package blend

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// A Blend is K mixtures of J known rows of V cells.
type Blend struct {
	Known   blas32.General // J × V, not negative
	Weights []float64      // K × J, not negative
}

// New returns a blend of K mixtures, whose weights are 0 until Reset.
func New(known blas32.General, mixtures int) *Blend {
	return &Blend{known, make([]float64, mixtures*known.Rows)}
}

// Clone returns a copy with weights of its own.
func (b *Blend) Clone() *Blend { return &Blend{b.Known, slices.Clone(b.Weights)} }

// Reset makes the weights equal, with the given sum in each mixture.
func (b *Blend) Reset(total float64) {
	for i := range b.Weights {
		b.Weights[i] = total / float64(b.Known.Rows)
	}
}

// Loosen shares a part of each mixture's weight out among all known rows alike, so that a weight near 0 can come back.
func (b *Blend) Loosen(part float64) {
	for mixture := range slices.Chunk(b.Weights, b.Known.Rows) {
		total := 0.0
		for _, a := range mixture {
			total += a
		}
		for j := range mixture {
			mixture[j] = (1-part)*mixture[j] + part*total/float64(len(mixture))
		}
	}
}

// ModelError is κ of the variance τ² + κm² of a cell of expected size m: no mixture of known rows is exactly the truth.
const ModelError = 0.5

// Fit improves the weights by steps of multiplicative updates. With the mixtures m before, and noise of deviation τ on s, K × V, it lowers
//
//	Σ_v u_kv (s_kv − Σ_j a_kj d_jv)²/2 over a ≥ 0, with u = 1/(τ² + κm²).
//
// The gradient is d·(u∘m) + d·(u∘s⁻) − d·(u∘s⁺), with s = s⁺ − s⁻, so a ← a · d·(u∘s⁺) / d·(u∘(m + s⁻)): Lee and Seung (2001), equation 4, with
// weights, and the negative part of s on the side of m. It only adds a linear term to their auxiliary function, so no step raises the sum.
func (b *Blend) Fit(s []float32, tau float64, steps int) {
	known, cells := b.Known, len(s)
	m := b.Mixtures(known)
	u, side := make([]float32, cells), general(cells/known.Cols, known.Cols)
	for i, x := range m.Data {
		u[i] = float32(tau * tau / (tau*tau + ModelError*float64(x)*float64(x)))
		side.Data[i] = u[i] * max(s[i], 0)
	}
	pull, push := general(m.Rows, known.Rows), general(m.Rows, known.Rows)
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, side, known, 0, pull)
	for range steps {
		for i, x := range m.Data {
			side.Data[i] = u[i] * (x + max(-s[i], 0))
		}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, side, known, 0, push)
		for i, p := range push.Data {
			if p > 0 {
				b.Weights[i] = min(b.Weights[i]*float64(pull.Data[i]/p), math.MaxFloat32)
			}
		}
		m = b.Mixtures(known)
	}
}

// Mixtures returns the mixtures of other rows by the weights, K × V: as many as the known ones, but perhaps with more cells.
func (b *Blend) Mixtures(rows blas32.General) blas32.General {
	weights := general(len(b.Weights)/rows.Rows, rows.Rows)
	for i, a := range b.Weights {
		weights.Data[i] = float32(a)
	}
	m := general(weights.Rows, rows.Cols)
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, weights, rows, 0, m)
	return m
}

func general(rows, columns int) blas32.General {
	return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float32, rows*columns)}
}
