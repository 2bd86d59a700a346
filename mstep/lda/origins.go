package lda

import (
	"math"

	"privpipe/pipelines/model/lda"
)

// origins says where each topic comes from, given λ, what was expected of λ, the own share of each cell (K × V, row by row), and the frequencies
// of words, whose sum is 1.
//
// The own share o of a topic is the mean own share of its cells (denoise.Mixture.ShrinkOwn), by the words' probabilities in the topic: a sum of
// sensitivities as in generalized degrees of freedom (Ye 1998), with the weights of what a reader sees. The rest, 1 − o, follows what was expected of the
// topic. Of that, the part of public text is the total variation distance between the expected topic and the frequencies, ½ Σ_v |e_v − f_v|:
// the least probability that must be moved to make one of the other (Levin and Peres, Markov Chains and Mixing Times, 2017, proposition 4.7). What
// both have in common, Σ_v min(e_v, f_v), needs no public text. The weights of the mixture would not tell: the frequencies are about a
// mixture of all public topics, too.
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
