// Package mixture is the E-step of Bernoulli mixtures: a document goes to one cluster, which is drawn by the document's
// posterior.
package mixture

import (
	"math"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/mixture"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Model implements model.EStep.
type Model struct {
	size   model.Size
	base   []float64 // for each cluster: log π_k + Σ_v log(1 − μ_kv)
	logits []float64 // K × V: log μ_kv − log(1 − μ_kv)
}

// Settings implements model.EStep.
func (m *Model) Settings() any { return nil }

// SetParameters implements model.EStep.
func (m *Model) SetParameters(set *stream.Set, size model.Size) error {
	shares, err := mixture.Shares.Of(set, size)
	if err != nil {
		return err
	}
	chance, err := mixture.Chance.Of(set, size)
	if err != nil {
		return err
	}
	m.size, m.base, m.logits = size, make([]float64, size.Components), make([]float64, len(chance))
	for k := range m.base {
		m.base[k] = math.Log(shares[k])
		for v := range size.Words {
			mu := min(chance[k*size.Words+v], 1-1e-9)
			m.base[k] += math.Log1p(-mu)
			m.logits[k*size.Words+v] = math.Log(mu) - math.Log1p(-mu)
		}
	}
	return nil
}

// NewWorker implements model.EStep.
func (m *Model) NewWorker() model.Worker { return worker{m} }

type worker struct{ *Model }

// posterior returns the probability of each cluster for a document with the given words.
func (w worker) posterior(words []uint32) []float64 {
	p := make([]float64, w.size.Components)
	most := math.Inf(-1)
	for k := range p {
		p[k] = w.base[k]
		for _, v := range words {
			p[k] += w.logits[k*w.size.Words+int(v)]
		}
		most = max(most, p[k])
	}
	total := 0.0
	for k := range p {
		p[k] = math.Exp(p[k] - most)
		total += p[k]
	}
	for k := range p {
		p[k] /= total
	}
	return p
}

// Contribute implements model.Worker.
func (w worker) Contribute(d *wire.Document, coins *model.Coins) ([]*wire.Part, error) {
	words := wire.AppendIDs(nil, d.WordGaps)
	if len(words) == 0 {
		return nil, nil
	}
	cluster, err := draw(w.posterior(words), coins)
	if err != nil {
		return nil, err
	}
	return parts(cluster, words), nil
}

// ContributeAfter implements model.Stateful: a document stays in its cluster by a coin, which damps the first rounds.
func (w worker) ContributeAfter(d *wire.Document, last []*wire.Part, coins *model.Coins) ([]*wire.Part, error) {
	random, err := coins.Secret("stay")
	if err != nil {
		return nil, err
	}
	if len(last) > 0 && random.Float64() < 0.25 {
		return last, nil
	}
	return w.Contribute(d, coins)
}

// draw draws a cluster by the probabilities p.
func draw(p []float64, coins *model.Coins) (uint32, error) {
	random, err := coins.Secret("cluster")
	if err != nil {
		return 0, err
	}
	x := random.Float64()
	for k := range p {
		if x -= p[k]; x < 0 {
			return uint32(k), nil
		}
	}
	return uint32(len(p) - 1), nil
}

// parts sets the cluster's cell and the cells of its n words to 1/√(1+n). So the contribution has norm 1, whatever the
// document.
func parts(cluster uint32, words []uint32) []*wire.Part {
	x := float32(1 / math.Sqrt(float64(1+len(words))))
	values := make([]float32, len(words))
	for i := range values {
		values[i] = x
	}
	p := model.AppendParts(nil, 0, []uint32{0}, []uint32{cluster}, []float32{x})
	return model.AppendParts(p, 1, []uint32{cluster}, words, values)
}

// Infer implements model.Inferrer.
func (w worker) Infer(d *wire.Document) ([]float64, error) {
	return w.posterior(wire.AppendIDs(nil, d.WordGaps)), nil
}
