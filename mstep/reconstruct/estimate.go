package reconstruct

import (
	"math"
	"math/bits"

	"privpipe/pipelines/event"
)

// A Response describes the reports of some authors. A report has a word with probability True if its author has the
// word, and else with probability False, which is less.
type Response struct {
	True, False float64
	Authors     int // M
}

// responseOf returns the Response for one author's report under a grant. A bit is wrong with probability p; the paper's
// f is 2p. A report with words has k draws. Each draw gives one word, in proportion to weights: 1−p for a word that
// counts, p for another word. The weights add up to m·(1−p) + V·p, for m words or dummies that count and V others:
// privatize/internal/local/claim.md, 5.
func responseOf(g *event.Grant) Response {
	_, steps := g.Steps()
	p := float64(steps) / event.FlipSteps
	if g.ReportWords == 0 {
		return Response{1 - p, p, 1}
	}
	sum := float64(g.MaxWords)*(1-p) + float64(g.VocabularySize)*p
	among := func(weight float64) float64 { return -math.Expm1(float64(g.ReportWords) * math.Log1p(-weight/sum)) }
	return Response{among(1 - p), among(p), 1}
}

// Estimate returns the unbiased estimate of the number of authors who have a word, if n of their reports have it: (n −
// M·False)/(True − False). For bits it is equation 8 of Zhao et al., Latent Dirichlet Allocation Model Training with
// Differential Privacy (2020): (n − M·p)/(1 − 2p).
func (r Response) Estimate(n int) float64 {
	return (float64(n) - float64(r.Authors)*r.False) / (r.True - r.False)
}

// Variance returns the variance of Estimate. have is the number of authors who have the word. Given the documents only
// the reports are random, and they are independent of each other. For bits it is M·p·(1 − p)/(1 − 2p)², whatever the
// number is: equation 9 without the last summand.
func (r Response) Variance(have float64) float64 {
	spread := have*r.True*(1-r.True) + (float64(r.Authors)-have)*r.False*(1-r.False)
	return spread / ((r.True - r.False) * (r.True - r.False))
}

// Fit reports whether the authors' words can have this sum of estimates over all words, up to eight standard
// deviations. One author has no more words than most. Bits in one report are independent, and draws of words are
// negatively correlated. So the words' variances add up to a bound on the sum's variance.
func (r Response) Fit(sum float64, words, most int) bool {
	have := float64(r.Authors * min(most, words))
	slack := 8 * math.Sqrt(float64(words)*max(r.Variance(0), r.Variance(have/float64(words))))
	return sum >= -slack && sum <= have+slack
}

// PriorWeight returns ω, the weight of the prior's mean in the posterior mean of the number of authors who have a word.
// The prior is normal with the given variance. have is the average number of authors who have a word. ω is
// Variance/(Variance + variance). For bits theorem 6 and equation 19 have Mf(2 − f)/(Mf(2 − f) + 4σ²(1 − f)²), the same
// number. The variance of the posterior is ω·variance.
func (r Response) PriorWeight(variance, have float64) float64 {
	return r.Variance(have) / (r.Variance(have) + variance)
}

// counts returns for each word the number of the batch's reports that have it.
func (b *batch) counts() []int {
	n := make([]int, b.words)
	for _, block := range b.blocks {
		for word, set := range block {
			n[word] += bits.OnesCount64(set)
		}
	}
	return n
}
