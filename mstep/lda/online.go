package lda

import (
	"fmt"
	"math"
	"math/rand/v2"

	"privpipe/pipelines/model"
)

// Online are the settings of online LDA. Each round is a batch with its own documents.
type Online struct {
	Lambda float64 // λ in (0, 1], the first λ if it is learned; 0: not online
	Learn  bool    // λ is drawn anew after each batch
}

// online is the state of online LDA (Zhao et al., Latent Dirichlet Allocation Model Training with Differential Privacy,
// 2020, §VI-B). Batch l has the prior βˡ = βˡ⁻¹ + λNˡ⁻¹, equation 10. Nˡ are the batch's counts of words by topic, and
// β⁰ is η.
type online struct {
	lambda       float64   // λ for the next batch
	base         []float64 // βˡ − η for the last batch
	last         []float64 // Nˡ
	baseVariance float64   // of the noise on each cell of base
	lastVariance float64
}

func newOnline(o Options) *online {
	cells := o.Topics * o.Words
	return &online{lambda: o.Online.Lambda, base: make([]float64, cells), last: make([]float64, cells)}
}

// prior returns βˡ⁺¹ − η. Noise does not make it negative.
func (s *online) prior() []float32 {
	prior := make([]float32, len(s.base))
	for i, b := range s.base {
		prior[i] = float32(min(max(b+s.lambda*s.last[i], 0), math.MaxFloat32))
	}
	return prior
}

// batch takes the counts of the next batch. The model is estimated from βˡ + Nˡ, equation 13.
func (l *Learner) batch(r *model.Release) error {
	if r.Round != l.round+1 {
		return fmt.Errorf("release of round %d comes after that of round %d: the prior needs the counts of each batch",
			r.Round, l.round)
	}
	s := l.online
	// The batch's own counts: the release is in the scale of all documents.
	counts := make([]float64, len(s.base))
	variance, err := l.each(r, func(first int, values []float64) {
		for i, x := range values {
			counts[first+i] = x * r.Rate
		}
	})
	if err != nil {
		return err
	}
	used := s.lambda
	if l.o.Online.Learn {
		s.lambda = l.redraw(counts, r.Round)
	}
	for i := range s.base {
		s.base[i] += used * s.last[i]
		l.sum[i] = s.base[i] + counts[i]
	}
	s.baseVariance += used * used * s.lastVariance
	s.lastVariance = variance * r.Rate * r.Rate
	l.variance = s.baseVariance + s.lastVariance
	copy(s.last, counts)
	l.round = r.Round
	return nil
}

// redraw makes one Metropolis step on λ, given the counts of one batch (end of §VI-B). The prior of λ is uniform on (0,
// 1). The proposal is uniform too, so the acceptance ratio is the ratio of the counts' probabilities. The coins follow
// from the public seed and the round.
func (l *Learner) redraw(counts []float64, round uint32) float64 {
	coins := rand.New(rand.NewPCG(l.o.Seed, 1<<32|uint64(round)))
	proposal, accept := coins.Float64(), coins.Float64()
	if proposal > 0 && math.Log(accept) < l.logEvidence(counts, proposal)-l.logEvidence(counts, l.online.lambda) {
		return proposal
	}
	return l.online.lambda
}

// logEvidence is the log probability of the batch's counts, except for a constant. The words of each topic have a
// Dirichlet prior with parameters η + base + λ·last. So the counts have the Dirichlet–multinomial distribution
// (Griffiths and Steyvers 2004, equation 2).
func (l *Learner) logEvidence(counts []float64, lambda float64) float64 {
	logGamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	sum := 0.0
	for topic := range l.o.Topics {
		prior, tokens := 0.0, 0.0
		for i := topic * l.o.Words; i < (topic+1)*l.o.Words; i++ {
			b := l.o.Eta + max(l.online.base[i]+lambda*l.online.last[i], 0)
			prior += b
			if n := max(counts[i], 0); n > 0 {
				tokens += n
				sum += logGamma(b+n) - logGamma(b)
			}
		}
		sum += logGamma(prior) - logGamma(prior+tokens)
	}
	return sum
}
