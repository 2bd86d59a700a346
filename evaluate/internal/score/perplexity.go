package score

import (
	"math"

	"privpipe/pipelines/wire"
)

// A Total adds up the scores of held-out documents.
type Total struct {
	Documents, Tokens, CompletionTokens uint64

	unbounded bool // some words have a score without a bound

	bound, plugIn, unigram, completion, completionUnigram compensated
}

// Add adds one document's score.
func (t *Total) Add(s *wire.Score) {
	t.Documents++
	t.Tokens += s.Tokens
	t.CompletionTokens += s.CompletionTokens
	t.unbounded = t.unbounded || s.Tokens > 0 && s.Bound == 0
	t.bound.add(s.Bound)
	t.plugIn.add(s.PlugIn)
	t.unigram.add(s.Unigram)
	t.completion.add(s.Completion)
	t.completionUnigram.add(s.CompletionUnigram)
}

// Bound returns the perplexity by the variational bound, exp(−Σ bound / Σ tokens): Hoffman, Blei and Bach, Online
// Learning for Latent Dirichlet Allocation (NIPS 2010), §4; Park et al., Variational Bayes In Private Settings (JAIR
// 68, 2020), equation 32. It is an upper bound on the model's perplexity. It is 0 if a score states no bound, as after
// sampling of topics.
func (t *Total) Bound() float64 {
	if t.unbounded {
		return 0
	}
	return perplexity(t.bound, t.Tokens)
}

// PlugIn returns the perplexity by the tokens' likelihood under topic shares that were inferred from the same tokens
// (HDP-LDA, §VII). It knows the words that it predicts. So it is below the model's perplexity, and cannot be compared
// with Bound. It is 0 if no score states it.
func (t *Total) PlugIn() float64 {
	if t.plugIn.value() == 0 {
		return 0
	}
	return perplexity(t.plugIn, t.Tokens)
}

// Unigram returns the baseline's perplexity. The baseline predicts each word by its frequency.
func (t *Total) Unigram() float64 { return perplexity(t.unigram, t.Tokens) }

// Completion returns the perplexity of one half of each document given the other half (Wallach et al. 2009, §5.1). It
// is 0 if no score states it.
func (t *Total) Completion() float64 {
	if t.CompletionTokens == 0 {
		return 0
	}
	return perplexity(t.completion, t.CompletionTokens)
}

// CompletionUnigram returns the baseline's perplexity on the same halves.
func (t *Total) CompletionUnigram() float64 {
	return perplexity(t.completionUnigram, t.CompletionTokens)
}

func perplexity(logLikelihood compensated, tokens uint64) float64 {
	return math.Exp(-logLikelihood.value() / float64(tokens))
}

// compensated is a compensated sum (Neumaier 1974). It adds the rounding errors separately, so that the sum hardly
// depends on the order of the documents.
type compensated struct{ sum, lost float64 }

func (c *compensated) add(x float64) {
	sum := c.sum + x
	if math.Abs(c.sum) >= math.Abs(x) {
		c.lost += (c.sum - sum) + x
	} else {
		c.lost += (x - sum) + c.sum
	}
	c.sum = sum
}

func (c compensated) value() float64 { return c.sum + c.lost }
