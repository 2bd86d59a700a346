package gibbs

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Subsampling says which tokens a sweep draws again; the others keep their topics (Zhao, Zhu and Zhang, SUB-LDA, algorithm 1 and §5.6).
type Subsampling struct {
	Rate     float64 // γ: probability that a token is drawn again; 0 stands for 1
	Adaptive float64 // v: a token that is frequent in its topic is drawn again with probability vγ, others with probability Least; 0: all with γ
	Frequent float64 // q: the words of a topic that together have this share of it are frequent
	Least    float64
}

// check returns an error if a setting is out of its range. draws is the bound on the loss of the draws of a token in a sweep, 0 for none.
func (s Subsampling) check(draws float64) error {
	switch {
	case !(s.Rate > 0 && s.Rate <= 1):
		return fmt.Errorf("--word-rate must be in (0, 1], is %v", s.Rate)
	case s.Adaptive == 0 && (s.Frequent != 0 || s.Least != 0):
		return fmt.Errorf("--frequent and --least-rate belong to --adaptive")
	case s.Adaptive == 0:
		return nil
	case !(s.Adaptive > 1 && s.Adaptive*s.Rate < 1):
		return fmt.Errorf("--adaptive must be above 1 and below 1/(--word-rate), is %v", s.Adaptive)
	case !(s.Frequent > 0 && s.Frequent <= 1):
		return fmt.Errorf("--frequent must be in (0, 1], is %v", s.Frequent)
	case !(s.Least >= 0 && s.Least <= s.Rate):
		return fmt.Errorf("--least-rate must be in [0, --word-rate], is %v", s.Least)
	case draws > 0 && 1-s.Adaptive*s.Rate < leastRate:
		return fmt.Errorf("--draws needs an --adaptive times --word-rate of at most 1-%v, is %v", leastRate, s.Adaptive*s.Rate)
	case draws > 0 && s.Least < leastRate:
		return fmt.Errorf("--draws needs a --least-rate of at least %v: by a token that is never drawn again everybody sees that its word is not frequent", leastRate)
	case draws > 0 && !(s.loss() < draws):
		return fmt.Errorf("--draws must be above %v a sweep, the loss of the adaptive rates alone, is %v", s.loss(), draws)
	}
	return nil
}

// leastRate is the smallest probability, of a coin and of its other side, that coins of 53 bits have up to a factor that loss allows for.
const leastRate = 1e-6

// loss is the pure loss by which the coins of a token tell its word: the larger log ratio of the two probabilities to draw it again, and
// not to.
func (s Subsampling) loss() float64 {
	if s.Adaptive == 0 {
		return 0
	}
	high := s.Adaptive * s.Rate
	return max(math.Log(high/s.Least), math.Log((1-s.Least)/(1-high))) + 1e-9 // for the rounding of coins
}

// rates are the probabilities of a sweep; nil: all are 1.
type rates struct {
	Subsampling
	k        int
	frequent []bool // of word v in topic k at v·K+k; nil: none is
}

// newRates takes K×V released weights, row by row.
func newRates(s Subsampling, k, v int, released []float32) *rates {
	if s.Rate == 0 || s.Rate == 1 {
		return nil
	}
	r := &rates{Subsampling: s, k: k}
	if s.Adaptive == 0 {
		return r
	}
	r.frequent = make([]bool, k*v)
	words := make([]int, v)
	for topic := range k {
		row := released[topic*v : (topic+1)*v]
		total := 0.0
		for word, x := range row {
			words[word] = word
			total += float64(x)
		}
		share := 0.0
		slices.SortStableFunc(words, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
		// Equation 10: the most frequent words that together have the share q of the topic.
		for _, word := range words {
			if share >= s.Frequent*total {
				break
			}
			r.frequent[word*k+topic] = true
			share += float64(row[word])
		}
	}
	return r
}

// coin throws the coin that decides whether a token is drawn again: 1 if it is.
func (r *rates) coin(word, topic uint32, coins *rand.Rand) int {
	if r == nil {
		return 1
	}
	rate := r.Rate
	if r.frequent != nil {
		rate = r.Least
		if r.frequent[int(word)*r.k+int(topic)] {
			rate = r.Adaptive * r.Rate
		}
	}
	// A number of 53 bits is below the rate as often as Float64 is. The borrow tells without a branch.
	_, below := bits.Sub64(coins.Uint64()>>11, uint64(math.Ceil(rate*(1<<53))), 0)
	return int(below)
}
