package lda

import (
	"math/rand/v2"
	"sort"

	"privpipe/pipelines/model"
)

// Length brings documents to a common length, as the papers do.
type Length struct {
	Words    int  // N; 0: documents stay as they are
	Resample bool // draw N words with replacement; else keep at most N words, drawn without replacement
}

// apply returns the document's words at the length. The document's words and counts seed the coins. So the result is
// the same in every round and under every id, and does not depend on other documents. A document without words stays
// empty.
func (l Length) apply(document *model.Coins, ids []uint32, counts []float32) ([]uint32, []float32) {
	if l.Words == 0 {
		return ids, counts
	}
	all, tokens := document.Document.Counts, 0
	for _, c := range all {
		tokens += int(c)
	}
	if tokens == 0 || !l.Resample && tokens <= l.Words {
		return ids, counts
	}
	coins := document.Public("lda length")
	drawn := make([]int, len(counts))
	if l.Resample {
		multinomial(coins, drawn, all, tokens, l.Words)
	} else {
		hypergeometric(coins, drawn, all, tokens, l.Words)
	}
	kept := 0
	for i, n := range drawn {
		if n > 0 {
			ids[kept], counts[kept] = ids[i], float32(n)
			kept++
		}
	}
	return ids[:kept], counts[:kept]
}

// multinomial draws n of the tokens with replacement and counts them by word.
func multinomial(coins *rand.Rand, drawn []int, counts []uint32, tokens, n int) {
	ends := make([]int, len(counts)) // offset after each word's tokens
	total := 0
	for i, c := range counts {
		total += int(c)
		ends[i] = total
	}
	for range n {
		token := coins.IntN(tokens)
		drawn[sort.SearchInts(ends, token+1)]++
	}
}

// hypergeometric draws n of the tokens without replacement and counts them by word. It uses selection sampling (Knuth,
// The Art of Computer Programming 2, §3.4.2, algorithm S).
func hypergeometric(coins *rand.Rand, drawn []int, counts []uint32, tokens, n int) {
	left := tokens
	for i, c := range counts {
		for range c {
			if coins.IntN(left) < n {
				drawn[i]++
				n--
			}
			left--
		}
	}
}
