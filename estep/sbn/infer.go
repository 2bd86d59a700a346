package sbn

import (
	"gonum.org/v1/gonum/floats"

	"privpipe/estep/row"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// infer computes q(z) and q(ξ) for one image by coordinate ascent, eq. 67 to 71 of Park et al. (2020), with the means
// of ψ for ξ. Each sweep updates ξ and then each hidden unit:
//
//	d_k = b_k + Σ_j [(y_j − ½ − ξ_j·ψ_j without unit k)·W_jk − ½·ξ_j·⟨W_jk²⟩], and ⟨z_k⟩ = σ(d_k).
func (w *worker) infer(d *wire.Document) {
	w.ids = wire.AppendIDs(w.ids[:0], d.WordGaps)
	copy(w.z, w.prior)
	copy(w.logits, w.Model.logits)
	for k, evidence := range w.fixed {
		weights := w.row(w.weights, k)
		for _, j := range w.ids {
			evidence += weights[j]
		}
		w.evidence[k] = evidence
	}
	for range w.options.Sweeps {
		for j, logit := range w.logits {
			w.xi[j] = model.PolyaGamma(1, logit)
		}
		for k := range w.z {
			w.set(k, row.Logistic(w.evidence[k]-w.pull(k)))
		}
	}
}

// set gives a hidden unit another mean.
func (w *worker) set(k int, z float64) {
	floats.AddScaled(w.logits, z-w.z[k], w.row(w.weights, k))
	w.z[k] = z
}

// pull returns Σ_j ξ_j·(E[W_jk]·ψ_j + E[W_jk²]/2), where ψ_j is without unit k: ψ_j − E[W_jk]·z_k. It computes four
// sums side by side, since a processor adds faster than it waits for an addition.
func (w *worker) pull(k int) float64 {
	n, z := w.pixels, w.z[k]
	weights, halves, xi, logits := w.row(w.weights, k)[:n], w.row(w.halves, k)[:n], w.xi[:n], w.logits[:n]
	var a, b, c, d float64
	for len(xi) >= 4 && len(logits) >= 4 && len(weights) >= 4 && len(halves) >= 4 {
		a += xi[0] * (weights[0]*(logits[0]-weights[0]*z) + halves[0])
		b += xi[1] * (weights[1]*(logits[1]-weights[1]*z) + halves[1])
		c += xi[2] * (weights[2]*(logits[2]-weights[2]*z) + halves[2])
		d += xi[3] * (weights[3]*(logits[3]-weights[3]*z) + halves[3])
		xi, logits, weights, halves = xi[4:], logits[4:], weights[4:], halves[4:]
	}
	for j, x := range xi {
		a += x * (weights[j]*(logits[j]-weights[j]*z) + halves[j])
	}
	return a + b + c + d
}
