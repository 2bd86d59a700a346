package renyi

import (
	"math"
	"testing"
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
// conversion of zCDP, then the conversion of 2016.
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
				if !(got.Epsilon >= 0) || !(got.Epsilon <= RoundUp(epsilon)) || !(got.Delta <= RoundUp(delta)) {
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

// TestMomentsLimits: over the whole range the moments accountant gives a number that is no less than the better
// conversion.
func TestMomentsLimits(t *testing.T) {
	for _, q := range []float64{1e-8, 1e-3, 0.05, 1} {
		for _, sigma := range []float64{0.1, 1, 30} {
			curve := Remember(func(alpha float64) float64 { return PoissonGaussian(q, sigma, alpha) })
			for _, rounds := range []uint64{1, 1000, 10_000_000} {
				all := func(alpha float64) float64 { return float64(rounds) * curve(alpha) }
				for _, delta := range []float64{1e-300, 1e-6} {
					// of the orders that Epsilon looks at
					got, lambda := MomentsEpsilon(curve, rounds, delta, 1<<13)
					if best, _ := Epsilon(all, delta); !(got >= best) || lambda < 1 {
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
	none, _ := MomentsEpsilon(gaussian(1, 1), 1, 1e-6, 0)
	if nothing, _ := MomentsEpsilon(gaussian(1, 1), 0, 1e-6, 4); !math.IsInf(none, 1) || nothing != 0 {
		t.Errorf("without a λ %v, without a round %v", none, nothing)
	}
	// Without sampling the best λ is √(2σ² log(1/δ)/rounds), here far above 256: the search must find it.
	got, lambda := MomentsEpsilon(gaussian(300, 1), 1, 1e-6, mostLambda)
	if want := math.Sqrt(2 * 300 * 300 * math.Log(1e6)); math.Abs(float64(lambda)-want) > 1 {
		t.Errorf("ε %v at λ %d, want %v", got, lambda, want)
	}
}

// TestMomentsBest: the search finds what a look at every λ finds.
func TestMomentsBest(t *testing.T) {
	for _, sigma := range []float64{0.7, 5, 40, 90} {
		curve := gaussian(sigma, 1)
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
