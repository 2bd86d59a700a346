package gibbs

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Subsampling chooses the tokens that a sweep draws again. The others keep their topics (Zhao, Zhu and Zhang, SUB-LDA,
// algorithm 1 and §5.6).
type Subsampling struct {
	Rate float64 // γ: the probability that a token is drawn again; 0 stands for 1
	// v: a token that is frequent in its topic is drawn again with probability vγ, others with probability Least; 0:
	// all with γ
	Adaptive float64
	Frequent float64 // q: a topic's most frequent words that together have this share of it are frequent
	Least    float64
}

// check returns an error if a setting is out of its range. draws bounds the loss in one sweep by one token's coin and
// draw; 0: no bound.
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
		return fmt.Errorf("--draws needs an --adaptive times --word-rate of at most 1-%v, is %v", leastRate,
			s.Adaptive*s.Rate)
	case draws > 0 && s.Least < leastRate:
		return fmt.Errorf("--draws needs a --least-rate of at least %v: by a token that is never drawn again "+
			"everybody sees that its word is not frequent", leastRate)
	case draws > 0 && !(s.loss() < draws):
		return fmt.Errorf("--draws must be above %v a sweep, the loss of the adaptive rates alone, is %v", s.loss(),
			draws)
	}
	return nil
}

// leastRate is the least probability for either side of the coins if draws have a bound. Coins have 53 bits. From
// leastRate on, rounding changes a probability by no more than a factor that loss allows for.
const leastRate = 1e-6

// loss is the pure loss by one token's coin in one sweep. Only with Adaptive there is a loss: then the coin has one of
// two rates, and the rate depends on the token's word. The loss is the larger log ratio: between the two probabilities
// to draw the token again, or between the two probabilities not to.
func (s Subsampling) loss() float64 {
	if s.Adaptive == 0 {
		return 0
	}
	high := s.Adaptive * s.Rate
	return max(math.Log(high/s.Least), math.Log((1-s.Least)/(1-high))) + 1e-9 // for the rounding of coins
}

// rates are the probabilities in one sweep; nil: all are 1.
type rates struct {
	Subsampling
	k        int
	frequent []bool // whether word v is frequent in topic k, at v·K+k; nil: no word is
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

// coin throws the coin that decides whether a token is drawn again. 1 means that it is.
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
	// A number of 53 bits is below the rate as often as Float64 is. The borrow shows it without a branch.
	_, below := bits.Sub64(coins.Uint64()>>11, uint64(math.Ceil(rate*(1<<53))), 0)
	return int(below)
}
