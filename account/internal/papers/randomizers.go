package papers

import (
	"math"

	"privpipe/account/internal/renyi"
)

// inherentLoss returns the pure ε of drawing one word's topic from counts in [0, clip] that are already released, under
// the replacement of the word: 2·log(C/β+1) (HDP-LDA, theorem 3, equation 7). The ratio of two normalised probabilities
// is at most the largest of (n+β)/(n'+β) over the smallest. clip ≥ 0, beta > 0.
//
// The draws of other words add nothing only while they read only released counts. These counts are frozen for the
// sweep, not updated in it as in algorithm 1, and clipped to at least 0.
func inherentLoss(clip, beta float64) float64 { return renyi.RoundUp(2 * math.Log1p(clip/beta)) }

// unclippedInherentLoss returns the bound of HDP-LDA's theorem 1, equation 5, for one sweep without noise. largest is
// the largest count that any word has in any topic. replaced is the number of occurrences of the replaced word, and
// other the most occurrences of any other word. These are data, so the result is no guarantee, and it must not be
// published itself.
func unclippedInherentLoss(largest, replaced, other, beta float64) float64 {
	return renyi.RoundUp(2 * (math.Log1p(largest/beta) + (other+replaced-1)*math.Log1p(1/beta)))
}

// laplaceEpsilon returns the pure ε of Laplace noise of the given scale on a change of the given L1 norm: norm/scale
// (Dwork and Roth 2014, theorem 3.6). One replaced word moves two counts by 1, so HDP-LDA's scale 2/ε_L gives ε_L. If
// the noise stays in the counts, a later release moves four.
func laplaceEpsilon(norm, scale float64) float64 {
	if norm == 0 {
		return 0
	}
	return renyi.RoundUp(norm / scale)
}

// bitEpsilon returns the pure ε of one bit that a fair coin replaces with probability f in [0, 1]: log((1−f/2)/(f/2))
// (LP-LDA, theorem 4).
func bitEpsilon(f float64) float64 { return renyi.RoundUp(math.Log1p(2 * (1 - f) / f)) }

// wordEpsilon returns the pure ε of a presence vector, one such bit per vocabulary word, under the replacement of one
// word by another. The replacement changes two bits.
func wordEpsilon(f float64) float64 { return 2 * bitEpsilon(f) }

// changedBits returns the most bits that change in a presence vector over a vocabulary if any other document replaces
// the document. Both have at most words distinct words: at most 2·words bits change, and at most all bits.
func changedBits(vocabulary, words uint64) uint64 {
	if words < vocabulary/2+vocabulary%2 {
		return 2 * words
	}
	return vocabulary
}

// documentEpsilon returns the pure ε of a presence vector under the document's replacement: changedBits times
// bitEpsilon.
func documentEpsilon(f float64, vocabulary, words uint64) float64 {
	return renyi.Guarantee{Epsilon: bitEpsilon(f)}.Linear(changedBits(vocabulary, words)).Epsilon
}
