package gibbs

import (
	"math"
	"math/rand/v2"
)

// A sampler draws the topics of one document at a time; its memory is reused.
type sampler struct {
	w      *weights
	words  []uint32 // the document's distinct words
	counts []int    // of the words
	topics []uint32 // of each token; the tokens of a word stand together, in the order of words
	step   uint64   // what a token adds to a topic in mass
	mass   []uint64 // (n_k + α) of each topic, in whole numbers
	ends   []uint64 // running sums of w_kt · (n_k + α)
}

func newSampler(w *weights) *sampler {
	return &sampler{w: w, mass: make([]uint64, w.k), ends: make([]uint64, w.k)}
}

// begin takes a document whose tokens have no topics yet.
func (s *sampler) begin(words []uint32, counts []uint32) {
	s.words, s.counts, s.topics = words, s.counts[:0], s.topics[:0]
	tokens := 0
	for _, c := range counts {
		s.counts = append(s.counts, int(c))
		tokens += int(c)
	}
	// The sum over the topics of weight · mass is at most 2^weightBits · (N + Kα + K) · step, and must be below 2^64.
	k := float64(s.w.k)
	_, size := math.Frexp(float64(tokens) + k*s.w.alpha + k) // below 2^size
	s.step = 1 << min(32, 63-weightBits-size)
	prior := uint64(max(1, math.Round(s.w.alpha*float64(s.step))))
	for topic := range s.mass {
		s.mass[topic] = prior
	}
	s.topics = append(s.topics, make([]uint32, tokens)...)
}

// uniform gives each token a topic that depends on nothing.
func (s *sampler) uniform(coins *rand.Rand) {
	for i := range s.topics {
		s.put(i, uint32(coins.Uint64N(uint64(s.w.k))))
	}
}

// sequential gives each token a topic given those of the tokens before it.
func (s *sampler) sequential(coins *rand.Rand) {
	s.each(func(i, word int, row []uint32) { s.put(i, s.draw(row, coins)) })
}

// put gives token i, which has none, a topic.
func (s *sampler) put(i int, topic uint32) {
	s.topics[i] = topic
	s.mass[topic] += s.step
}

// sweep draws the topic of each token again, given those of all others. If shares is not nil, it adds the conditional probability of
// each topic to the row of its word: words × K.
func (s *sampler) sweep(coins *rand.Rand, shares []float32) {
	k := s.w.k
	s.each(func(i, word int, row []uint32) {
		s.mass[s.topics[i]] -= s.step
		s.put(i, s.draw(row, coins))
		if shares != nil {
			s.addShares(shares[word*k : (word+1)*k])
		}
	})
}

// each calls a function for each token, with the number and the weights of its word.
func (s *sampler) each(do func(token, word int, row []uint32)) {
	token := 0
	for i, word := range s.words {
		row := s.w.row(word)
		for range s.counts[i] {
			do(token, i, row)
			token++
		}
	}
}

// draw draws a topic with probability w_kt · (n_k + α) over the sum: exactly, since all are whole numbers. It leaves the running sums in
// ends.
func (s *sampler) draw(row []uint32, coins *rand.Rand) uint32 {
	total := uint64(0)
	ends := s.ends[:len(row)]
	for k, m := range s.mass[:len(row)] {
		total += uint64(row[k]) * m
		ends[k] = total
	}
	at := coins.Uint64N(total)
	low, high := 0, len(ends)-1
	for low < high {
		if middle := (low + high) / 2; ends[middle] > at {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return uint32(low)
}

// addShares adds the probabilities of the last draw.
func (s *sampler) addShares(shares []float32) {
	before, scale := uint64(0), 1/float64(s.ends[len(s.ends)-1])
	for k, end := range s.ends {
		shares[k] += float32(float64(end-before) * scale)
		before = end
	}
}
