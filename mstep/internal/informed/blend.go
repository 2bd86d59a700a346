package informed

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
)

// A blend explains noisy rows as mixtures of known rows with non-negative weights, by weighted least squares. It has K
// mixtures of J known rows with V cells. All numbers are at least 0.
type blend struct {
	Known   pair      // J × V, and its transpose
	Rows    []float64 // J factors of the known rows; nil: 1
	Columns []float32 // V factors of the known columns; nil: 1
	Weights []float64 // K × J
}

// newBlend returns a blend with K mixtures. The weights are 0 until Reset.
func newBlend(known blas32.General, mixtures int) *blend {
	return &blend{Known: newPair(known), Weights: make([]float64, mixtures*known.Rows)}
}

// Clone returns a copy with its own weights.
func (b *blend) Clone() *blend {
	c := *b
	c.Weights = slices.Clone(b.Weights)
	return &c
}

// Reset makes the weights equal, with the given sum in each mixture.
func (b *blend) Reset(total float64) {
	for i := range b.Weights {
		b.Weights[i] = total / float64(b.Known.Matrix.Rows)
	}
}

// Loosen takes a part of each mixture's weight and shares it equally among all known rows, so that a weight near 0 can
// come back.
func (b *blend) Loosen(part float64) {
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

// modelError is κ in the variance τ² + κm² for cells with expected size m. The term κm² is there because no mixture of
// known rows is exactly the truth.
const modelError = 0.5

// Fit improves the weights by multiplicative updates. m are the mixtures before, and s is K × V with noise of deviation
// τ. Fit lowers
//
//	Σ_v u_kv (s_kv − Σ_j a_kj d_jv)²/2 over a ≥ 0, with u = 1/(τ² + κm²).
//
// The gradient is d·(u∘m) + d·(u∘s⁻) − d·(u∘s⁺), with s = s⁺ − s⁻. So a ← a · d·(u∘s⁺) / d·(u∘(m + s⁻)). This is
// equation 4 of Lee and Seung (2001) with weights, and with the negative part of s on the side of m. The negative part
// only adds a linear term to their auxiliary function, so no step raises the sum.
func (b *blend) Fit(s []float32, tau float64, steps int) {
	m := b.Mixtures(b.Known.Matrix, b.Columns)
	u, side := make([]float32, len(s)), zeros(m.Rows, m.Cols)
	for i, x := range m.Data {
		u[i] = float32(tau * tau / (tau*tau + modelError*float64(x)*float64(x)))
		side.Data[i] = u[i] * max(s[i], 0)
	}
	multiplyColumns(side, b.Columns)
	pull := product(side, b.Known.Transpose) // without the row factors, which cancel
	for step := range steps {
		if step > 0 {
			m = b.Mixtures(b.Known.Matrix, b.Columns)
		}
		for i, x := range m.Data {
			side.Data[i] = u[i] * (x + max(-s[i], 0))
		}
		multiplyColumns(side, b.Columns)
		for i, p := range product(side, b.Known.Transpose).Data {
			if p > 0 {
				b.Weights[i] = min(b.Weights[i]*float64(pull.Data[i]/p), math.MaxFloat32)
			}
		}
	}
}

// Mixtures returns the mixtures of other rows by the weights, K × V, with factors for their columns. There are as many
// rows as known rows. They may have more cells.
func (b *blend) Mixtures(rows *factor, columns []float32) blas32.General {
	weights := zeros(len(b.Weights)/rows.Rows, rows.Rows)
	for i, a := range b.Weights {
		if b.Rows != nil {
			a *= b.Rows[i%rows.Rows]
		}
		weights.Data[i] = float32(a)
	}
	m := product(weights, rows)
	multiplyColumns(m, columns)
	return m
}

// multiplyColumns multiplies the columns of m by factors.
func multiplyColumns(m blas32.General, factors []float32) {
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
