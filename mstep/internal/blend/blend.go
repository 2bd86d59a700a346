// Package blend explains noisy rows as mixtures of known rows, with weights of 0 or more: weighted least squares under a constraint of sign.
package blend

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"privpipe/mstep/internal/product"
)

// A Blend is K mixtures of J known rows of V cells. All numbers are 0 or more.
type Blend struct {
	Known   product.Pair // J × V, and its transpose
	Rows    []float64    // J factors of the known rows; nil: 1
	Columns []float32    // V factors of the known columns; nil: 1
	Weights []float64    // K × J
}

// New returns a blend of K mixtures, whose weights are 0 until Reset.
func New(known blas32.General, mixtures int) *Blend {
	return &Blend{Known: product.Both(known), Weights: make([]float64, mixtures*known.Rows)}
}

// Clone returns a copy with weights of its own.
func (b *Blend) Clone() *Blend {
	c := *b
	c.Weights = slices.Clone(b.Weights)
	return &c
}

// Reset makes the weights equal, with the given sum in each mixture.
func (b *Blend) Reset(total float64) {
	for i := range b.Weights {
		b.Weights[i] = total / float64(b.Known.Matrix.Rows)
	}
}

// Loosen shares a part of each mixture's weight out among all known rows alike, so that a weight near 0 can come back.
func (b *Blend) Loosen(part float64) {
	for mixture := range slices.Chunk(b.Weights, b.Known.Matrix.Rows) {
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
	m := b.Mixtures(b.Known.Matrix, b.Columns)
	u, side := make([]float32, len(s)), product.Zeros(m.Rows, m.Cols)
	for i, x := range m.Data {
		u[i] = float32(tau * tau / (tau*tau + ModelError*float64(x)*float64(x)))
		side.Data[i] = u[i] * max(s[i], 0)
	}
	multiply(side, b.Columns)
	pull := product.Of(side, b.Known.Transpose) // without the factors of rows, which cancel
	for step := range steps {
		if step > 0 {
			m = b.Mixtures(b.Known.Matrix, b.Columns)
		}
		for i, x := range m.Data {
			side.Data[i] = u[i] * (x + max(-s[i], 0))
		}
		multiply(side, b.Columns)
		for i, p := range product.Of(side, b.Known.Transpose).Data {
			if p > 0 {
				b.Weights[i] = min(b.Weights[i]*float64(pull.Data[i]/p), math.MaxFloat32)
			}
		}
	}
}

// Mixtures returns the mixtures of other rows by the weights, K × V, with factors of their columns. There are as many
// rows as known rows, but perhaps with more cells.
func (b *Blend) Mixtures(rows *product.Factor, columns []float32) blas32.General {
	weights := product.Zeros(len(b.Weights)/rows.Rows, rows.Rows)
	for i, a := range b.Weights {
		if b.Rows != nil {
			a *= b.Rows[i%rows.Rows]
		}
		weights.Data[i] = float32(a)
	}
	m := product.Of(weights, rows)
	multiply(m, columns)
	return m
}

// multiply multiplies the columns of m by factors.
func multiply(m blas32.General, factors []float32) {
	if factors == nil {
		return
	}
	for at := 0; at < len(m.Data); at += m.Cols {
		row := m.Data[at : at+m.Cols]
		for v, f := range factors {
			row[v] *= f
		}
	}
}
