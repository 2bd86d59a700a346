package latent

import (
	"errors"
	"math"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Topics are the model's mean topics, and the word frequencies that it is compared with. Held-out documents are scored
// by them.
type Topics struct {
	k       int
	mean    []float64 // mean of β_kv at v·K+k; nil for the parameters in a round, which are no model file
	unigram []float64 // nil: none was given, and there are no mean topics
	gain    float64   // in nats a word: the baseline's gain over the model's own unigram; 0 for another baseline
}

// NewTopics reads the mean topics from a model file. unigram has the probabilities of the words under a baseline.
// Without unigram the baseline is the model's own marginal plus a gain: the gain that the model expects from one
// release with the whole budget. The parameters for a round have no mean topics: λ is missing.
func NewTopics(set *stream.Set, size model.Size, unigram []float64) (*Topics, error) {
	if !lda.Lambda.In(set) {
		return &Topics{k: size.Components, unigram: unigram}, nil
	}
	lambda, err := lda.Lambda.Of(set, size)
	if err != nil {
		return nil, err
	}
	t := TopicsOf(lambda, size, unigram)
	if unigram == nil && lda.UnigramGain.In(set) {
		t.gain, err = lda.UnigramGain.Of(set)
	}
	return t, err
}

// TopicsOf takes λ, K×V row by row. The mean of β_kv is λ_kv / Σ_v λ_kv, and the model's own unigram is Σ_k λ_kv / Σ λ.
func TopicsOf(lambda []float64, size model.Size, unigram []float64) *Topics {
	t := &Topics{k: size.Components, mean: make([]float64, len(lambda)), unigram: make([]float64, size.Words)}
	total := 0.0
	for k := range t.k {
		row := lambda[k*size.Words : (k+1)*size.Words]
		sum := 0.0
		for v, l := range row {
			sum += l
			t.unigram[v] += l
		}
		for v, l := range row {
			t.mean[v*t.k+k] = l / sum
		}
		total += sum
	}
	for v := range t.unigram {
		t.unigram[v] /= total
	}
	if unigram != nil {
		t.unigram = unigram
	}
	return t
}

// HasMean reports whether there are mean topics. Without them no document has a plug-in likelihood or a completion.
func (t *Topics) HasMean() bool { return t.mean != nil }

// An Inference infers the topics of one document at a time.
type Inference interface {
	// Shares returns the share of each topic in b, up to a common factor. It may return the same memory again.
	Shares(b Bag) []float64

	// Bound returns a lower bound of log p(words of b), in nats; 0 if the inference has none. Shares must have just
	// taken the same b.
	Bound(b Bag) float64
}

// Score returns the score of d: its bound, and with mean topics also its plug-in likelihood and its completion.
func (t *Topics) Score(d *wire.Document, f Inference) (*wire.Score, error) {
	if t.unigram == nil {
		return nil, errors.New("parameters have no matrix lambda: --score needs a model file, or --unigram beside " +
			"the parameters of rounds")
	}
	all := BagOf(d)
	shares := f.Shares(all)
	s := &wire.Score{Id: d.Id, Tokens: all.Tokens, Bound: f.Bound(all), Unigram: t.baseline(all)}
	if t.mean == nil {
		return s, nil
	}
	s.PlugIn = t.predict(all, shares)
	seen, hidden := Halves(d)
	s.CompletionTokens = hidden.Tokens
	s.Completion = t.predict(hidden, f.Shares(seen))
	s.CompletionUnigram = t.baseline(hidden)
	return s, nil
}

// predict returns log p(words of b) under shares of the mean topics.
func (t *Topics) predict(b Bag, shares []float64) float64 {
	total := 0.0
	for _, share := range shares {
		total += share
	}
	sum := 0.0
	for i, id := range b.IDs {
		p := 0.0
		for k, m := range t.mean[int(id)*t.k : (int(id)+1)*t.k] {
			p += shares[k] * m
		}
		sum += float64(b.Counts[i]) * math.Log(p/total)
	}
	return sum
}

// baseline returns log p(words of b) under the unigram.
func (t *Topics) baseline(b Bag) float64 {
	sum := t.gain * float64(b.Tokens)
	for i, id := range b.IDs {
		sum += float64(b.Counts[i]) * math.Log(t.unigram[id])
	}
	return min(sum, 0)
}
