package gibbs

import (
	"errors"
	"fmt"
	"math"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire/stream"
)

// Options are the settings of the E-step.
type Options struct {
	Sweeps    int    // in each round
	BurnIn    int    // first sweeps in each round that the expected statistic leaves out
	Statistic string // Expected, Counts or Increments
	Keep      bool   // each round goes on from the topics of the round before
	// A bound on the pure loss in one round by one token's draws; 0: none. In place: the loss that a paper claims.
	Draws   float64
	InPlace bool // counts of all documents follow each draw; it keeps topics, too
	// scale of the Laplace noise on each document's number of tokens in each topic; in place only
	DocumentNoise  float64
	NoiseEachRound bool    // more of this noise is added in each round
	DrawNoise      float64 // standard deviation of the noise on a word's counts before each draw; in place only
	Subsampling    Subsampling
	Shape          latent.Shape
	Unigram        []float64 // probability of each word under a baseline, for Score; nil: the model's own marginal
}

// bound bounds the loss in one round by one token's draws; 0: no bound. In place there is none.
func (o Options) bound() float64 {
	if o.InPlace {
		return 0
	}
	return o.Draws
}

// mostAlpha bounds α times the number of topics, so that masses fit into 64 bits.
const mostAlpha = 1 << 30

// Model implements model.EStep.
type Model struct {
	options Options
	size    model.Size
	round   uint32 // the round that the parameters are for
	alpha   float64
	shape   latent.Shape // of contributions in this round
	factors []float32    // each word's factor in a contribution; nil: 1
	rates   *rates
	weights *weights       // for frozen sampling
	topics  *latent.Topics // for Score

	// For sampling in place:
	eta     float64
	ceiling float64   // C; +Inf: none
	counts  []float32 // released counts to begin a round with, K × V; nil: the true ones
	// Where rounds are batches: the pseudo-counts in the topics' prior besides eta, K × V; nil: none.
	prior  []float32
	report func(Inherent) error
}

// New returns a model without parameters. If report is not nil, it gets the counts of each round in place.
func New(o Options, report func(Inherent) error) model.EStep {
	m := &Model{options: o, shape: o.Shape.In(1), report: report}
	if o.InPlace {
		return inPlace{m}
	}
	return m
}

// Settings implements model.EStep.
func (m *Model) Settings() any {
	o := m.options
	settings := map[string]any{
		"sampler": "gibbs", "sweeps": o.Sweeps, "burn in": o.BurnIn, "statistic": o.Statistic, "keep": o.Keep,
		"draws":    o.Draws,
		"in place": o.InPlace, "document noise": o.DocumentNoise, "noise each round": o.NoiseEachRound,
		"rate": o.Subsampling.Rate, "adaptive": o.Subsampling.Adaptive,
		"frequent": o.Subsampling.Frequent, "least rate": o.Subsampling.Least,
	}
	if o.DrawNoise > 0 { // so that other runs have the settings of earlier versions
		settings["draw noise"] = o.DrawNoise
	}
	return o.Shape.Settings(settings)
}

// SetParameters implements model.EStep.
func (m *Model) SetParameters(set *stream.Set, size model.Size) error {
	alpha, err := lda.Alpha.Of(set)
	if err != nil {
		return err
	}
	if !(alpha*float64(size.Components) <= mostAlpha) {
		return fmt.Errorf("alpha times the number of topics must be at most %d to sample topics, alpha is %v",
			mostAlpha, alpha)
	}
	released, err := lda.Weights.Of(set, size)
	if err != nil {
		return err
	}
	m.size, m.round, m.alpha, m.shape = size, set.Round+1, alpha, m.options.Shape.In(set.Round+1)
	if m.factors, err = lda.WordWeightsOf(set, size); err != nil {
		return err
	}
	if m.factors != nil && m.options.raw() {
		return errors.New("the parameters weigh words, and raw counts cannot be weighed")
	}
	m.rates = newRates(m.options.Subsampling, size.Components, size.Words, released)
	if m.options.InPlace {
		return m.setCounts(set)
	}
	m.weights = newWeights(size.Components, size.Words, alpha, released, m.perSweep())
	m.topics, err = latent.NewTopics(set, size, m.options.Unigram)
	return err
}

// setCounts takes the parameters of sampling in place.
func (m *Model) setCounts(set *stream.Set) (err error) {
	if m.eta, err = lda.Eta.Of(set); err != nil {
		return err
	}
	m.ceiling, m.counts, m.prior = math.Inf(1), nil, nil
	if lda.Ceiling.In(set) {
		if m.ceiling, err = lda.Ceiling.Of(set); err != nil {
			return err
		}
	}
	if lda.Counts.In(set) {
		if m.counts, err = lda.Counts.Of(set, m.size); err != nil {
			return err
		}
	}
	if lda.Prior.In(set) {
		m.prior, err = lda.Prior.Of(set, m.size)
	}
	return err
}

// perSweep bounds a draw's pure loss by the weights in one sweep; 0: no bound. The draws in one round compose, so each
// sweep gets an equal part of the round's bound. The coins that choose the tokens to draw compose too, so their loss is
// subtracted.
func (m *Model) perSweep() float64 {
	if m.options.Draws == 0 {
		return 0
	}
	return m.options.Draws/float64(m.options.Sweeps) - m.options.Subsampling.loss()
}

// Draws implements model.Drawer. Topics at the start of the run are uniform, and lose nothing. Without a bound in the
// options, weights from 1 to 2^weightBits still bound each draw: numerator and denominator change by at most that
// factor. In place no bound is known.
func (m *Model) Draws() float64 {
	o := m.options
	if o.Draws > 0 || o.InPlace {
		return o.Draws
	}
	return float64(o.Sweeps) * (2*weightBits*math.Ln2 + o.Subsampling.loss())
}

// NewWorker implements model.EStep.
func (m *Model) NewWorker() model.Worker {
	w := &worker{
		options: m.options, shape: m.shape, factors: m.factors, topics: m.topics,
		sampler: newSampler(m.weights), tally: newTally(m.size.Components),
	}
	w.sampler.rates = m.rates
	if m.options.Keep {
		return keeper{w}
	}
	return w
}
