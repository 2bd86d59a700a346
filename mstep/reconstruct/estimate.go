package reconstruct

import "math/bits"

// A Response is randomized response with bits that are wrong with probability Flip, below ½, in reports of a number of authors.
type Response struct {
	Flip    float64 // p; the paper's f is 2p
	Authors int     // M
}

// Estimate returns the unbiased estimate of the number of authors who have a word, of which n are reported to have it: (n − M·p)/(1 − 2p).
// Zhao et al., Latent Dirichlet Allocation Model Training with Differential Privacy (2020), equation 8, with f = 2p.
func (r Response) Estimate(n int) float64 {
	return (float64(n) - float64(r.Authors)*r.Flip) / (1 - 2*r.Flip)
}

// Variance returns the variance of Estimate, for any number of authors who have the word: M·p·(1 − p)/(1 − 2p)². It is equation 9 without
// the last summand: given the documents only the flips are random, and each of the M bits has variance p(1 − p).
func (r Response) Variance() float64 {
	return float64(r.Authors) * r.Flip * (1 - r.Flip) / ((1 - 2*r.Flip) * (1 - 2*r.Flip))
}

// PriorWeight returns ω, the weight of the prior's mean in the posterior mean of the number of authors who have a word, where the prior is
// normal with the given variance: Variance/(Variance + variance). Theorem 6 and equation 19 have Mf(2 − f)/(Mf(2 − f) + 4σ²(1 − f)²), the
// same number. The variance of the posterior is ω·variance.
func (r Response) PriorWeight(variance float64) float64 {
	return r.Variance() / (r.Variance() + variance)
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
