package classic

import (
	"math"
	"testing"

	"privpipe/account/internal/renyi"
)

var (
	sigmas = []float64{1e-300, 1e-3, 0.1, 0.5, 1, 3, 40, 1e4, 1e8, 1e300}
	deltas = []float64{1e-307, 1e-300, 1e-100, 1e-12, 1e-5, 0.01, 0.4, 0.999999}
)

// TestGaussianInverses: ε and δ are inverses of each other, from above, and close.
func TestGaussianInverses(t *testing.T) {
	for _, sigma := range sigmas {
		for _, delta := range deltas {
			epsilon := GaussianEpsilon(sigma, delta)
			if !(epsilon >= 0) {
				t.Fatalf("σ %v δ %v: ε %v", sigma, delta, epsilon)
			}
			if math.IsInf(epsilon, 1) {
				if sigma > 1e-150 {
					t.Errorf("σ %v δ %v: no ε", sigma, delta)
				}
				continue
			}
			if got := GaussianDelta(sigma, epsilon); got > delta*(1+1e-9) {
				t.Errorf("σ %v: δ(ε(%v)) is %v", sigma, delta, got)
			}
			if epsilon == 0 {
				continue
			}
			if got := GaussianDelta(sigma*(1-1e-6), epsilon); got <= delta {
				t.Errorf("σ %v δ %v: ε %v is more than needed", sigma, delta, epsilon)
			}
		}
	}
}

// TestGaussianMonotone: ε falls with σ and δ, and grows with rounds; the exact one is the least, then the tight
// conversion of zCDP, then that of 2016.
func TestGaussianMonotone(t *testing.T) {
	for _, delta := range deltas {
		before := math.Inf(1)
		for _, sigma := range sigmas {
			exact := GaussianEpsilon(sigma, delta)
			tight := ZCDPEpsilonTight(Rho(sigma, 1), delta)
			loose := ZCDPEpsilon(Rho(sigma, 1), delta)
			if !(exact <= before) || !(exact <= tight) || !(tight <= loose*(1+1e-9)) {
				t.Errorf("σ %v δ %v: ε %v, %v, %v, with less noise %v", sigma, delta, exact, tight, loose, before)
			}
			if more := GaussianEpsilon(JointSigma(sigma, 10_000_000), delta); !(more >= exact) {
				t.Errorf("σ %v δ %v: ε %v, of 10⁷ rounds %v", sigma, delta, exact, more)
			}
			if less := GaussianEpsilon(sigma, delta/2); !(less >= exact) {
				t.Errorf("σ %v δ %v: ε %v, at half of δ %v", sigma, delta, exact, less)
			}
			before = exact
		}
	}
}

func TestGaussianLimits(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ name, got, want any }{
		{"no noise: δ", GaussianDelta(0, 3), 1.0},
		{"no noise: ε", GaussianEpsilon(0, 1e-6), inf},
		{"noise only: δ", GaussianDelta(inf, 0), 0.0},
		{"noise only: ε", GaussianEpsilon(inf, 1e-6), 0.0},
		{"δ 0: ε", GaussianEpsilon(1, 0), inf},
		{"δ 1: ε", GaussianEpsilon(1, 1), 0.0},
		{"δ never 0", GaussianDelta(1, 1e4) > 0, true},
		{"the least δ", GaussianDelta(1, GaussianEpsilon(1, 5e-324)), 5e-324},
		{"no rounds", GaussianEpsilon(JointSigma(1, 0), 1e-6), 0.0},
		{"no rounds: ρ", Rho(0, 0), 0.0},
		{"zCDP, δ 0", ZCDPEpsilonTight(1, 0), inf},
		{"zCDP, δ 1", ZCDPEpsilon(inf, 1), 0.0},
		{"zCDP, no loss", ZCDPDelta(0, 0), 0.0},
		{"zCDP, all lost", ZCDPDelta(inf, 3), 1.0},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestZCDPInverses: δ(ε(δ)) ≤ δ, and close.
func TestZCDPInverses(t *testing.T) {
	for _, rho := range []float64{1e-30, 1e-9, 1e-3, 0.5, 20, 1e6} {
		for _, delta := range deltas {
			epsilon := ZCDPEpsilonTight(rho, delta)
			if got := ZCDPDelta(rho, epsilon); !(got <= delta*(1+1e-6)) {
				t.Errorf("ρ %v: δ(ε(%v)) is %v", rho, delta, got)
			}
			if got := ZCDPDelta(rho, epsilon*(1-1e-4)); epsilon > 0 && got <= delta {
				t.Errorf("ρ %v δ %v: ε %v is more than needed", rho, delta, epsilon)
			}
		}
	}
}

// TestCompositionLimits: no composition is NaN or below its parts, and strong composition may be above linear.
func TestCompositionLimits(t *testing.T) {
	for _, epsilon := range []float64{0, 1e-300, 1e-3, 1, 700, 1e300, math.Inf(1)} {
		for _, delta := range []float64{0, 1e-300, 1e-6, 1} {
			one := Guarantee{epsilon, delta}
			for _, k := range []uint64{0, 1, 1000, 10_000_000, math.MaxUint64} {
				for _, slack := range []float64{1e-300, 1e-6, 1} {
					for _, all := range []Guarantee{one.Linear(k), one.Strong(k, slack)} {
						if !(all.Epsilon >= 0) || !(all.Delta >= 0) || k == 1 && all.Delta < delta {
							t.Errorf("%v, %d times: %v", one, k, all)
						}
					}
				}
			}
			for _, rate := range []float64{0, 1e-8, 0.5, 1} {
				got := one.Amplified(rate)
				if !(got.Epsilon >= 0) || !(got.Epsilon <= up(epsilon)) || !(got.Delta <= up(delta)) {
					t.Errorf("%v at %v: %v", one, rate, got)
				}
				if rate > 0 && !math.IsInf(epsilon, 1) {
					if back := beforeAmplification(got.Epsilon, rate); !near(back, epsilon, 1e-6) && epsilon > 1e-290 {
						t.Errorf("%v at %v: %v before amplification", one, rate, back)
					}
				}
			}
		}
	}
}

// TestRecipeLimits: δ that is spent already is no guarantee, and less noise is a larger claim.
func TestRecipeLimits(t *testing.T) {
	r := Recipe{Rate: 0.05, Rounds: 20, Delta: 1e-6, RoundDelta: 1e-6} // 20·0.05·1e-6 is all of it
	if got := r.Strong(3); !math.IsInf(got, 1) {
		t.Errorf("strong composition without slack: %v", got)
	}
	r.Delta = 1e-4
	for _, claim := range []func(float64) float64{r.Linear, r.Strong, r.ZCDP} {
		sigma := noiseFor(claim)
		if got := claim(sigma); !(got <= 1) || !(got > 1-1e-9) {
			t.Errorf("noise %v has ε %v, want 1", sigma, got)
		}
		for _, extreme := range []float64{0, 1e-300, 1e300, math.Inf(1)} {
			if got := claim(extreme); !(got >= 0) {
				t.Errorf("σ %v: ε %v", extreme, got)
			}
		}
	}
	if got := (Recipe{Rate: 0.05, Rounds: 2000, Delta: 1e-6, RoundDelta: 1e-6}).Linear(3); !math.IsInf(got, 1) {
		t.Errorf("linear composition beyond δ: %v", got)
	}
	// zcdp16's finding: the sharper the composition, the less noise. At these settings.
	r = Recipe{Rate: 1e-3, Rounds: 400, Delta: 1e-4, RoundDelta: 1e-6}
	linear, strong, zcdp := noiseFor(r.Linear), noiseFor(r.Strong), noiseFor(r.ZCDP)
	if !(zcdp < strong && strong < linear) {
		t.Errorf("noise %v by zCDP, %v by strong, %v by linear composition", zcdp, strong, linear)
	}
}

// noiseFor returns the least σ at which the claim is at most 1.
func noiseFor(claim func(sigma float64) float64) float64 {
	return least(1, func(sigma float64) bool { return claim(sigma) <= 1 })
}

// TestMomentsLimits: over the whole range the moments accountant gives a number that is no less than the better
// conversion.
func TestMomentsLimits(t *testing.T) {
	for _, q := range []float64{1e-8, 1e-3, 0.05, 1} {
		for _, sigma := range []float64{0.1, 1, 30} {
			curve := renyi.Remember(func(alpha float64) float64 { return renyi.PoissonGaussian(q, sigma, alpha) })
			for _, rounds := range []uint64{1, 1000, 10_000_000} {
				all := func(alpha float64) float64 { return float64(rounds) * curve(alpha) }
				for _, delta := range []float64{1e-300, 1e-6} {
					// of the orders that renyi.Epsilon looks at
					got, lambda := MomentsEpsilon(curve, rounds, delta, 1<<13)
					if best, _ := renyi.Epsilon(all, delta); !(got >= best) || lambda < 1 {
						t.Errorf("q %v σ %v, %d rounds, δ %v: ε %v at %d, Rényi %v",
							q, sigma, rounds, delta, got, lambda, best)
					}
				}
			}
		}
	}
	for _, c := range []struct {
		q, sigma float64
		want     int
	}{{0.05, 20, 0}, {0.5, 2, 0}, {1e-8, 1e4, mostLambda}, {0.05, 1.24, 4}, {1e-300, 0.01, 0}} {
		if got := MomentsLambda(c.q, c.sigma); got != c.want {
			t.Errorf("q %v σ %v: λ up to %d, want %d", c.q, c.sigma, got, c.want)
		}
	}
	none, _ := MomentsEpsilon(gaussian(1), 1, 1e-6, 0)
	if nothing, _ := MomentsEpsilon(gaussian(1), 0, 1e-6, 4); !math.IsInf(none, 1) || nothing != 0 {
		t.Errorf("without a λ %v, without a round %v", none, nothing)
	}
	// Without sampling the best λ is √(2σ² log(1/δ)/rounds), here far above 256: the search must find it.
	got, lambda := MomentsEpsilon(gaussian(300), 1, 1e-6, mostLambda)
	if want := math.Sqrt(2 * 300 * 300 * math.Log(1e6)); math.Abs(float64(lambda)-want) > 1 {
		t.Errorf("ε %v at λ %d, want %v", got, lambda, want)
	}
}

// TestMomentsBest: the search finds what a look at every λ finds.
func TestMomentsBest(t *testing.T) {
	for _, sigma := range []float64{0.7, 5, 40, 90} {
		curve := gaussian(sigma)
		for _, delta := range []float64{1e-3, 1e-9} {
			want, at := math.Inf(1), 0
			for l := 1; l <= 5000; l++ {
				if e := curve(float64(l+1)) - math.Log(delta)/float64(l); e < want {
					want, at = e, l
				}
			}
			if got, lambda := MomentsEpsilon(curve, 1, delta, 5000); !above(got, want, 1e-9) {
				t.Errorf("σ %v δ %v: ε %v at λ %d, want %v at %d", sigma, delta, got, lambda, want, at)
			}
		}
	}
}

// TestSubLDALoss: equation 3 is the Rényi curve of Poisson sampling; the printed one lacks its last term; and lemma 5.1
// is above what it bounds.
func TestSubLDALoss(t *testing.T) {
	for _, order := range []int{2, 3, 14, 40} {
		for _, sigma := range []float64{0.5, 2, 100} {
			s := SubLDA{order, gaussian(sigma)}
			n := float64(order)
			before := 0.0
			for _, gamma := range []float64{1e-8, 0.01, 0.3, 0.7, 0.999, 1} {
				loss := s.Loss(gamma)
				if want := renyi.PoissonGaussian(gamma, sigma, n); !near(loss, want, 1e-9) && loss*n > 1e-12 {
					t.Errorf("α %v σ %v γ %v: %v, want %v", n, sigma, gamma, loss, want)
				}
				if !(loss >= before) || !(loss <= up(s.Base(n))) {
					t.Errorf("α %v σ %v γ %v: %v after %v, without sampling %v", n, sigma, gamma, loss, before,
						s.Base(n))
				}
				before = loss
				// e^((α−1)·loss) = e^((α−1)·printed) + γ^α·e^((α−1)ε(α))
				last := n*math.Log(gamma) + (n-1)*s.Base(n)
				whole := math.Exp((n-1)*(s.Printed(gamma)-loss)) + math.Exp(last-(n-1)*loss)
				if !near(whole, 1, 1e-7) {
					t.Errorf("α %v σ %v γ %v: printed and last term are %v of the whole", n, sigma, gamma, whole)
				}
			}
			if s.Loss(0) != 0 {
				t.Errorf("α %v σ %v: %v of no words", n, sigma, s.Loss(0))
			}
		}
	}
	for _, v := range []float64{1, 1.5, 3} {
		for _, epsilon := range []float64{0.01, 1, 20} {
			base := Guarantee{epsilon, 1e-6}
			claim, exact := base.Amplified(0.1).Adaptive(v), base.Amplified(0.1*v)
			if claim.Epsilon < exact.Epsilon || !near(claim.Delta, exact.Delta, 1e-9) {
				t.Errorf("v %v ε %v: lemma 5.1 %v, exactly %v", v, epsilon, claim, exact)
			}
		}
	}
}

// TestGibbsLimits: no smoothing and no fair coin is no guarantee.
func TestGibbsLimits(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"counts clipped to 0", InherentLoss(0, 0.1), 0},
		{"no prior", InherentLoss(5, 0), inf},
		{"no coin", BitEpsilon(0), inf},
		{"coin only", BitEpsilon(1), 0},
		{"no change", LaplaceEpsilon(0, 0), 0},
		{"no noise", LaplaceEpsilon(2, 0), inf},
		{"ε_L of scale 2/ε_L", math.Round(LaplaceEpsilon(2, 2/0.5)*1e12) / 1e12, 0.5},
		{"3 words of 1000", DocumentEpsilon(0.5, 1000, 3), up(6 * BitEpsilon(0.5))},
		{"3 words of 5", DocumentEpsilon(0.5, 5, 3), up(5 * BitEpsilon(0.5))},
		{"all words", DocumentEpsilon(0.5, 5, math.MaxUint64), up(5 * BitEpsilon(0.5))},
		{"coins only", DocumentEpsilon(1, 5, 3), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestInherentLossHolds draws the topics for a replaced word, with two topics and three words. No draw from frozen
// counts in [0, C] loses more than equation 7, and one draw loses nearly all of it. Draws from counts that are updated
// in place lose more, where the word comes again.
func TestInherentLossHolds(t *testing.T) {
	const clip, beta = 1, 0.01
	frozen, updated := 0.0, 0.0
	for cells := range 3 * 3 * 3 * 3 * 3 * 3 {
		var counts [2][3]int // of a word in a topic, 0 to 2
		for i := range 6 {
			counts[i/3][i%3] = cells % 3
			cells /= 3
		}
		for outcome := range 1 << 4 {
			loss := func(again int) float64 {
				return math.Abs(logDraws(counts, 0, again, outcome, clip, beta) - logDraws(counts, 1, again, outcome,
					clip, beta))
			}
			frozen, updated = max(frozen, loss(0)), max(updated, loss(3))
		}
	}
	if bound := InherentLoss(clip, beta); !(frozen <= bound) || frozen < 0.98*bound || !(updated > 1.3*bound) {
		t.Errorf("frozen counts lose %v, updated ones %v, equation 7 has %v", frozen, updated, bound)
	}
}

// logDraws returns a log probability: HDP-LDA's algorithm 1 draws the topics in the bits of outcome. The first draw is
// for the word first. The others are for the word 0, as many as again says. Each word had topic 0 before, and is in a
// document of its own. The draws update the counts in place (lines 12 to 15).
func logDraws(counts [2][3]int, first, again, outcome int, clip, beta float64) (log float64) {
	clipped := func(n int) float64 { return math.Max(0, math.Min(float64(n), clip)) + beta }
	for i := range 1 + again {
		word, document := 0, [2]float64{1, 1}
		if i == 0 {
			word, document = first, [2]float64{1e-6, 1} // of which the replaced word's is nearly all of topic 1
		}
		var weights [2]float64
		for k, topic := range counts {
			sum := 0.0
			for _, n := range topic {
				sum += clipped(n)
			}
			weights[k] = clipped(topic[word]) / sum * document[k]
		}
		drawn := outcome >> i & 1
		log += math.Log(weights[drawn] / (weights[0] + weights[1]))
		counts[0][word]--
		counts[drawn][word]++
	}
	return log
}
