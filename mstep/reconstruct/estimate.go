package reconstruct

import (
	"math"
	"math/bits"

	"privpipe/pipelines/event"
)

// A Response is the reports of a number of authors, each of which has a word with probability True if its author has the word, and else with
// probability False, which is less.
type Response struct {
	True, False float64
	Authors     int // M
}

// responseOf returns the Response of one author's report under a grant. A bit is wrong with probability p; the paper's f is 2p. Of k draws
// of a word each gives a word that counts the weight 1−p, and another word the weight p. All weights add up to those of m words or dummies
// that count, and of V others: privatize/internal/local/claim.md, 5.
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

// Estimate returns the unbiased estimate of the number of authors who have a word, of which n are reported to have it:
// (n − M·False)/(True − False). For bits it is equation 8 of Zhao et al., Latent Dirichlet Allocation Model Training with Differential Privacy
// (2020): (n − M·p)/(1 − 2p).
func (r Response) Estimate(n int) float64 {
	return (float64(n) - float64(r.Authors)*r.False) / (r.True - r.False)
}

// Variance returns the variance of Estimate where so many authors have the word. Given the documents only the reports are random, each by
// itself. For bits it is M·p·(1 − p)/(1 − 2p)², whatever the number: equation 9 without the last summand.
func (r Response) Variance(have float64) float64 {
	spread := have*r.True*(1-r.True) + (float64(r.Authors)-have)*r.False*(1-r.False)
	return spread / ((r.True - r.False) * (r.True - r.False))
}

// Fit says whether a sum of the estimates of all words is one that authors of at most most words each can have, up to eight standard
// deviations. Bits of one report are independent, or for draws of words negatively correlated, so the variances of words bound that of the sum.
func (r Response) Fit(sum float64, words, most int) bool {
	have := float64(r.Authors * min(most, words))
	slack := 8 * math.Sqrt(float64(words)*max(r.Variance(0), r.Variance(have/float64(words))))
	return sum >= -slack && sum <= have+slack
}

// PriorWeight returns ω, the weight of the prior's mean in the posterior mean of the number of authors who have a word, where the prior is
// normal with the given variance, and so many authors have a word on average: Variance/(Variance + variance). For bits
// theorem 6 and equation 19 have Mf(2 − f)/(Mf(2 − f) + 4σ²(1 − f)²), the same number. The variance of the posterior is ω·variance.
func (r Response) PriorWeight(variance, have float64) float64 {
	return r.Variance(have) / (r.Variance(have) + variance)
}

// counts returns how many reports of the batch have each word.
func (b *batch) counts() []int {
	n := make([]int, b.words)
	for _, block := range b.blocks {
		for word, set := range block {
			n[word] += bits.OnesCount64(set)
		}
	}
	return n
}
