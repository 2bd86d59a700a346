package loss

import (
	"math"
	"testing"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

func list(adjacency string, events ...Release) *List {
	l := &List{Adjacency: adjacency}
	for _, e := range events {
		l.Add(e)
	}
	return l
}

func of(released ...Mechanism) Release { return Release{Released: released, Count: 1} }

func poisson(rate float64, count int, released ...Mechanism) Release {
	return Release{Sampling: Poisson, Rate: rate, Released: released, Count: count}
}

// must returns ε of a profile.
func must(t *testing.T, p Profile, err error) func(delta float64) Bound {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return func(delta float64) Bound {
		bound, err := p.Epsilon(delta)
		if err != nil {
			t.Fatal(err)
		}
		return bound
	}
}

func bounds(t *testing.T, l *List) (curve, distribution Bound) {
	t.Helper()
	r, err := l.Renyi()
	c := must(t, r, err)(1e-6)
	d, err := l.Distribution(pld.Options{})
	return c, must(t, d, err)(1e-6)
}

var (
	gaussian = Gaussian{Noise: 2, Sensitivity: 1}
	laplace  = Laplace{Scale: 5, Sensitivity: 1}
)

// TestBothAccountants has lists for which both accountants have a pair of distributions in mind. The upper bound by the
// distribution is not above the bound by the curve. The bound by the curve is not below the lower bound.
func TestBothAccountants(t *testing.T) {
	for what, l := range map[string]*List{
		"gaussian": list(event.AddRemove, of(gaussian)),
		"discrete gaussian": list(event.AddRemove,
			of(Gaussian{Noise: 2 << 30, Sensitivity: 1 << 30, Discrete: true})),
		"laplace": list(event.AddRemove, Release{Released: []Mechanism{laplace}, Count: 40}),
		"discrete laplace": list(event.AddRemove,
			Release{Released: []Mechanism{Laplace{Scale: 5 << 20, Sensitivity: 1 << 20,
				Discrete: true}}, Count: 40}),
		"pure": list(event.AddRemove,
			Release{Released: []Mechanism{Pure{Epsilon: 0.1}}, Count: 40}),
		"approximate": list(event.AddRemove,
			Release{Released: []Mechanism{Approximate{Epsilon: 0.1, Delta: 1e-8}}, Count: 40}),
		"poisson":         list(event.AddRemove, poisson(0.02, 100, gaussian)),
		"poisson laplace": list(event.AddRemove, poisson(0.02, 100, laplace)),
		"poisson approximate": list(event.AddRemove,
			poisson(0.02, 100, Approximate{Epsilon: 1, Delta: 1e-8})),
		"fixed": list(event.ReplaceOne,
			Release{Sampling: Fixed, Rate: 0.02, Released: []Mechanism{gaussian}, Count: 100}),
		"one batch": list(event.AddRemove, poisson(0.02, 100, gaussian, gaussian)),
		"everything": list(event.AddRemove, poisson(0.02, 100, gaussian), of(laplace),
			of(Pure{Epsilon: 0.3}), of(gaussian)),
		"one of some rounds": list(event.AddRemove,
			Release{Released: []Mechanism{gaussian},
				Instead: [][]Mechanism{{Gaussian{Noise: 3, Sensitivity: 1}}}, Count: 1}),
		"one of other laplace": list(event.AddRemove,
			Release{Released: []Mechanism{laplace},
				Instead: [][]Mechanism{{Laplace{Scale: 4, Sensitivity: 1}}}, Count: 9}),
	} {
		curve, distribution := bounds(t, l)
		if !(distribution.Upper <= curve.Upper*(1+1e-6) && distribution.Lower <= curve.Upper &&
			distribution.Upper > 0) {
			t.Errorf("%s: ε %v by curves, %v to %v by distributions", what, curve.Upper, distribution.Lower,
				distribution.Upper)
		}
	}
}

// TestWhatIsNotAmplified: pairs count a sampled batch without a pair of distributions as if all took part, and so what
// may be of one batch or of several: two coins tell more than one that a unit is there. The curves, which hold there
// too, prove less.
func TestWhatIsNotAmplified(t *testing.T) {
	whole := func(adjacency string, released ...Mechanism) Bound {
		_, bound := bounds(t, list(adjacency, of(released...)))
		return bound
	}
	mixed := poisson(0.02, 1, gaussian, laplace)
	curve, bound := bounds(t, list(event.AddRemove, mixed))
	if !(bound.Upper < whole(event.AddRemove, gaussian, laplace).Upper && bound.Upper == curve.Upper &&
		bound.Lower == 0) {
		t.Errorf("a mixed batch: %v, by curves %v", bound, curve)
	}
	apart := poisson(0.02, 1, gaussian, gaussian)
	_, together := bounds(t, list(event.AddRemove, apart))
	apart.Apart = true
	curve, bound = bounds(t, list(event.AddRemove, apart))
	most := whole(event.AddRemove, gaussian, gaussian).Upper
	if !(bound.Upper < most && bound.Upper == curve.Upper && bound.Lower == 0 && together.Upper < bound.Upper) {
		t.Errorf("perhaps apart: %v, by curves %v, together %v", bound, curve, together)
	}
	// With noise that hides nothing, δ is the probability that the unit is there: q of one coin, 2q − q² of two.
	loud := Gaussian{Noise: 0.1, Sensitivity: 1}
	one, err := list(event.AddRemove, poisson(0.02, 1, loud, loud)).Distribution(pld.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := list(event.AddRemove, poisson(0.02, 2, loud)).Distribution(pld.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := one.Delta(3)
	b, err2 := two.Delta(3)
	if !(a.Upper < 0.0201 && b.Lower > 0.0385) || err1 != nil || err2 != nil {
		t.Errorf("δ(3) is %v of one coin, %v of two (%v, %v)", a, b, err1, err2)
	}
	// For Laplace noise on a sample without replacement only the pure ε counts: log(1 + 0.02·(e^0.2 − 1)).
	fixed := Release{Sampling: Fixed, Rate: 0.02, Released: []Mechanism{laplace}, Count: 1}
	want := math.Log1p(0.02 * math.Expm1(0.2))
	if curve, bound := bounds(t, list(event.ReplaceOne, fixed)); curve.Upper != bound.Upper ||
		bound.Upper < want || bound.Upper > want*(1+1e-9) || bound.Lower != 0 {
		t.Errorf("laplace without replacement: %v, %v", curve, bound)
	}
}

// TestReplacedByCoin: pld and renyi have theorems for two geometries, and for no other.
func TestReplacedByCoin(t *testing.T) {
	var last float64
	for _, apart := range []float64{math.Sqrt2, 2} {
		l := list(event.ReplaceOne, poisson(0.05, 20, Gaussian{Noise: 1.24, Sensitivity: apart}))
		l.NonNegative = apart == math.Sqrt2
		p, err := l.Distribution(pld.Options{})
		bound := must(t, p, err)(1e-4)
		// Less than without sampling, more than for one unit more or less.
		whole, err := list(event.ReplaceOne,
			Release{Released: []Mechanism{Gaussian{Noise: 1.24, Sensitivity: apart}}, Count: 20}).
			Distribution(pld.Options{})
		if !(bound.Upper > 0.94 && bound.Upper > last && bound.Upper < must(t, whole, err)(1e-4).Lower) {
			t.Errorf("sums %v apart: %v", apart, bound)
		}
		last = bound.Upper
		r, err := l.Renyi()
		if curve := must(t, r, err)(1e-4); !(curve.Upper > bound.Upper &&
			curve.Upper < must(t, whole, nil)(1e-4).Lower) {
			t.Errorf("sums %v apart: %v by curves, %v", apart, curve, bound)
		}
	}
	for _, released := range [][]Mechanism{
		{Gaussian{Noise: 1.24, Sensitivity: 1.5}},
		{Gaussian{Noise: 1, Sensitivity: 2}, Gaussian{Noise: 1, Sensitivity: math.Sqrt2}},
		{Gaussian{Noise: 1.24, Sensitivity: math.Sqrt2}}, // of any sign
	} {
		l := list(event.ReplaceOne, poisson(0.05, 20, released...))
		if _, err := l.Distribution(pld.Options{}); err == nil {
			t.Errorf("%v: no theorem is known", released)
		}
		if _, err := l.Renyi(); err == nil {
			t.Errorf("%v: a Rényi curve", released)
		}
	}
}

// TestRateZero: who never takes part loses nothing.
func TestRateZero(t *testing.T) {
	for _, m := range []Mechanism{gaussian, laplace, Pure{Epsilon: 1},
		Approximate{Epsilon: 1, Delta: 0.1}} {
		if curve, bound := bounds(t, list(event.AddRemove, poisson(0, 1000, m))); curve.Upper > 0 || bound.Upper > 0 {
			t.Errorf("%v: ε %v and %v", m, curve, bound)
		}
	}
}

// TestFailing: what fails comes off δ, and costs −log(1−δ′) in ε.
func TestFailing(t *testing.T) {
	l := list(event.AddRemove, of(Gaussian{Noise: 4, Sensitivity: 1}))
	ideal, err := l.Renyi()
	epsilon := must(t, ideal, err)(6e-7)
	l.AddFailure(1e-7)
	l.AddFailure(3e-7)
	p, err := l.Renyi()
	bound := must(t, p, err)(1e-6)
	if want := epsilon.Upper - math.Log1p(-1e-7) - math.Log1p(-3e-7); math.Abs(bound.Upper-want) > 1e-9 ||
		bound.Upper < want {
		t.Errorf("ε is %v, want %v", bound, want)
	}
	if delta, err := p.Delta(bound.Upper); math.Abs(delta.Upper/1e-6-1) > 1e-6 || err != nil {
		t.Errorf("at this ε, δ is %v (%v)", delta, err)
	}
	for _, delta := range []float64{0, 3e-7} {
		if bound := must(t, p, nil)(delta); !math.IsInf(bound.Upper, 1) {
			t.Errorf("δ %v does not even pay for the failures: ε %v", delta, bound)
		}
	}
	// Below Σ −log(1−δ′) only the total variation distance is left, 2Φ(1/8)−1 in truth.
	if delta, err := p.Delta(1e-9); !(delta.Upper > 0.0994 && delta.Upper < 0.16) || err != nil {
		t.Errorf("δ at an ε of almost 0 is %v (%v)", delta, err)
	}
	d, err := l.Distribution(pld.Options{})
	if less := must(t, d, err)(1e-6); !(less.Upper < bound.Upper && less.Upper > 0.9*bound.Upper) {
		t.Errorf("by distributions ε is %v, by curves %v", less, bound)
	}
	l.AddFailure(1)
	p, err = l.Renyi()
	if bound := must(t, p, err)(0.999); !math.IsInf(bound.Upper, 1) {
		t.Errorf("a release that always fails has ε %v", bound)
	}
	if delta, err := p.Delta(5); delta.Upper != 1 || err != nil {
		t.Errorf("a release that always fails has δ %v (%v)", delta, err)
	}
}

// TestPure: where all losses are finite their sum is an ε at every δ, with no digit too few.
func TestPure(t *testing.T) {
	fifty := list(event.AddRemove, Release{Released: []Mechanism{Laplace{Scale: 50 << 20,
		Sensitivity: 1 << 20, Discrete: true}}, Count: 50})
	for _, delta := range []float64{0, 1e-300} {
		for _, build := range []func() (Profile, error){fifty.Renyi,
			func() (Profile, error) { return fifty.Distribution(pld.Options{}) }} {
			p, err := build()
			if bound := must(t, p, err)(delta); bound.Upper != 1 {
				t.Errorf("50 times 1/50 is %v at δ %v", bound.Upper, delta)
			}
			if bound, err := p.Delta(1); bound.Upper != 0 || err != nil {
				t.Errorf("at the pure ε, δ is %v (%v)", bound, err)
			}
		}
	}
	// A sample loses less: log(1 + 0.2·(e^0.1 − 1)) = 0.0208160… (Li, Qardaji and Su 2012, theorem 1).
	if pure := list(event.AddRemove,
		poisson(0.2, 3, Pure{Epsilon: 0.1})).basic().Epsilon; !(pure >= 3*0.0208160 && pure < 3*0.0208161) {
		t.Errorf("three samples have a pure ε of %v", pure)
	}
	if !math.IsInf(list(event.AddRemove, of(laplace), of(gaussian)).basic().Epsilon, 1) {
		t.Error("a pure ε with a Gaussian")
	}
}

// TestOwnDelta: one (ε, δ) mechanism has its ε at its δ, and its δ at its ε; a sampled one that of the theorem.
func TestOwnDelta(t *testing.T) {
	for _, c := range []struct {
		event          Release
		delta, epsilon float64
	}{
		{of(Approximate{Epsilon: 1, Delta: 1e-6}), 1e-6, 1},
		{Release{Released: []Mechanism{Approximate{Epsilon: 0.5, Delta: 1e-7}}, Count: 2}, 2e-7, 1},
		// amp|e1|d1e-06|q0.01 of /work/shared/golden/accounting.jsonl: log(1 + 0.01·(e − 1)) at 1e-8.
		{poisson(0.01, 1, Approximate{Epsilon: 1, Delta: 1e-6}), 1e-8, 0.01703686323617655},
	} {
		l := list(event.AddRemove, c.event)
		for _, build := range []func() (Profile, error){l.Renyi,
			func() (Profile, error) { return l.Distribution(pld.Options{}) }} {
			p, err := build()
			if bound := must(t, p, err)(c.delta); !(bound.Upper >= c.epsilon*(1-1e-15) &&
				bound.Upper <= c.epsilon*(1+1e-9)) {
				t.Errorf("%s: ε %v at its own δ, want %v", c.event.Name(), bound, c.epsilon)
			}
			delta, err := p.Delta(c.epsilon * (1 + 1e-9))
			if !(delta.Upper >= c.delta*(1-1e-15) && delta.Upper <= c.delta*(1+1e-9)) || err != nil {
				t.Errorf("%s: δ %v at its own ε, want %v (%v)", c.event.Name(), delta, c.delta, err)
			}
			if bound := must(t, p, nil)(c.delta * (1 - 1e-9)); !math.IsInf(bound.Upper, 1) {
				t.Errorf("%s: ε %v at a smaller δ", c.event.Name(), bound)
			}
		}
	}
}

// TestMoreIsNeverLess: with another event no bound is lower, except for the distance of pld's bounds.
func TestMoreIsNeverLess(t *testing.T) {
	l := list(event.AddRemove)
	var before, least Bound
	for _, e := range []Release{
		poisson(0.1, 10, gaussian), of(laplace), poisson(0.1, 3, laplace), of(Pure{Epsilon: 0.2}),
		of(Approximate{Epsilon: 0.2, Delta: 1e-9}),
		{Released: []Mechanism{gaussian}, Instead: [][]Mechanism{{laplace}}, Count: 2},
		of(gaussian, laplace),
	} {
		l.Add(e)
		curve, bound := bounds(t, l)
		if curve.Upper < before.Upper || bound.Upper < least.Lower {
			t.Errorf("%s more: ε from %v and %v to %v and %v", e.Name(), before, least, curve, bound)
		}
		before, least = curve, bound
	}
}

// TestRho: of what has one, and of nothing else.
func TestRho(t *testing.T) {
	rho, err := list(event.AddRemove, Release{Released: []Mechanism{gaussian}, Count: 4},
		of(Pure{Epsilon: 0.1}), of(Concentrated{Rho: 0.2})).Rho()
	if want := 4/(2*2.0*2) + 0.005 + 0.2; err != nil || rho < want || rho > want*(1+1e-11) {
		t.Errorf("ρ is %v, want %v (%v)", rho, want, err)
	}
	for _, l := range []*List{
		list(event.AddRemove, poisson(0.1, 1, gaussian)),
		list(event.AddRemove, of(Approximate{Epsilon: 1, Delta: 1e-9})),
		{Adjacency: event.AddRemove, NoNoise: true},
	} {
		if rho, err := l.Rho(); err == nil {
			t.Errorf("%v has ρ %v", l, rho)
		}
	}
	sampled, _, err := list(event.AddRemove, poisson(0.1, 1, Concentrated{Rho: 0.2})).Curve()
	if rho := sampled(3); err != nil || math.Abs(rho-0.6) > 1e-12 {
		t.Errorf("sampled zCDP has ρ(3) = %v, want that of the whole (%v)", rho, err)
	}
	concentrated := list(event.AddRemove, of(Concentrated{Rho: 0.2}))
	if _, err := concentrated.Distribution(pld.Options{}); err == nil {
		t.Error("a distribution of zCDP")
	}
	r, err := concentrated.Renyi()
	// ρ = 1/(2·2.5)
	g, err2 := list(event.AddRemove, of(Gaussian{Noise: math.Sqrt(2.5), Sensitivity: 1})).Renyi()
	if a, b := must(t, r, err)(1e-6).Upper, must(t, g, err2)(1e-6).Upper; math.Abs(a-b) > 1e-9 {
		t.Errorf("ε %v of zCDP, %v of a Gaussian", a, b)
	}
}

// TestTooMany: more releases than can be counted have no bound.
func TestTooMany(t *testing.T) {
	many := Release{Released: []Mechanism{Pure{Epsilon: 1e-9}}, Count: math.MaxInt}
	for _, l := range []*List{list(event.AddRemove, many, of(Pure{Epsilon: 1e-9})),
		list(event.AddRemove, many).Times(2)} {
		p, err := l.Renyi()
		if bound := must(t, p, err)(0.1); !math.IsInf(bound.Upper, 1) {
			t.Errorf("ε %v", bound.Upper)
		}
	}
}

// TestFixedApart: two releases of samples without replacement that may be of one batch lose as if all took part.
func TestFixedApart(t *testing.T) {
	apart := Release{Sampling: Fixed, Rate: 0.05, Released: []Mechanism{gaussian, gaussian},
		Apart: true, Count: 1}
	whole := of(gaussian, gaussian)
	a, _, err := list(event.ReplaceOne, apart).Curve()
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := list(event.ReplaceOne, whole).Curve()
	if a(2) != b(2) || err != nil {
		t.Errorf("ρ(2) is %v, want %v (%v)", a(2), b(2), err)
	}
}

// TestCheck: what is out of range is said before it is asked about.
func TestCheck(t *testing.T) {
	for _, e := range []Release{
		of(Gaussian{Noise: 0.001, Sensitivity: 1}), of(Gaussian{Noise: 1, Sensitivity: 0}),
		of(Laplace{Scale: math.NaN(), Sensitivity: 1}), of(Pure{Epsilon: -1}),
		of(Approximate{Epsilon: 1, Delta: 1}), of(Concentrated{Rho: math.Inf(1)}),
		{Released: []Mechanism{gaussian}}, poisson(2, 1, gaussian),
		of(DiscreteGaussian{Variance: 1, Sensitivity: 0}),
		of(DiscreteLaplace{Scale: 1, Sensitivity: 0}),
		{Released: []Mechanism{gaussian}, Instead: [][]Mechanism{{Pure{Epsilon: 701}}},
			Count: 1},
	} {
		if e.Check() == nil {
			t.Errorf("%s is accepted", e.Name())
		}
	}
	if err := of(gaussian, laplace, Pure{Epsilon: 1}, Approximate{Epsilon: 1, Delta: 0.5},
		Concentrated{Rho: 1}, DiscreteGaussian{Variance: 4, Sensitivity: 1}).Check(); err != nil {
		t.Error(err)
	}
}

// TestCurves: the curves of one batch add up at each order. For a unit in one of several rounds, the largest curve
// counts at each order.
func TestCurves(t *testing.T) {
	for what, c := range map[string]struct {
		event Release
		want  renyi.Curve
	}{
		"batch": {of(gaussian, laplace), func(alpha float64) float64 {
			return renyi.Gaussian(2, alpha) + Laplace{Scale: 5, Sensitivity: 1}.curve()(alpha)
		}},
		"one of two": {Release{Released: []Mechanism{gaussian}, Instead: [][]Mechanism{{laplace}},
			Count: 1}, func(alpha float64) float64 {
			return max(renyi.Gaussian(2, alpha), Laplace{Scale: 5, Sensitivity: 1}.curve()(alpha))
		}},
		// Mironov, Rényi Differential Privacy, 2017, proposition 6.
		"laplace": {of(laplace), func(a float64) float64 {
			return math.Log(a/(2*a-1)*math.Exp((a-1)/5)+(a-1)/(2*a-1)*math.Exp(-a/5)) / (a - 1)
		}},
	} {
		curve, _, err := list(event.AddRemove, c.event).Curve()
		if err != nil {
			t.Fatal(err)
		}
		for _, alpha := range []float64{1.5, 2, 7, 40} {
			if got, want := curve(alpha), c.want(alpha); math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s: ρ(%v) is %v, want %v", what, alpha, got, want)
			}
		}
	}
}
