package lda

import (
	"math"

	"privpipe/pipelines/model/lda"
)

// origins says where each topic comes from. own is each cell's own share (K × V, row by row), expected is the
// expectation of λ, and frequencies are the frequencies of words, with sum 1.
//
// The topic's own share o is the mean own share of its cells (denoise.Mixture.ShrinkOwn), weighted by the words'
// probabilities in the topic. This is a sum of sensitivities as in generalized degrees of freedom (Ye 1998), weighted
// by the probabilities that a reader sees. The rest, 1 − o, follows the expected topic. Public text's part in the rest
// is the total variation distance between the expected topic and the frequencies, ½ Σ_v |e_v − f_v|. It is the least
// probability that must be moved to turn one into the other (Levin and Peres, Markov Chains and Mixing Times, 2017,
// proposition 4.7). Their common part, Σ_v min(e_v, f_v), needs no public text. The mixture's weights would not tell
// the part, because the frequencies are also about a mixture of all public topics.
func origins(own, expected, lambda, frequencies []float64) []lda.Origin {
	words := len(frequencies)
	all := make([]lda.Origin, len(lambda)/words)
	for k := range all {
		from, to := k*words, (k+1)*words
		size, guess, followed, apart := 0.0, 0.0, 0.0, 0.0
		for i := from; i < to; i++ {
			size += lambda[i]
			guess += expected[i]
		}
		for i := from; i < to; i++ {
			followed += lambda[i] / size * own[i]
			apart += math.Abs(expected[i]/guess-frequencies[i-from]) / 2
		}
		o := &all[k]
		o.Own = min(followed, 1)
		o.Public = (1 - o.Own) * min(apart, 1)
		o.Frequencies = 1 - o.Own - o.Public
	}
	return all
}
