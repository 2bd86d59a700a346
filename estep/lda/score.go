package lda

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"privpipe/estep/score"
	"privpipe/pipelines/wire"
)

// Score implements model.Scorer. The parameters of a round give the bound alone: the mean of the topics follows from lambda, which a
// model file has.
func (w *worker) Score(d *wire.Document) (*wire.Score, error) { return w.model.scores.Score(d, w) }

// Shares implements score.Inference: γ, whose shares are the mean of θ under q.
func (w *worker) Shares(b score.Bag) []float64 {
	w.counts = w.counts[:0]
	for _, c := range b.Counts {
		w.counts = append(w.counts, float32(c))
	}
	w.inference.run(b.IDs, w.counts, w.model.limits())
	return w.inference.gamma
}

// Bound implements score.Inference.
func (w *worker) Bound(b score.Bag) float64 { return w.inference.bound(b.IDs) }

// bound returns the variational lower bound of log p(words of the document that f has just run | topics), in nats:
// Hoffman, Blei and Bach 2010, equation 1, the terms of one document with φ at its optimum,
//
//	Σ_i c_i log Σ_k exp(E[log θ_k] + E[log β_kwᵢ]) + Σ_k [(α − γ_k) E[log θ_k] + log Γ(γ_k) − log Γ(α)]
//	  + log Γ(Kα) − log Γ(Σ_k γ_k).
//
// Pruned topics have γ = α and share no word, so they add nothing.
func (f *inference) bound(ids []uint32) float64 {
	alpha := f.t.alpha
	total := 0.0
	for _, g := range f.gamma {
		total += g
	}
	psiTotal := mathext.Digamma(total)
	bound := lgamma(float64(f.t.k)*alpha) - lgamma(total)
	lgammaAlpha := lgamma(alpha)
	for _, k := range f.active {
		g := f.gamma[k]
		bound += (alpha-g)*(mathext.Digamma(g)-psiTotal) + lgamma(g) - lgammaAlpha
	}
	for i, c := range f.counts {
		sum := 0.0
		for j := range f.active {
			sum += f.exact[j] * float64(f.beta[j][i])
		}
		bound += float64(c) * (math.Log(sum) + f.shift - psiTotal + f.t.scale[ids[i]])
	}
	return bound
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}
