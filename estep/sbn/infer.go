package sbn

import (
	"privpipe/estep/row"
	"privpipe/pipelines/polyagamma"
	"privpipe/pipelines/wire"
)

// infer computes q(z) and q(ξ) of an image by coordinate ascent, eq. 67 to 71 of Park et al. (2020), with the means of ψ for ξ. Each sweep
// updates ξ and then each hidden unit:
//
//	d_k = b_k + Σ_j [(y_j − ½ − ξ_j·ψ_j without unit k)·W_jk − ½·ξ_j·⟨W_jk²⟩], and ⟨z_k⟩ = σ(d_k).
func (w *worker) infer(d *wire.Document) {
	w.ids = wire.AppendIDs(w.ids[:0], d.WordGaps)
	copy(w.z, w.prior)
	copy(w.logits, w.Model.logits)
	for range w.options.Sweeps {
		for j, logit := range w.logits {
			w.xi[j] = polyagamma.Mean(1, logit)
		}
		for k, z := range w.z {
			logit := w.biases[k]
			weights := w.row(w.weights, k)
			for _, j := range w.ids {
				logit += weights[j]
			}
			linear, square, moment := w.quadratic(k)
			// ψ without unit k is ψ − W_k·z_k.
			w.set(k, row.Logistic(logit-linear+z*square-moment/2))
		}
	}
}

// set gives a hidden unit another mean.
func (w *worker) set(k int, z float64) {
	add(w.logits, z-w.z[k], w.row(w.weights, k))
	w.z[k] = z
}

// quadratic returns Σ_j W_jk·(½ + ξ_j·ψ_j), Σ_j ξ_j·E[W_jk]² and Σ_j ξ_j·E[W_jk²]. Two sums of each run side by side, since a processor adds
// faster than it waits for an addition.
func (w *worker) quadratic(k int) (linear, square, moment float64) {
	n := w.pixels
	weights, squares, moments := w.row(w.weights, k)[:n], w.row(w.squares, k)[:n], w.row(w.moments, k)[:n]
	xi, logits := w.xi[:n], w.logits[:n]
	var linear2, square2, moment2 float64
	for j := 0; j+1 < n; j += 2 {
		linear += weights[j] * (0.5 + xi[j]*logits[j])
		square += xi[j] * squares[j]
		moment += xi[j] * moments[j]
		linear2 += weights[j+1] * (0.5 + xi[j+1]*logits[j+1])
		square2 += xi[j+1] * squares[j+1]
		moment2 += xi[j+1] * moments[j+1]
	}
	if j := n - 1; n%2 == 1 {
		linear += weights[j] * (0.5 + xi[j]*logits[j])
		square += xi[j] * squares[j]
		moment += xi[j] * moments[j]
	}
	return linear + linear2, square + square2, moment + moment2
}
