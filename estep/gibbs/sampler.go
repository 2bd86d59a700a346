package gibbs

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A sampler draws the topics of one document at a time. Its memory is reused.
//
// The mass of topic k for a token is n_k + α. Here n_k is the number of other tokens with topic k. A sum over weights ·
// masses has three parts: tokens in the columns, the other tokens in the block, and α. The weights know the sum over
// the topics for α.
type sampler struct {
	*columns
	rates *rates // which tokens a sweep draws again

	// The tokens. Tokens with the same word are adjacent.
	word   []uint32 // its word's index in words
	topics []uint32
	order  []uint32 // the order of visits: a permutation of the tokens
	some   []uint32 // the tokens in order that a sweep draws again

	shift int      // one token has mass 2^shift
	prior uint64   // α, as a mass in the same unit
	block []uint32 // columns of the tokens that are taken out of counts

	ends   []uint64  // running sums of the last products
	ones   []uint32  // a mass for each topic
	shares []float32 // for each word and column, padded: the sum of probabilities, without the part from α
	priors []float64 // for each word: the part from α in a topic's share, for each unit of the word's weight
}

// blockSize is the number of tokens that leave counts together and come back with their new topics. A processor cannot
// read a vector of counts while a count in it is being written. Within one block no count is written.
const blockSize = 4

func newSampler(w *weights) *sampler {
	return &sampler{
		columns: newColumns(w), block: make([]uint32, blockSize), ends: make([]uint64, w.stride),
		ones: slices.Repeat([]uint32{1}, w.stride),
	}
}

// mostShift gives an α of one millionth two digits. The sums in short documents then stay far below 2^64. Near 2^64
// Uint64N rejects often.
const mostShift = 28

// begin takes a document. Its tokens have no topics yet.
func (s *sampler) begin(words []uint32, counts []uint32) {
	s.word, s.order = s.word[:0], s.order[:0]
	for i, c := range counts {
		for range c {
			s.order = append(s.order, uint32(len(s.word)))
			s.word = append(s.word, uint32(i))
		}
	}
	s.topics = append(s.topics[:0], s.word...) // of the same length
	// The sum over the topics of weight · mass is at most 2^weightBits · (N + Kα + K) · 2^shift. It must be below 2^63.
	k := float64(s.w.k)
	_, size := math.Frexp(float64(len(s.word)) + k*s.w.alpha + k) // below 2^size
	s.shift = min(mostShift, 63-weightBits-size)
	s.prior = uint64(max(1, math.Round(math.Ldexp(s.w.alpha, s.shift))))
	s.columns.begin(words)
	s.shares, s.priors = s.shares[:0], s.priors[:0]
}

// start gives each token a uniform topic, which depends on nothing.
func (s *sampler) start(coins *rand.Rand) {
	for token := range s.topics {
		s.put(uint32(token), uint32(coins.Uint64N(uint64(s.w.k))))
	}
}

// put gives a topic to a token that has none.
func (s *sampler) put(token, topic uint32) {
	s.topics[token] = topic
	s.counts[s.of(topic)]++
}

// sweep draws the topic of each token again, given the topics of all others. The order is random: an order by words
// would tell other tokens where one token's word stands (claim.md). If expected, it adds each topic's conditional
// probability to the sums that addShares returns.
func (s *sampler) sweep(coins *rand.Rand, expected bool) {
	if len(s.priors) == 0 {
		s.compact() // Shares are of the columns that their first sweep has.
		if expected {
			s.expect()
		}
	}
	shuffle(s.order, coins)
	for rest := s.drawn(coins); len(rest) > 0; {
		tokens := rest[:min(len(rest), blockSize)]
		rest = rest[len(tokens):]
		s.take(tokens)
		for i, token := range tokens {
			sum := s.weigh(token, i)
			column := s.pick(token, i, coins.Uint64N(sum))
			if expected {
				s.share(token, i, sum)
			}
			s.topics[token], s.block[i] = s.topic[column], column
		}
		for _, column := range s.block {
			s.counts[column]++
		}
	}
}

// drawn returns the tokens that a sweep draws again, in the order of visits. The coin for one token may depend on its
// word and its topic before.
func (s *sampler) drawn(coins *rand.Rand) []uint32 {
	if s.rates == nil {
		return s.order
	}
	s.some = slices.Grow(s.some[:0], len(s.order))[:len(s.order)]
	n := 0
	for _, token := range s.order {
		s.some[n] = token
		n += s.rates.coin(s.words[s.word[token]], s.topics[token], coins)
	}
	return s.some[:n]
}

// take takes a block of tokens out of counts.
func (s *sampler) take(tokens []uint32) {
	s.block = s.block[:len(tokens)]
	for i, token := range tokens {
		column := s.column[s.topics[token]]
		s.block[i] = column
		s.counts[column]--
	}
}

// weigh returns the sum over the topics of weight · mass for token i of the block.
func (s *sampler) weigh(token uint32, i int) uint64 {
	word := s.word[token]
	row := s.rows[word]
	products(s.ends[:s.width], row, s.counts)
	sum := total(s.ends[:s.width])
	for j, column := range s.block {
		if j != i {
			sum += uint64(row[column])
		}
	}
	return sum<<s.shift + s.w.sums[s.words[word]]*s.prior
}

// pick returns the column of the topic at a place below the sum that weigh just returned. Each topic has weight · mass
// places. First come the places of the columns, then the places of the block's other tokens, then the places of α. Only
// α may find a topic without a column, and then pick adds the column.
func (s *sampler) pick(token uint32, i int, place uint64) (column uint32) {
	ends := s.ends[:s.width]
	at, sum := place>>s.shift, total(ends)
	if at < sum {
		return s.lanewise[find(ends, at)]
	}
	at -= sum
	word := s.word[token]
	for j, column := range s.block {
		if j == i {
			continue
		}
		x := uint64(s.rows[word][column])
		if at < x {
			return column
		}
		at -= x
	}
	at = at<<s.shift | place&(1<<s.shift-1)
	products(s.ends, s.w.row(s.words[word]), s.ones)
	return s.of(uint32(element(find(s.ends, at/s.prior), len(s.ends))))
}

// expect begins the shares.
func (s *sampler) expect() {
	n := len(s.words)
	s.shares, s.priors = slices.Grow(s.shares, n*s.w.stride)[:n*s.w.stride], slices.Grow(s.priors, n)[:n]
	clear(s.shares)
	clear(s.priors)
}

// share adds the probabilities in the draw of token i of the block. sum is the result of weigh for this draw.
func (s *sampler) share(token uint32, i int, sum uint64) {
	word := int(s.word[token])
	row, shares := s.rows[word], s.shares[word*s.w.stride:][:s.width]
	each := float32(math.Ldexp(1, s.shift) / float64(sum))
	share(shares, row, s.counts, each)
	for j, column := range s.block {
		if j != i {
			shares[column] += float32(row[column]) * each
		}
	}
	s.priors[word] += float64(s.prior) / float64(sum)
}

// addShares adds the sums of conditional probabilities over the expected sweeps: words × K.
func (s *sampler) addShares(shares []float32) {
	k := s.w.k
	for word, prior := range s.priors {
		to, row := shares[word*k:(word+1)*k], s.w.row(s.words[word])
		for topic := range to {
			to[topic] += float32(row[topic]) * float32(prior)
		}
		for column, topic := range s.topic {
			to[topic] += s.shares[word*s.w.stride+column]
		}
	}
}
