package reconstruct

import "math/rand/v2"

// rebuild changes the batch so that want[w] of its reports have word w, each want in [0, M]. For each word it draws the
// reports to change uniformly from the reports with the other value: steps 3 and 4 of LP-LDA (Zhao et al., §V-B).
func (b *batch) rebuild(want []int, coins *rand.Rand) {
	for word, n := range b.counts() {
		missing := want[word] > n
		change := want[word] - n
		candidates := len(b.reports) - n
		if !missing {
			change, candidates = -change, n
		}
		// Selection sampling: Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S.
		for report := 0; change > 0; report++ {
			if b.has(report, word) == missing {
				continue
			}
			if coins.IntN(candidates) < change {
				b.flip(report, word)
				change--
			}
			candidates--
		}
	}
}
