package gibbs

import (
	"fmt"
	"math"

	"privpipe/estep/score"
	"privpipe/estep/shape"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire/stream"
)

// Options are the settings of the E-step.
type Options struct {
	Sweeps    int     // in each round
	BurnIn    int     // sweeps of a round that the expected statistic leaves out
	Statistic string  // Expected or Counts
	Keep      bool    // each round goes on from the topics of the round before
	Draws     float64 // bound on the pure loss of the draws of a token in a round; 0: none
	Shape     shape.Shape
	Unigram   []float64 // probability of each word under a baseline, for Score; nil: the model's own marginal
}

// raw says that the statistic is the counts of words by topic, as they are.
func (o Options) raw() bool { return o.Statistic == Counts && o.Shape == shape.Shape{} }

// The statistics that a document contributes.
const (
	Expected = "expected" // the mean over sweeps of each token's conditional probabilities, its topic integrated out
	Counts   = "counts"   // of words by topic, after the last sweep
)

// mostAlpha bounds α times the number of topics, so that masses fit 64 bits.
const mostAlpha = 1 << 30

// Model implements model.EStep.
type Model struct {
	options Options
	size    model.Size
	weights *weights
	topics  *score.Topics // for Score
}

// New returns a model without parameters.
func New(o Options) *Model { return &Model{options: o} }

// Settings implements model.EStep.
func (m *Model) Settings() any {
	o := m.options
	return map[string]any{
		"sampler": "gibbs", "sweeps": o.Sweeps, "burn in": o.BurnIn, "statistic": o.Statistic, "keep": o.Keep, "draws": o.Draws,
		"top topics": o.Shape.TopTopics, "binary": o.Shape.Binary, "norm": o.Shape.Norm,
	}
}

// SetParameters implements model.EStep.
func (m *Model) SetParameters(set *stream.Set, size model.Size) error {
	alpha, err := lda.Alpha.Of(set)
	if err != nil {
		return err
	}
	if !(alpha*float64(size.Components) <= mostAlpha) {
		return fmt.Errorf("alpha times the number of topics must be at most %d to sample topics, alpha is %v", mostAlpha, alpha)
	}
	released, err := lda.Weights.Of(set, size)
	if err != nil {
		return err
	}
	m.size, m.weights = size, newWeights(size.Components, size.Words, alpha, released, m.perSweep())
	m.topics, err = score.New(set, size, m.options.Unigram)
	return err
}

// perSweep is the bound on the loss of one draw of a token; 0: none. The draws of a round compose.
func (m *Model) perSweep() float64 { return m.options.Draws / float64(m.options.Sweeps) }

// Draws implements model.Drawer. Topics at the start of a run are uniform, and lose nothing. Without a bound in the options, weights
// from 1 to 2^weightBits still bound a draw: numerator and denominator change by that factor at most.
func (m *Model) Draws() float64 {
	if m.options.Draws > 0 {
		return m.options.Draws
	}
	return float64(m.options.Sweeps) * 2 * weightBits * math.Ln2
}

// NewWorker implements model.EStep.
func (m *Model) NewWorker() model.Worker {
	w := &worker{options: m.options, sampler: newSampler(m.weights), topics: m.topics}
	if m.options.Keep {
		return keeper{w}
	}
	return w
}
