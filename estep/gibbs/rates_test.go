package gibbs

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFrequent: the frequent words of a topic are the likeliest that together have the share, by hand.
func TestFrequent(t *testing.T) {
	released := []float32{
		.1, .4, .2, .3, // half: words 1 and 3
		0, 5, 5, 0, // half: word 1, the first of two that are as likely
	}
	r := newRates(Subsampling{Rate: .2, Adaptive: 2, Frequent: .5}, 2, 4, released)
	for topic, want := range [][]bool{{false, true, false, true}, {false, true, false, false}} {
		for word, w := range want {
			if got := r.frequent[word*2+topic]; got != w {
				t.Errorf("topic %d, word %d: frequent is %v", topic, word, got)
			}
		}
	}
	for i, frequent := range newRates(Subsampling{Rate: .2, Adaptive: 2, Frequent: 1}, 2, 4, released).frequent {
		if topic, word := i%2, i/2; released[topic*4+word] > 0 && !frequent {
			t.Errorf("topic %d, word %d: a share of 1 leaves it out", topic, word)
		}
	}
	if newRates(Subsampling{Rate: 1}, 2, 4, released) != nil {
		t.Error("a rate of 1 throws coins")
	}
}

// TestRates: tokens are drawn again at their rates. A right program fails once in a million times.
func TestRates(t *testing.T) {
	const throws = 40_000
	r := &rates{Subsampling: Subsampling{Rate: .3, Adaptive: 2, Frequent: .5, Least: .05}, k: 1,
		frequent: []bool{true, false}}
	random := rand.New(rand.NewPCG(1, 2))
	for word, want := range []float64{.6, .05} {
		drawn := 0.
		for range throws {
			drawn += float64(r.coin(uint32(word), 0, random))
		}
		if limit := math.Sqrt(math.Log(4e6) / (2 * throws)); math.Abs(drawn/throws-want) > limit { // Hoeffding
			t.Errorf("word %d is drawn at a rate of %v, want %v", word, drawn/throws, want)
		}
	}
}

// TestLossOfRates enumerates all topics after a sweep, and the tokens that the sweep drew again. The exchange of one
// word loses at most the draws, whatever words are frequent.
func TestLossOfRates(t *testing.T) {
	const k, v, draws = 2, 3, 2
	random := rand.New(rand.NewPCG(23, 24))
	sub := Subsampling{Rate: .4, Adaptive: 1.5, Frequent: .5, Least: .2}
	if err := sub.check(draws); err != nil {
		t.Fatal(err)
	}
	m := &Model{options: Options{Sweeps: 1, Draws: draws, Subsampling: sub}}
	most := 0.0
	for range 3000 {
		r := &rates{Subsampling: sub, k: k, frequent: make([]bool, k*v)}
		for i := range r.frequent {
			r.frequent[i] = random.IntN(2) == 0
		}
		w := newWeights(k, v, 0.01+0.2*random.Float64(), randomWeights(random, k, v), m.perSweep())
		others := []int{random.IntN(4), random.IntN(4)}
		from, to := random.IntN(k), random.IntN(k)
		// The exchanged token has two outcomes: not drawn, or drawn to a topic. The outcomes of other tokens have the
		// same probabilities.
		outcomes := func(word uint32) []float64 {
			rate := r.Least
			if r.frequent[int(word)*k+from] {
				rate = r.Adaptive * r.Rate
			}
			return []float64{1 - rate, rate * conditional(w, word, others)[to]}
		}
		p, q := outcomes(random.Uint32N(v)), outcomes(random.Uint32N(v))
		for i := range p {
			most = max(most, math.Abs(math.Log(p[i]/q[i])))
		}
	}
	if most > draws*(1+1e-9) || most < 0.9*draws {
		t.Errorf("the largest loss is %v, must be at most %v, and near it", most, draws)
	}
}

// TestSubsamplingRefuses settings that are out of range, or lose more than the draws allow.
func TestSubsamplingRefuses(t *testing.T) {
	for _, c := range []struct {
		s     Subsampling
		draws float64
		ok    bool
	}{
		{Subsampling{Rate: 1}, 0, true},
		{Subsampling{Rate: .5}, 1, true},
		{Subsampling{Rate: 0}, 0, false},
		{Subsampling{Rate: 1.1}, 0, false},
		{Subsampling{Rate: math.NaN()}, 0, false},
		{Subsampling{Rate: .1, Adaptive: 4, Frequent: .5}, 0, true}, // the paper's
		{Subsampling{Rate: .1, Adaptive: 4, Frequent: .5}, 9, false},
		{Subsampling{Rate: .1, Adaptive: 4, Frequent: .5, Least: .01}, 3.6, false}, // ln 40 = 3.69
		{Subsampling{Rate: .1, Adaptive: 4, Frequent: .5, Least: .01}, 3.7, true},
		{Subsampling{Rate: .1, Adaptive: 4, Frequent: .5, Least: 1e-7}, 30, false},
		{Subsampling{Rate: .1, Adaptive: 10, Frequent: .5}, 0, false},
		{Subsampling{Rate: .1, Adaptive: 1, Frequent: .5}, 0, false},
		{Subsampling{Rate: .1, Adaptive: 4}, 0, false},
		{Subsampling{Rate: .1, Adaptive: 4, Frequent: .5, Least: .2}, 0, false},
		{Subsampling{Rate: .1, Adaptive: 9.9999999, Frequent: .5, Least: .1}, 30, false},
		{Subsampling{Rate: .1, Frequent: .5}, 0, false},
	} {
		if err := c.s.check(c.draws); (err == nil) != c.ok {
			t.Errorf("%+v, draws %v: %v", c.s, c.draws, err)
		}
	}
}

// TestAdaptiveSample: where the frequent words of each topic have the share q of it, the sizes of the uniform and the
// adaptive sample, and their variances, have the ratios of SUB-LDA's equations 11 and 12.
func TestAdaptiveSample(t *testing.T) {
	const gamma, adaptive, q = .2, 3, .75
	counts := []float32{45, 5, 30, 20, 7, 30, 8, 15} // words 0 and 2 have 75 of 100, words 1 and 3 have 45 of 60
	r := newRates(Subsampling{Rate: gamma, Adaptive: adaptive, Frequent: q}, 2, 4, counts)
	random := rand.New(rand.NewPCG(3, 4))
	const throws = 500
	tokens, sum, square := 0., 0., 0.
	for i, n := range counts {
		tokens += float64(n)
		rate := 0.
		for range throws * int(n) {
			rate += float64(r.coin(uint32(i%4), uint32(i/4), random)) / (throws * float64(n))
		}
		sum += float64(n) * rate
		square += float64(n) * rate * (1 - rate)
	}
	// The size is 72. 60,000 coins of frequent words move it by more than √(60,000·ln(2·10⁹)/2)/500 = 1.6 once in 10⁹
	// times (Hoeffding).
	if got, want := gamma*tokens/sum, 1/(adaptive*q); math.Abs(got/want-1) > .03 {
		t.Errorf("the ratio of sizes is %v, want %v", got, want)
	}
	want := (1 - gamma) / (q * adaptive * (1 - adaptive*gamma))
	if got := gamma * (1 - gamma) * tokens / square; math.Abs(got/want-1) > .05 {
		t.Errorf("the ratio of variances is %v, want %v", got, want)
	}
}
