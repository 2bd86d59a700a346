package score

import "math"

// A Coherence counts the documents that hold each word of interest, and each pair of such words.
type Coherence struct {
	documents int
	place     map[uint32]int // each such word's index
	single    []int
	pairs     []int // the pair i < j is at i·n + j
	present   []int // scratch
}

// NewCoherence returns a counter for the word ids of interest.
func NewCoherence(ids []uint32) *Coherence {
	c := &Coherence{place: make(map[uint32]int)}
	for _, id := range ids {
		if _, ok := c.place[id]; !ok {
			c.place[id] = len(c.place)
		}
	}
	c.single = make([]int, len(c.place))
	c.pairs = make([]int, len(c.place)*len(c.place))
	return c
}

// Add counts one document, given its distinct word ids.
func (c *Coherence) Add(ids []uint32) {
	c.documents++
	c.present = c.present[:0]
	for _, id := range ids {
		if i, ok := c.place[id]; ok {
			c.present = append(c.present, i)
		}
	}
	for a, i := range c.present {
		c.single[i]++
		for _, j := range c.present[:a] {
			c.pairs[min(i, j)*len(c.single)+max(i, j)]++
		}
	}
}

// Documents returns the number of counted documents.
func (c *Coherence) Documents() int { return c.documents }

// NPMI returns the normalized pointwise mutual information, averaged over the pairs of a topic's top words,
//
//	NPMI(v, w) = log(p(v,w) / (p(v)p(w))) / −log p(v,w),
//
// with p the share of the documents that hold the word or both (Bouma, Normalized (Pointwise) Mutual Information in
// Collocation Extraction, GSCL 2009; Lau, Newman and Baldwin, Machine Reading Tea Leaves, EACL 2014). The mean is in
// [−1, 1]. Pairs that never occur together count −1. All ids must be words of interest. Fewer than two ids give NaN.
func (c *Coherence) NPMI(ids []uint32) float64 {
	sum, pairs := 0.0, 0
	for a, v := range ids {
		for _, w := range ids[:a] {
			sum += c.npmi(c.place[v], c.place[w])
			pairs++
		}
	}
	return sum / float64(pairs)
}

func (c *Coherence) npmi(i, j int) float64 {
	n := float64(c.documents)
	both := float64(c.pairs[min(i, j)*len(c.single)+max(i, j)]) / n
	switch both {
	case 0:
		return -1
	case 1:
		return 1 // together in every document
	}
	return math.Log(both/(float64(c.single[i])/n*float64(c.single[j])/n)) / -math.Log(both)
}
