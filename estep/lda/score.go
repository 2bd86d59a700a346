package lda

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"privpipe/estep/latent"
	"privpipe/pipelines/wire"
)

// Score implements model.Scorer. With the parameters for a round it gives only the bound. The mean of the topics
// follows from lambda, which a model file has.
func (w *worker) Score(d *wire.Document) (*wire.Score, error) { return w.model.scores.Score(d, w) }

// Shares implements latent.Inference. It returns γ; its shares are the mean of θ under q.
func (w *worker) Shares(b latent.Bag) []float64 {
	w.counts = w.counts[:0]
	for _, c := range b.Counts {
		w.counts = append(w.counts, float32(c))
	}
	w.inference.run(b.IDs, w.counts, w.model.limits())
	return w.inference.gamma()
}

// Bound implements latent.Inference.
func (w *worker) Bound(b latent.Bag) float64 { return w.inference.bound(b.IDs) }

// bound returns the variational lower bound of log p(words | topics), in nats, for the document that f has just run.
// This is equation 1 of Hoffman, Blei and Bach 2010: the terms for one document with φ at its optimum,
//
//	Σ_i c_i log Σ_k exp(E[log θ_k] + E[log β_kwᵢ]) + Σ_k [(α − γ_k) E[log θ_k] + log Γ(γ_k) − log Γ(α)]
//	  + log Γ(Kα) − log Γ(Σ_k γ_k).
//
// Pruned topics have γ = α and share no word, so they add nothing.
func (f *inference) bound(ids []uint32) float64 {
	alpha := f.t.alpha
	total := 0.0
	for _, g := range f.gamma() {
		total += g
	}
	psiTotal := mathext.Digamma(total)
	bound := lgamma(float64(f.t.k)*alpha) - lgamma(total)
	lgammaAlpha := lgamma(alpha)
	theta, shift := make([]float64, f.m.Live()), math.Inf(-1) // log θ, up to ψ(Σγ), and the largest
	for j := range theta {
		g := float64(f.m.Gammas()[j])
		theta[j] = mathext.Digamma(g)
		shift = max(shift, theta[j])
		bound += (alpha-g)*(theta[j]-psiTotal) + lgamma(g) - lgammaAlpha
	}
	// For each word Σ_k exp(E[log θ_k] + E[log β_kwᵢ]), divided by exp(shift) and by the word's largest weight.
	likelihood := make([]float64, len(ids))
	for j, psi := range theta {
		weight := math.Exp(psi - shift)
		for i, beta := range f.m.Row(j) {
			likelihood[i] += weight * float64(beta)
		}
	}
	for i, c := range f.m.Counts() {
		scale := math.Log(max(float64(f.t.largest[ids[i]]), math.SmallestNonzeroFloat32))
		bound += float64(c) * (math.Log(likelihood[i]) + shift - psiTotal + scale)
	}
	return bound
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}
