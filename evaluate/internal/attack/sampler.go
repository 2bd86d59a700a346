package attack

import (
	"errors"
	"math"
	"slices"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire/stream"
)

// Parameters are read by the attacker and by the sampler before a round. Matrices are K×V, row by row.
type parameters struct {
	size     model.Size
	alpha    float64
	eta      float64   // 0 if unknown
	ceiling  float64   // +Inf if there is none
	weights  []float64 // of words in topics
	counts   []float64 // noisy counts, increased by the rounds' increments; nil if there are none
	released []float64 // n̂ of equation 24, up to a factor for each topic; positive
}

func newParameters(set *stream.Set, size model.Size) (*parameters, error) {
	p := &parameters{size: size, ceiling: math.Inf(1)}
	var err error
	if p.alpha, err = lda.Alpha.Of(set); err != nil {
		return nil, err
	}
	if p.weights, err = cells(lda.Weights, set, size); err != nil {
		return nil, err
	}
	if lda.Eta.In(set) {
		if p.eta, err = lda.Eta.Of(set); err != nil {
			return nil, err
		}
	}
	if lda.Ceiling.In(set) {
		if p.ceiling, err = lda.Ceiling.Of(set); err != nil {
			return nil, err
		}
	}
	if lda.Counts.In(set) {
		if p.counts, err = cells(lda.Counts, set, size); err != nil {
			return nil, err
		}
		if p.eta == 0 {
			return nil, errNoEta
		}
	}
	p.released = make([]float64, len(p.weights))
	for i := range p.released {
		if p.counts != nil {
			p.released[i] = max(p.counts[i], 0) + p.eta
		} else {
			p.released[i] = max(p.weights[i], math.SmallestNonzeroFloat32) // the wire may have rounded a weight to 0
		}
	}
	return p, nil
}

var errNoEta = errors.New("there is no number \"eta\": an attack on counts needs the Dirichlet prior of topics, " +
	"which mstep lda writes")

func cells(m model.Matrix[float32], set *stream.Set, size model.Size) ([]float64, error) {
	released, err := m.Of(set, size)
	values := make([]float64, len(released))
	for i, x := range released {
		values[i] = float64(x)
	}
	return values, err
}

// row returns one topic's row in a K×V matrix.
func (p *parameters) row(matrix []float64, topic int) []float64 {
	return matrix[topic*p.size.Words:][:p.size.Words]
}

// A sampler has the probabilities of the topics drawn in one round: p(k | t) ∝ w_kt · (n_k + α). Here n_k is the number
// of the document's other tokens with topic k.
type sampler struct {
	*parameters
	alpha   float64
	weights []float64 // w
	mixture []float64 // Σ_k w_kt · α for each word t
	// For an in-place sampler: the counts over all documents, and their sums over words.
	counts []float64
	totals []float64
}

func newSampler(p *parameters, alpha float64, weights []float64) *sampler {
	s := &sampler{parameters: p, alpha: alpha, weights: weights, mixture: make([]float64, p.size.Words)}
	for i, w := range weights {
		s.mixture[i%p.size.Words] += alpha * w
	}
	return s
}

// A frozen sampler keeps its weights during a round. They are whole numbers up to 2^weightBits. unbounded is the loss
// that it states if no bound was requested.
const (
	weightBits = 24
	unbounded  = 2 * weightBits * math.Ln2
)

// newFrozen returns the sampler in estep/gibbs/claim.md. draws is the loss of one sweep's draws that the round states.
// 0: none is stated. If a loss was requested, each topic's weights are raised to at least e^(−draws/2) of the topic's
// greatest weight. Else each word is scaled by itself.
func newFrozen(p *parameters, draws float64) *sampler {
	v := p.size.Words
	weights := make([]float64, len(p.weights))
	if draws == 0 || draws == unbounded {
		for word := range v {
			greatest := 0.
			for i := word; i < len(weights); i += v {
				greatest = max(greatest, p.weights[i])
			}
			for i := word; i < len(weights); i += v {
				weights[i] = whole(p.weights[i], greatest)
			}
		}
		return newSampler(p, p.alpha, weights)
	}
	greatest := slices.Max(p.weights)
	for topic := range p.size.Components {
		row := p.row(weights, topic)
		for word, w := range p.row(p.weights, topic) {
			row[word] = whole(w, greatest)
		}
		most := slices.Max(row)
		least := min(math.Ceil(most*math.Exp(-draws/2)*(1+0x1p-40)), most)
		for word := range row {
			row[word] = max(row[word], least)
		}
	}
	return newSampler(p, p.alpha, weights)
}

// whole returns w as a share of greatest in whole numbers up to 2^weightBits, at least 1.
func whole(w, greatest float64) float64 {
	if greatest == 0 {
		return 1
	}
	return max(1, math.Round(w/greatest*(1<<weightBits)))
}

// leastMass is the least n_k + α of an in-place sampler.
const leastMass = 1e-9

// newInPlace returns the in-place sampler: its counts change with each draw. after has the counts over all documents
// after the round:
//
//	p(k | t) ∝ (min(max(n_kt, 0), C) + η) / (max(Σ_t n_kt, 1) + Vη) · max(n_k + α, 1e-9).
//
// At the time of each draw the counts are between the counts before the round and the counts after it. Nobody records
// them.
func newInPlace(p *parameters, after []float64) (*sampler, error) {
	if p.eta == 0 {
		return nil, errNoEta
	}
	weights, totals := make([]float64, len(after)), make([]float64, p.size.Components)
	for topic := range totals {
		row := p.row(after, topic)
		for _, n := range row {
			totals[topic] += n
		}
		for word, n := range row {
			p.row(weights, topic)[word] = p.inPlace(n, totals[topic])
		}
	}
	s := newSampler(p, max(p.alpha, leastMass), weights)
	s.counts, s.totals = after, totals
	return s, nil
}

func (p *parameters) inPlace(n, total float64) float64 {
	return (min(max(n, 0), p.ceiling) + p.eta) / (max(total, 1) + float64(p.size.Words)*p.eta)
}

// without returns the topic's weights after one token is taken away, which has this topic and word.
func (s *sampler) without(topic, word int) []float64 {
	if s.counts == nil {
		return s.row(s.weights, topic)
	}
	row := make([]float64, s.size.Words)
	for t, n := range s.row(s.counts, topic) {
		if t == word {
			n--
		}
		row[t] = s.inPlace(n, s.totals[topic]-1)
	}
	return row
}

// add adds log p(topic | t) to the score of each word t. The attacked token has the given word and drew the given
// topic. A term that does not depend on t is left out. others counts the topics of the document's other tokens.
func (s *sampler) add(scores []float64, topic, word int, others []float64) {
	own, row := s.without(topic, word), s.row(s.weights, topic)
	sum := append([]float64(nil), s.mixture...)
	for k, n := range others {
		if n == 0 {
			continue
		}
		for t, w := range s.row(s.weights, k) {
			sum[t] += w * n
		}
	}
	if s.counts != nil {
		mass := others[topic] + s.alpha
		for t := range sum {
			sum[t] += (own[t] - row[t]) * mass
		}
	}
	for t := range scores {
		scores[t] += math.Log(own[t] / sum[t])
	}
}
