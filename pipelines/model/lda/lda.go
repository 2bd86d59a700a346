// Package lda is the family of latent Dirichlet allocation (Blei, Ng and Jordan 2003): each topic is a distribution
// over words, each document a mixture of topics.
package lda

import (
	"gonum.org/v1/gonum/floats"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Topics is the name of the statistic: K × V, the expected count of each word in each topic.
const Topics = "topics"

// The fields of parameters and model files.
var (
	// Alpha is the Dirichlet prior for a document's topics, the same for each topic.
	Alpha = model.Scalar{Name: "alpha", Rule: model.Positive}

	// Eta is the Dirichlet prior for a topic's words, the same for each word. Parameters from older programs lack it; a
	// model file has it.
	Eta = model.Scalar{Name: "eta", Rule: model.Positive}

	// Rounds is the number of rounds that the model was learned from.
	Rounds = model.Scalar{Name: "rounds"}

	// Weights are the factors of θ in the E-step: β_kv, or exp(E[log β_kv]).
	Weights = model.Matrix[float32]{Name: "weights", Rows: model.Components, Columns: model.Words,
		Rule: model.NotNegative}

	// Lambda are the parameters of the topics' Dirichlet posterior. The mean of β_kv is λ_kv / Σ_v λ_kv. If the model
	// is a point mass at the posterior's mode, they are 1 less, so that this formula gives the mode.
	Lambda = model.Matrix[float64]{Name: "lambda", Rows: model.Components, Columns: model.Words, Rule: model.Positive}
)

// The optional fields of parameters and model files: a reader asks In before Of.
var (
	// Ceiling is C if weights and lambda were made from the statistic's cells clamped to [0, C], plus eta. Without it
	// there is no such bound.
	Ceiling = model.Scalar{Name: "ceiling", Rule: model.Positive}

	// Counts are the sum of all released increments of the statistic. Noise may have made them negative. A run that
	// does not accumulate has none.
	Counts = model.Matrix[float32]{Name: "counts", Rows: model.Components, Columns: model.Words}

	// CountsVariance is the variance of the noise on each cell of Counts. It comes with them.
	CountsVariance = model.Scalar{Name: "counts_variance", Rule: model.NotNegative}

	// Prior is the part besides eta of the Dirichlet prior for the next batch's topics, if each round is its own batch.
	// A run that is not online has none.
	Prior = model.Matrix[float32]{Name: "prior", Rows: model.Components, Columns: model.Words, Rule: model.NotNegative}

	// UnigramGain compares the model's word frequencies, the sums of its topics, to frequencies from one release with
	// the whole budget. It is the expected gain of the release in nats a word, below 0 if its frequencies predict
	// worse.
	UnigramGain = model.Scalar{Name: "unigram_gain"}

	// WordWeights multiply the weight of each word in a contribution, and are at most 1. Without them each is 1.
	WordWeights = model.Matrix[float32]{
		Name: "word_weights", Rows: model.One, Columns: model.Words, Rule: model.Probability,
	}

	// Correlation is λ, the share of the last batch's counts in Prior. It comes with Prior.
	Correlation = model.Scalar{Name: "correlation", Rule: model.Positive}
)

// WordWeightsOf returns the word weights in a set, nil without them.
func WordWeightsOf(set *stream.Set, size model.Size) ([]float32, error) {
	if !WordWeights.In(set) {
		return nil, nil
	}
	return WordWeights.Of(set, size)
}

// Family is the family of models.
var Family = &model.Family{
	Name: "lda", NonNegative: true,
	Statistics: func(s model.Size) []*wire.Matrix {
		return []*wire.Matrix{{
			Name: Topics, Rows: uint32(s.Components), Columns: uint32(s.Words), Element: wire.Element_FLOAT32,
		}}
	},
	Parameters: []model.Field{Alpha, Weights},
	Model:      []model.Field{Alpha, Eta, Rounds, Weights, Lambda},
	Topics:     func(set *stream.Set, s model.Size) ([]float64, error) { return Lambda.Of(set, s) },
}

// Snapshot returns a model file's content for topics λ, K × V, row by row, all positive. The priors are 1/K, and the
// E-step gets the mean of β.
func Snapshot(size model.Size, rounds int, lambda []float64) *model.Snapshot {
	weights := make([]float32, len(lambda))
	for k := range size.Components {
		row := lambda[k*size.Words : (k+1)*size.Words]
		sum := floats.Sum(row)
		for v, x := range row {
			weights[k*size.Words+v] = float32(x / sum)
		}
	}
	s, prior := new(model.Snapshot), 1/float64(size.Components)
	Alpha.Put(s, prior)
	Eta.Put(s, prior)
	Rounds.Put(s, float64(rounds))
	Weights.Put(s, size, weights)
	Lambda.Put(s, size, lambda)
	return s
}
