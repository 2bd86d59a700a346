package classic

import "math"

// InherentLoss returns the pure ε of drawing the topic of one word from counts in [0, clip] that are released already, under
// the replacement of the word: 2·log(C/β+1) (HDP-LDA, theorem 3, equation 7). The ratio of two normalised probabilities
// is at most the largest of (n+β)/(n'+β) over the smallest. clip ≥ 0, beta > 0.
//
// The draws of other words add nothing only while they read only released counts: frozen for the sweep, not updated
// in it as algorithm 1 does, and clipped to at least 0.
func InherentLoss(clip, beta float64) float64 { return up(2 * math.Log1p(clip/beta)) }

// UnclippedInherentLoss returns the bound of HDP-LDA's theorem 1, equation 5, for one sweep without noise: largest is the
// largest count of a word in a topic, replaced how often the replaced word occurs and other the most occurrences of any
// other. These are data, so it is no guarantee, and the number itself is not to be published.
func UnclippedInherentLoss(largest, replaced, other, beta float64) float64 {
	return up(2 * (math.Log1p(largest/beta) + (other+replaced-1)*math.Log1p(1/beta)))
}

// LaplaceEpsilon returns the pure ε of Laplace noise of the given scale on a change of the given L1 norm: their quotient
// (Dwork and Roth 2014, theorem 3.6). For HDP-LDA's scale 2/ε_L and one word replaced, which moves two counts by 1, it is
// ε_L; for noise that stays in the counts a later release moves four.
func LaplaceEpsilon(norm, scale float64) float64 {
	if norm == 0 {
		return 0
	}
	return up(norm / scale)
}

// BitEpsilon returns the pure ε of a bit that is replaced by a fair coin with probability f in [0, 1]:
// log((1−f/2)/(f/2)) (LP-LDA, theorem 4).
func BitEpsilon(f float64) float64 { return up(math.Log1p(2 * (1 - f) / f)) }

// WordEpsilon returns the pure ε of a presence vector of such bits under the replacement of one word by another: two bits
// change.
func WordEpsilon(f float64) float64 { return 2 * BitEpsilon(f) }

// ChangedBits returns how many bits of a presence vector over a vocabulary change at most where a document is replaced by
// any other, both of at most words distinct ones: 2·words, and no more than there are.
func ChangedBits(vocabulary, words uint64) uint64 {
	if words < vocabulary/2+vocabulary%2 {
		return 2 * words
	}
	return vocabulary
}

// DocumentEpsilon returns the pure ε of a presence vector under the replacement of the document: that of ChangedBits.
func DocumentEpsilon(f float64, vocabulary, words uint64) float64 {
	return Guarantee{Epsilon: BitEpsilon(f)}.Linear(ChangedBits(vocabulary, words)).Epsilon
}
