package pld

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/testkit"
)

// parts are what a window is made of.
type parts struct {
	terms []term
	frame frame
}

// partsOf returns what the first window for ε(δ) of events is made of, in one direction.
func partsOf(t *testing.T, delta float64, events []Event) parts {
	t.Helper()
	d, err := New(events, Options{Tolerance: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	p := d.plan(d.directions[0], d.epsilonAt(delta))
	return parts{d.terms(p), p.chooseFrame()}
}

// lowLists are lists of Gaussian and Laplace noise, of one kind and of several. Their transforms are nothing but at low
// frequencies.
func lowLists() map[string][]Event {
	r := rand.New(rand.NewPCG(1, 2))
	lists := map[string][]Event{
		"two kinds": {{pair(Gaussian(0.05, 2)), 300}, {pair(Gaussian(0.1, 3)), 500}},
		"exchanged": {{pair(GaussianReplace(0.1, 3)), 400}},
		"mixed":     {{pair(Gaussian(0.05, 2)), 300}, {pair(Laplace(0.3, 20)), 100}, {pair(Gaussian(1, 40)), 3}},
	}
	for i := range 6 {
		rate, noise := math.Exp(-1-4*r.Float64()), math.Exp(0.3+2*r.Float64())
		lists[fmt.Sprint("random ", i)] = []Event{{pair(Gaussian(rate, noise)), 300 + r.IntN(5000)}}
	}
	return lists
}

// TestSeriesAsMasses: the sums of a series are the sums of the whole transform's masses, within the errors of both. The
// errors of a series are small. The bounds agree, too.
func TestSeriesAsMasses(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	deltas := []float64{1e-6, 1e-2, 1e-12}[:testkit.Repeats(t, "accounting", 1, 3)]
	for name, events := range lowLists() {
		for _, delta := range deltas {
			of := partsOf(t, delta, events)
			w, _, ok := compose(of.terms, of.frame, 1<<20)
			if !ok || w.series == nil {
				t.Errorf("%s, δ %v: no series", name, delta)
				continue
			}
			whole := newWindow(of.terms, of.frame.at)
			whole.margin, whole.first, whole.n, whole.above = w.margin, w.first, w.n, w.above
			whole.masses(of.terms)
			width := 0.3 / math.Max(w.tilt, 1)
			for place := 0; place <= w.n; place += max(1, w.n/17) {
				sameSums(t, fmt.Sprintf("%s, δ %v, cell %d of %d", name, delta, place, w.n), w, whole, place, width)
			}
			logDelta := math.Log(delta)
			at := whole.upperEpsilon(logDelta)
			w.expected = at * []float64{0.5, 1, 2}[r.IntN(3)]
			for what, of := range map[string][2]float64{
				"upper ε": {w.upperEpsilon(logDelta), whole.upperEpsilon(logDelta)},
				"lower ε": {w.lowerEpsilon(logDelta, 0), whole.lowerEpsilon(logDelta, 0)},
				"upper δ": {w.upperDelta(at), whole.upperDelta(at)},
				"lower δ": {w.lowerDelta(at, 0), whole.lowerDelta(at, 0)},
				"above":   {w.upperDelta(1e6), whole.upperDelta(1e6)},
			} {
				if !(math.Abs(of[0]-of[1]) <= 1e-8*math.Abs(of[1])) && of[0] != of[1] {
					t.Errorf("%s, δ %v: %s %v by the series, %v by the masses", name, delta, what, of[0], of[1])
				}
			}
		}
	}
}

// sameSums compares those of a sweep with sums over masses, at one place of the window.
func sameSums(t *testing.T, name string, w, whole *window, place int, width float64) {
	t.Helper()
	type ranged struct{ low, high, direct, error float64 }
	up, down := w.sweep(1, width), w.sweep(-1, width)
	up.seek(w.first + place)
	down.seek(w.first + place)
	all := map[string]*ranged{
		"hockey": {low: down.hockey, high: up.hockey}, "decay": {low: down.decay, high: up.decay},
		"bump": {low: 0, high: up.bump}, "left": {low: 0, high: up.leftBump},
	}
	add := func(name string, mass, weight float64) {
		all[name].direct += mass * weight
		all[name].error += (whole.cell + 1e-15*mass) * weight
	}
	for i := place; i < w.n; i++ {
		x := float64(i-place) * w.step
		kept := math.Exp(-w.tilt * x)
		add("hockey", whole.mass[i], -kept*math.Expm1(-x))
		add("decay", whole.mass[i], kept*math.Exp(-x))
		add("bump", whole.mass[i], kept*math.Exp(-x/width))
	}
	for i := range place {
		x := float64(place-1-i) * w.step
		add("left", whole.mass[i], math.Exp((w.tilt-1/width)*x))
	}
	for what, of := range all {
		if !(of.low <= of.direct+of.error && of.high >= of.direct-of.error) {
			t.Errorf("%s: %s from %v to %v, by masses %v ± %v", name, what, of.low, of.high, of.direct, of.error)
		}
		if !(of.high <= of.direct+2e-10) || of.low > 0 && !(of.low >= of.direct-2e-10) { // all masses together are 1
			t.Errorf("%s: %s from %v to %v, by masses %v: not close", name, what, of.low, of.high, of.direct)
		}
	}
}

// TestSeriesTerms: sums of powers and their errors, beside those that are added one by one.
func TestSeriesTerms(t *testing.T) {
	f := &series{n: 1 << 14}
	for _, rate := range []float64{0, 1e-12, 1e-5, 0.01, 0.3} {
		for _, k := range []int{0, 1, 7, 300} {
			for _, cells := range []int{1, 2, 1000, 1 << 14} {
				const step = 1e-3
				var power, hockey, error complex128
				for j := range cells {
					z := f.turn(k, j) * complex(math.Exp(-rate*float64(j)), 0)
					power += z
					hockey += z * complex(-math.Expm1(-step*float64(j)), 0)
					error += complex(size(z), 0)
				}
				at := ray{f, rate, cells}
				sum, of := at.geometric(k)
				if off := size(sum - power); !(off <= 32*unit*of+float64(cells)*unit*real(error)) ||
					!(size(sum) <= of*(1+32*unit)) {
					t.Errorf("rate %v, k %d, %d cells: Σz^j is off by %v, of %v", rate, k, cells, off, of)
				}
				sum, of = at.hockey(k, step)
				if off := size(sum - hockey); !(off <= 64*unit*of+float64(cells)*unit*real(error)) ||
					!(size(sum) <= of*(1+32*unit)) {
					t.Errorf("rate %v, k %d, %d cells: the hockey stick is off by %v, of %v", rate, k, cells, off, of)
				}
			}
		}
	}
}

// TestSeriesErrors: whatever the coefficients are within their errors, the sums are between the bounds.
func TestSeriesErrors(t *testing.T) {
	const error = 1e-3
	r := rand.New(rand.NewPCG(7, 8))
	of := partsOf(t, 1e-6, lowLists()["two kinds"])
	w, _, ok := compose(of.terms, of.frame, 1<<20)
	if !ok || w.series == nil {
		t.Fatal("no series")
	}
	for k := range w.series.error {
		w.series.error[k] = error
	}
	width := 0.3 / max(w.tilt, 1)
	low, high, is := w.sweep(-1, width), w.sweep(1, width), w.sweep(1, width)
	outermost := 0.0
	for range 300 {
		other := *w.series
		other.coefficient, other.error = append([]complex128(nil), other.coefficient...),
			make([]float64, len(other.error))
		up := r.IntN(2) == 0
		for k, c := range other.coefficient {
			sin, cos := math.Sincos(2 * math.Pi * r.Float64())
			if up {
				sin, cos = 0, 1
			}
			other.coefficient[k] += complex(error*size(c)*cos, error*size(c)*sin)
		}
		changed := *w
		changed.series = &other
		is.window = &changed
		at := w.first + r.IntN(w.n)
		low.seek(at)
		high.seek(at)
		is.seek(at)
		for what, x := range map[string][3]float64{
			"hockey": {low.hockey, is.hockey, high.hockey}, "decay": {low.decay, is.decay, high.decay},
			"bump": {0, is.bump, high.bump}, "left": {0, is.leftBump, high.leftBump},
		} {
			if !(x[0] <= x[1] && x[1] <= x[2]) {
				t.Errorf("%s at %d: %v, not from %v to %v", what, at, x[1], x[0], x[2])
			}
			outermost = max(outermost, (x[1]-x[0])/(x[2]-x[0]))
		}
	}
	if outermost < 0.6 { // of the way to the upper bound
		t.Errorf("the errors come to %v of their bound at most: the test shows little", outermost)
	}
}

// TestBetween: between two neighbours of the points of a transform, nothing is above the bound.
func TestBetween(t *testing.T) {
	const m = 128
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		points := 2 + r.IntN(m-1)
		l := &lattice{step: 1, first: -r.IntN(points), mass: make([]float64, points)}
		norm := 0.0
		for i := range l.mass {
			l.mass[i] = math.Log(math.Pow(r.Float64(), 8) + 1e-6)
			norm += math.Exp(l.mass[i])
		}
		x := term{l, 1}
		f, masses := x.fold(nil, 0)
		logs := x.between(f, masses, m)
		for i, bound := range logs {
			for part := range 11 {
				theta := 2 * math.Pi * (float64(i) + float64(part)/10) / m
				var c complex128
				for j, mass := range l.mass {
					sin, cos := math.Sincos(theta * float64(j))
					c += complex(math.Exp(mass)/norm*cos, math.Exp(mass)/norm*sin)
				}
				if is := math.Log(size(c)); !(is <= bound+1e-12) {
					t.Fatalf("%d points, %.1f of %d: log|c| is %v, bound %v", points, float64(i)+float64(part)/10, m,
						is, bound)
				}
			}
		}
	}
}

// TestLowpass: the frequencies that a series lacks are nothing, and a loss of two values far apart has no series.
func TestLowpass(t *testing.T) {
	for name, events := range lowLists() {
		of := partsOf(t, 1e-6, events)
		w, _, ok := compose(of.terms, of.frame, 1<<20)
		if !ok || w.series == nil {
			t.Errorf("%s: no series", name)
			continue
		}
		all := newProduct(w.n/2+1, len(of.terms))
		for _, x := range of.terms {
			f, masses := x.fold(nil, w.tilt)
			b := newBand(w.n, w.n/2, 1)
			all.multiply(b.coefficients(masses, x.first-f.center), x.count, f.excess, 2*b.error*f.rest+f.wrong)
		}
		if last := len(w.series.coefficient) - 1; last != all.last {
			t.Errorf("%s: frequencies up to %d, by the whole transform up to %d", name, last, all.last)
		}
	}
	// The losses of Laplace noise are mostly its least and its greatest, so that |c| is near 1 again at high
	// frequencies.
	of := partsOf(t, 1e-6, []Event{{pair(Laplace(1, 30)), 4000}})
	if w, _, ok := compose(of.terms, of.frame, 1<<20); !ok || w.series != nil {
		t.Error("a loss of two values has a series")
	}
}
