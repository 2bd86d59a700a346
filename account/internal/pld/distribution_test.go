package pld

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"privpipe/account/internal/renyi"
)

func distribution(t testing.TB, events ...Event) *Distribution {
	t.Helper()
	d, err := New(events, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// analytic returns δ(ε) for Gaussian noise with multiplier 1/m: Balle and Wang, Improving the Gaussian Mechanism for
// Differential Privacy (ICML 2018), theorem 8.
func analytic(m, epsilon float64) float64 {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return phi(m/2-epsilon/m) - math.Exp(epsilon)*phi(-m/2-epsilon/m)
}

// TestAnalyticGaussian: the exact curve lies between the bounds, and within 1e-6 of the upper one where that is asked
// for.
func TestAnalyticGaussian(t *testing.T) {
	for _, sigma := range []float64{0.1, 0.5, 1, 3, 20, 1e3, 1e4} {
		for _, delta := range []float64{0.1, 1e-3, 1e-5, 1e-10, 1e-14} {
			d, err := New([]Event{{pair(Gaussian(1, sigma*math.Sqrt(7))), 7}}, Options{Tolerance: 2e-6})
			if err != nil {
				t.Fatal(err)
			}
			low, high := 0.0, 1e3
			for range 100 {
				if middle := (low + high) / 2; analytic(1/sigma, middle) > delta {
					low = middle
				} else {
					high = middle
				}
			}
			upper, lower, err := d.Epsilon(delta)
			// The reference cancels to about 1e-16 over δ.
			room := 1e-9*high + 1e-13
			if err != nil || !(upper >= high-room && lower <= high+room && upper <= high*(1+1e-6)+room) {
				t.Errorf("σ %v, δ %v: ε from %v to %v, want %v (%v)", sigma, delta, lower, upper, high, err)
			}
		}
	}
}

// TestRandomizedResponse compares with the binomial sum, worked out with 300 bits.
func TestRandomizedResponse(t *testing.T) {
	for _, rounds := range []int{1, 2, 7, 100, 1000} {
		d := distribution(t, Event{pair(Pure(0.5)), rounds})
		for _, epsilon := range []float64{0, 0.3, 2, 5, 30} {
			exact := binomialDelta(0.5, rounds, epsilon)
			upper, lower, err := d.Delta(epsilon)
			if err != nil || !(upper >= exact*(1-1e-9) && lower <= exact*(1+1e-9) && upper <= exact*1.01) {
				t.Errorf("%d rounds, ε %v: δ from %v to %v, want %v (%v)", rounds, epsilon, lower, upper, exact, err)
			}
		}
	}
}

// binomialDelta is Σ_k C(n,k) p^k (1−p)^(n−k) (1 − e^(ε−(2k−n)ε₀))₊ with p = e^ε₀/(1+e^ε₀).
func binomialDelta(pure float64, n int, epsilon float64) float64 {
	sum := new(big.Float).SetPrec(300)
	for k := range n + 1 {
		loss := float64(2*k-n) * pure
		if loss <= epsilon {
			continue
		}
		logC, _ := math.Lgamma(float64(n + 1))
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		logP := logC - a - b + float64(k)*pure - float64(n)*math.Log1p(math.Exp(pure))
		sum.Add(sum, big.NewFloat(-math.Exp(logP)*math.Expm1(epsilon-loss)))
	}
	f, _ := sum.Float64()
	return f
}

// TestProperties: ε falls with σ and grows with rate and rounds; the upper bound is at least the lower, at most Rényi's
// (but for the tolerance), and δ(ε(δ)) ≤ δ (except for rounding).
func TestProperties(t *testing.T) {
	epsilon := func(q, sigma float64, rounds int, delta float64) (upper, lower float64) {
		d := distribution(t, Event{pair(Gaussian(q, sigma)), rounds})
		upper, lower, err := d.Epsilon(delta)
		if err != nil || !(upper >= lower && upper > 0) {
			t.Fatalf("q %v, σ %v, %d: %v %v %v", q, sigma, rounds, upper, lower, err)
		}
		return upper, lower
	}
	for _, q := range []float64{0.001, 0.05, 0.7} {
		for _, sigma := range []float64{0.6, 1.3, 9} {
			const rounds, delta = 8, 1e-7
			upper, lower := epsilon(q, sigma, rounds, delta)
			if more, _ := epsilon(q*1.1, sigma, rounds, delta); !(more >= lower) {
				t.Errorf("q %v, σ %v: larger rate %v, lower %v", q, sigma, more, lower)
			}
			if more, _ := epsilon(q, sigma, rounds*2, delta); !(more >= lower) {
				t.Errorf("q %v, σ %v: more rounds %v, lower %v", q, sigma, more, lower)
			}
			if _, less := epsilon(q, sigma*1.1, rounds, delta); !(less <= upper) {
				t.Errorf("q %v, σ %v: more noise %v, upper %v", q, sigma, less, upper)
			}
			curve := func(alpha float64) float64 { return rounds * renyi.PoissonGaussian(q, sigma, alpha) }
			if bound, _ := renyi.Epsilon(curve, delta); !(upper <= bound*1.001) {
				t.Errorf("q %v, σ %v: ε %v above Rényi's %v", q, sigma, upper, bound)
			}
			d := distribution(t, Event{pair(Gaussian(q, sigma)), rounds})
			if again, low, err := d.Delta(upper); err != nil || !(low <= delta && again <= delta*1.02) {
				t.Errorf("q %v, σ %v: δ(ε(δ)) from %v to %v, %v", q, sigma, low, again, err)
			}
		}
	}
}

// TestSmall: what is near no loss keeps its digits, and is no reason to fail.
func TestSmall(t *testing.T) {
	if got, want := logMix(1e-12, -3), 1e-12*math.Expm1(-3); math.Abs(got/want-1) > 1e-11 {
		t.Errorf("logMix: %v, want %v", got, want)
	}
	// log((1−f)/f) of the float64 next to 0.49999, with 40 digits: 4.0000000005373337e-05.
	if upper, _, err := distribution(t, Event{pair(bit(0.49999)), 1}).Epsilon(0); err != nil ||
		!(upper >= 4.0000000005373337e-05 && upper < 4.00000000054e-05) {
		t.Errorf("randomized response: %v, %v", upper, err)
	}
	for _, p := range []*Pair{pair(Pure(5e-324)), pair(bit(0.5))} {
		if upper, _, err := distribution(t, Event{p, 1e6}).Epsilon(1e-6); err != nil || !(upper < 1e-20) {
			t.Errorf("no loss: ε %v, %v", upper, err)
		}
	}
	d := distribution(t, Event{pair(Approximate(0, 0.25)), 2})
	if upper, lower, err := d.Delta(1); err != nil || !(upper >= 1-0.75*0.75 && upper < 0.51 && lower <= upper) {
		t.Errorf("all told with probability 7/16: δ from %v to %v, %v", lower, upper, err)
	}
}

// TestTold: what is told with certainty is in both bounds. With told = 1 − (1−δ₀)^n, n releases of (ε₀, δ₀) have
// δ(ε) = told + (1−told)·δ′(ε), and δ′ is that of n pure ones (Kairouz, Oh and Viswanath 2015, theorem 3.3).
func TestTold(t *testing.T) {
	const n = 30
	pure := distribution(t, Event{pair(Pure(0.3)), n})
	for _, one := range []float64{1e-12, 1e-7, 1e-3} {
		d, told := distribution(t, Event{pair(Approximate(0.3, one)), n}), -math.Expm1(n*math.Log1p(-one))
		for _, epsilon := range []float64{0, 1, 4, 7} {
			above, below, err := pure.Delta(epsilon)
			if err != nil {
				t.Fatal(err)
			}
			upper, lower, err := d.Delta(epsilon)
			if most, least := told+(1-told)*above, told+(1-told)*below; err != nil || lower > most || upper < least ||
				!(lower > 0.98*least) {
				t.Errorf("δ₀ %v, ε %v: δ from %v to %v, %v; is between %v and %v", one, epsilon, lower, upper, err,
					least, most)
			}
			bound, low, err := d.Epsilon(upper) // of a δ that is not below that of ε
			if err != nil || low > epsilon || low > bound || one < 1e-6 && low < 0.99*epsilon {
				t.Errorf("δ₀ %v, ε %v: ε(δ(ε)) from %v to %v, %v", one, epsilon, low, bound, err)
			}
		}
	}
}

// TestRefusals: what cannot be meant is an error.
func TestRefusals(t *testing.T) {
	for _, x := range []struct{ q, sigma float64 }{{0, 1}, {1.1, 1}, {0.5, 0}, {0.5, math.NaN()}, {math.NaN(), 1},
		{1, math.Inf(1)}} {
		if _, err := Gaussian(x.q, x.sigma); err == nil {
			t.Errorf("Gaussian(%v, %v): no error", x.q, x.sigma)
		}
	}
	p := pair(Pure(1))
	for _, events := range [][]Event{{{p, 0}}, {{nil, 1}}, {{p, 1e9}, {p, 1}}} {
		if _, err := New(events, Options{}); err == nil {
			t.Errorf("%v: no error", events)
		}
	}
	d := distribution(t, Event{p, 3})
	for _, delta := range []float64{-1, 1.5, math.NaN()} {
		if _, _, err := d.Epsilon(delta); err == nil {
			t.Errorf("δ %v: no error", delta)
		}
	}
	if _, _, err := d.Delta(math.NaN()); err == nil {
		t.Error("ε NaN: no error")
	}
}

// TestRounded: lower bounds of a pair whose noise was rounded down are those of the noise before.
func TestRounded(t *testing.T) {
	const part = 1e-4
	for _, c := range []struct {
		what   string
		build  func(noise float64) (*Pair, error)
		rounds int
	}{
		{"gaussian", func(x float64) (*Pair, error) { return Gaussian(1, x) }, 3},
		{"poisson", func(x float64) (*Pair, error) { return Gaussian(0.1, x) }, 30},
		{"opposite", func(x float64) (*Pair, error) { return GaussianReplace(0.1, x) }, 30},
		{"orthogonal", func(x float64) (*Pair, error) { return GaussianReplaceOrthogonal(0.1, x) }, 30},
		{"without replacement", func(x float64) (*Pair, error) { return GaussianWithoutReplacement(0.1, x) }, 30},
		{"laplace", func(x float64) (*Pair, error) { return Laplace(1, x) }, 30},
		{"poisson laplace", func(x float64) (*Pair, error) { return Laplace(0.1, x) }, 30},
	} {
		bounds := func(p *Pair, delta float64) (upper, lower, above, below float64) {
			d, err := New([]Event{{p, c.rounds}}, Options{Tolerance: 1e-5})
			if err != nil {
				t.Fatal(err)
			}
			upper, lower, err = d.Epsilon(delta)
			if err != nil {
				t.Fatal(err)
			}
			above, below, err = d.Delta(upper / 2)
			if err != nil {
				t.Fatal(err)
			}
			return upper, lower, above, below
		}
		for _, delta := range []float64{1e-2, 1e-8} {
			const noise = 2.5
			p := pair(c.build(noise * (1 - part)))
			upper, _, _, _ := bounds(pair(c.build(noise)), delta)
			high, less, above, notLess := bounds(p, delta)
			_, lower, _, below := bounds(p.Rounded(part), delta)
			if !(less > upper && lower <= upper && lower > 0.75*upper) {
				t.Errorf("%s: ε from %v, without rounding up to %v; taken as exact from %v", c.what, lower, upper, less)
			}
			d, err := New([]Event{{pair(c.build(noise)), c.rounds}}, Options{Tolerance: 1e-5})
			if err != nil {
				t.Fatal(err)
			}
			if is, _, err := d.Delta(high / 2); err != nil || !(below <= is && below < notLess && below > 0.5*above) {
				t.Errorf("%s: δ(%v) from %v, without rounding up to %v (%v)", c.what, high/2, below, is, err)
			}
		}
	}
}

// bit returns the pair of one bit that is reported wrong with the given probability, under a change of the
// bit. flip in (0, 1/2].
func bit(flip float64) (*Pair, error) {
	if !(flip >= 1e-300 && flip <= 0.5) {
		return nil, fmt.Errorf("flip probability %v: not in (0, 0.5]", flip)
	}
	if flip > 0.25 {
		return pure(math.Log1p((1 - 2*flip) / flip)), nil // 1−2·flip is exact
	}
	return pure(math.Log1p(-flip) - math.Log(flip)), nil
}
