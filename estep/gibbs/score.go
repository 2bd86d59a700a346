package gibbs

import (
	"errors"
	"math/rand/v2"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// A chain samples the topics of held-out words under a model. Public coins of the document's words drive the chain, so
// a document has the same score under every id. (A score is no contribution, and no ε covers it.)
type chain struct {
	*sampler
	sweeps, burnIn int
	coins          *rand.Rand
}

func (w *worker) chain(d *wire.Document) *chain {
	return &chain{w.sampler, w.options.Sweeps, w.options.BurnIn, (&model.Coins{Document: d}).Public("gibbs chain")}
}

// Shares implements latent.Inference. It returns the mean of (n_k + α) / (N + Kα) over the sweeps after the burn-in.
// The mean estimates the posterior mean of θ.
func (c *chain) Shares(b latent.Bag) []float64 {
	c.begin(b.IDs, b.Counts)
	c.start(c.coins)
	shares := make([]float64, c.w.k)
	for sweep := range c.sweeps {
		c.sweep(c.coins, false)
		if sweep < c.burnIn {
			continue
		}
		for _, topic := range c.topics {
			shares[topic]++
		}
	}
	kept, tokens := float64(c.sweeps-c.burnIn), float64(len(c.topics))
	for k, n := range shares {
		shares[k] = (n/kept + c.w.alpha) / (tokens + float64(c.w.k)*c.w.alpha)
	}
	return shares
}

// Bound implements latent.Inference. Sampling gives no bound.
func (c *chain) Bound(latent.Bag) float64 { return 0 }

// Score implements model.Scorer.
func (w *worker) Score(d *wire.Document) (*wire.Score, error) {
	if !w.topics.HasMean() {
		return nil, errors.New("parameters have no matrix lambda: estep gibbs --score needs a model file")
	}
	return w.topics.Score(d, w.chain(d))
}

// Infer implements model.Inferrer.
func (w *worker) Infer(d *wire.Document) ([]float64, error) {
	return w.chain(d).Shares(latent.BagOf(d)), nil
}
