package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/cryptotest"
)

func TestLowerEpsilon(t *testing.T) {
	for _, test := range []struct {
		o            onerun
		delta, alpha float64
		// the formula of theorem 5.2 with scipy.stats.binom, solved by scipy.optimize.brentq, SciPy 1.17
		want   float64
		pAtOne float64 // the p-value at ε = 1, likewise
	}{
		{onerun{1000, 100, 95}, 1e-5, 0.05, 2.1651757997139844, 0.0006639144683528919},
		{onerun{10000, 400, 370}, 1e-5, 0.00625, 1.8979649180743106, 0.002070355707608217},
		{onerun{1000, 300, 299}, 1e-4, 0.05, 3.9662621963179268, 0.0020696206075840645},
		{onerun{100, 100, 100}, 0, 0.05, 3.4929654311522937, 2.4843785557240162e-14},
		{onerun{50, 50, 25}, 0, 0.05, 0, 0.999856833632168},
	} {
		if got := test.o.lowerEpsilon(test.delta, test.alpha); got != test.want {
			near(t, "ε", got, test.want, 1e-9)
		}
		near(t, "p-value", test.o.pValue(1, test.delta), test.pAtOne, 1e-9)
	}
	if p := (onerun{10, 10, 0}).pValue(1, 0); p != 1 {
		t.Errorf("no right guess has p-value %v", p)
	}
}

func TestLowerMu(t *testing.T) {
	for _, test := range []struct {
		o onerun
		// the recursion of algorithm 3 with scipy.stats.norm, solved by scipy.optimize.brentq, SciPy 1.17
		alpha, want float64
	}{
		{onerun{1000, 100, 95}, 0.05, 0.7868118146841211},
		{onerun{10000, 400, 370}, 0.00625, 0.5946813400336611},
		{onerun{10000, 3000, 2990}, 0.05, 1.7140828761718285},
		{onerun{2000, 2000, 1400}, 0.01, 0.2897871078059565},
		{onerun{1, 1, 1}, 0.05, 0}, // one guess shows nothing
	} {
		if got := test.o.lowerMu(test.alpha); got != test.want {
			near(t, "μ", got, test.want, 1e-9)
		}
	}
}

func TestGuessExtremes(t *testing.T) {
	released := []int64{5, -3, 8, 0, 9, -7, 1, 2}
	included := []bool{true, false, true, true, false, false, false, true}
	// Descending: 9 8 5 2 1 0 −3 −7, held: no yes yes yes no yes no no. Guesses of yes for the first k, of no for the
	// last k.
	want := []onerun{{8, 8, 6}, {8, 4, 3}, {8, 2, 1}}
	if got := guessExtremes(released, included); !slices.Equal(got, want) {
		t.Errorf("guesses are %v, want %v", got, want)
	}
}

// scatteredRun returns what a privatizer with clip 1 releases of m canaries, which coins put in, under Gaussian noise.
func scatteredRun(random *rand.Rand, m int, scale float64) (released []int64, included []bool) {
	released, included = make([]int64, m), coins(m)
	for i := range released {
		released[i] = int64(math.Round(1000 * scale * random.NormFloat64()))
		if included[i] {
			released[i] += 1000
		}
	}
	return released, included
}

// TestHonestRun audits one run of canaries under Gaussian noise with μ = 1, and under randomized response with ε = 1,
// the mechanism at which the bound is tight. Each may exceed the claim with probability 0.05: in 100 times more than 18
// do with probability below 1e-6 (binomial). The streams are fixed.
func TestHonestRun(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1) // for coins
	random := rand.New(rand.NewPCG(1, 1))
	const runs, most, m = 100, 18, 1000
	byEpsilon, byMu, byResponse, total := 0, 0, 0, 0.0
	for range runs {
		response := onerun{canaries: m, guessed: m}
		for range m {
			if random.Float64() < 1/(1+math.Exp(-1)) {
				response.right++
			}
		}
		options := guessExtremes(scatteredRun(random, m, 1))
		epsilon, _ := largest(options, func(o onerun) float64 { return o.lowerEpsilon(1e-5, 0.05/guessShares) })
		mu, _ := largest(options, func(o onerun) float64 { return o.lowerMu(0.05 / guessShares) })
		if epsilon > gaussianEpsilon(1, 1e-5) {
			byEpsilon++
		}
		if mu > 1 {
			byMu++
		}
		if response.lowerEpsilon(0, 0.05) > 1 {
			byResponse++
		}
		total += mu
	}
	if byEpsilon > most || byMu > most || byResponse > most {
		t.Errorf("of %d honest runs %d exceed the claim by ε, %d by μ, %d by randomized response",
			runs, byEpsilon, byMu, byResponse)
	}
	if total/runs < 0.3 {
		t.Errorf("the bound on μ is %v on average: it tells nothing", total/runs)
	}
}

// TestRunWithLittleNoise audits one run under a fourth of the noise of μ = 1: μ is 4. The bound on μ is far above 1
// each time, and that on ε above what μ = 1 gives, at a tenth of one over the number of canaries as δ: of 60 runs 2.08
// and 5.36 on average, the bound on ε with a standard deviation of 0.02. Either fails with a probability below 1e-9.
// The streams are fixed.
func TestRunWithLittleNoise(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1) // for coins
	options := guessExtremes(scatteredRun(rand.New(rand.NewPCG(1, 1)), 10000, 0.25))
	if mu, _ := largest(options, func(o onerun) float64 { return o.lowerMu(0.05 / guessShares) }); mu < 1.4 {
		t.Errorf("bound on μ is %v", mu)
	}
	const delta = 1e-5
	epsilon, _ := largest(options, func(o onerun) float64 { return o.lowerEpsilon(delta, 0.05/guessShares) })
	if claimed := gaussianEpsilon(1, delta); epsilon < claimed+0.2 {
		t.Errorf("bound on ε is %v, claimed would be %v", epsilon, claimed)
	}
}
