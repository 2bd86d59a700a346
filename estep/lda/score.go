package lda

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

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

// split assigns each token of a document by a coin to the observed half or to the predicted half, for document completion
// (Wallach et al., Evaluation Methods for Topic Models, ICML 2009, §5.1; Rosen-Zvi et al. 2004). The document's words and counts
// seed the coins, so that its score is the same under every id. (A score is no contribution, and no ε covers it.)
func split(d *wire.Document, ids []uint32) (seen, hidden bag) {
	coins := (&model.Coins{Document: d}).Public("lda half")
	for i, c := range d.Counts {
		s := uint32(0)
		for range c {
			s += uint32(coins.Uint64() >> 63)
		}
		seen.add(ids[i], s)
		hidden.add(ids[i], c-s)
	}
	return seen, hidden
}

// bag is a bag of words in the form that inference takes.
type bag struct {
	ids    []uint32
	counts []float32
	tokens uint64
}

func (b *bag) add(id, count uint32) {
	if count > 0 {
		b.ids = append(b.ids, id)
		b.counts = append(b.counts, float32(count))
		b.tokens += uint64(count)
	}
}

// predict returns log p(words of b) under the mean of θ that f has just found and the mean topics, mean_kv = mean[v·K+k].
func (f *inference) predict(b bag, mean []float64) float64 {
	total := 0.0
	for _, g := range f.gamma {
		total += g
	}
	sum := 0.0
	for i, id := range b.ids {
		p := 0.0
		for k, m := range mean[int(id)*f.t.k : (int(id)+1)*f.t.k] {
			p += f.gamma[k] * m
		}
		sum += float64(b.counts[i]) * math.Log(p/total)
	}
	return sum
}
