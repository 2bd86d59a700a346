package gibbs

import (
	"math"
	"math/rand/v2"
)

// A sampler draws the topics of one document at a time; its memory is reused.
type sampler struct {
	w     *weights
	rates *rates   // of a sweep
	words []uint32 // the document's distinct words

	// Of each token; the tokens of a word stand together.
	word   []uint32 // its number in words
	topics []uint32
	order  []uint32 // of visits: a permutation of the tokens

	step uint64   // what a token adds to the mass of its topic
	mass []uint64 // n_k + α of each topic, in steps
	ends []uint64 // running sums of w_kt · (n_k + α)
}

func newSampler(w *weights) *sampler {
	return &sampler{w: w, mass: make([]uint64, w.k), ends: make([]uint64, w.k)}
}

// begin takes a document whose tokens have no topics yet.
func (s *sampler) begin(words []uint32, counts []uint32) {
	s.words, s.word, s.order = words, s.word[:0], s.order[:0]
	for i, c := range counts {
		for range c {
			s.order = append(s.order, uint32(len(s.word)))
			s.word = append(s.word, uint32(i))
		}
	}
	s.topics = append(s.topics[:0], s.word...) // of the same length
	// The sum over the topics of weight · mass is at most 2^weightBits · (N + Kα + K) · step, and must be below 2^64.
	k := float64(s.w.k)
	_, size := math.Frexp(float64(len(s.word)) + k*s.w.alpha + k) // below 2^size
	s.step = 1 << min(32, 63-weightBits-size)
	prior := uint64(max(1, math.Round(s.w.alpha*float64(s.step))))
	for topic := range s.mass {
		s.mass[topic] = prior
	}
}

// start gives each token a topic that depends on nothing.
func (s *sampler) start(coins *rand.Rand) {
	for token := range s.topics {
		s.put(uint32(token), uint32(coins.Uint64N(uint64(s.w.k))))
	}
}

// put gives a token, which has none, a topic.
func (s *sampler) put(token, topic uint32) {
	s.topics[token] = topic
	s.mass[topic] += s.step
}

// sweep draws the topic of each token again, given those of all others, in a random order: an order by words would tell other tokens
// where the word of a token stands (claim.md). If shares is not nil, it adds the conditional probability of each topic to the row of
// the token's word: words × K.
func (s *sampler) sweep(coins *rand.Rand, shares []float32) {
	k := s.w.k
	coins.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	for _, token := range s.order {
		if s.rates != nil && !s.rates.drawn(s.words[s.word[token]], s.topics[token], coins) {
			continue
		}
		s.mass[s.topics[token]] -= s.step
		word := int(s.word[token])
		s.put(token, s.draw(s.w.row(s.words[word]), coins))
		if shares != nil {
			s.addShares(shares[word*k : (word+1)*k])
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
