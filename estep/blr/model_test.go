package blr

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"privpipe/estep/row"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// step returns an E-step with the given moments, V × V.
func step(o Options, mean, moments []float64) *Model {
	m := New(o)
	m.words, m.mean = len(mean), mean
	m.fold(slices.Clone(moments))
	return m
}

func identity(n int) []float64 {
	m := make([]float64, n*n)
	for i := range n {
		m[i*n+i] = 1
	}
	return m
}

var classes = row.Labels{Positive: "1"}

func TestModel(t *testing.T) {
	for name, o := range map[string]Options{
		"long rows":  {RowNorm: 2, Labels: classes},
		"short rows": {RowNorm: 1e4, Labels: classes},
	} {
		t.Run(name, func(t *testing.T) {
			modeltest.EStep(t, modeltest.Case{
				Family: families.BLR, Step: step(o, make([]float64, 20), identity(20)), Size: model.Size{Words: 20},
				Norm: math.Sqrt(5) / 4,
			})
		})
	}
}

// TestSettings: workers that scale rows or read labels in other ways have other settings.
func TestSettings(t *testing.T) {
	seen := make(map[string]bool)
	for _, o := range []Options{
		{RowNorm: 1, Labels: classes}, {RowNorm: 2, Labels: classes}, {RowNorm: 1, Labels: row.Labels{Positive: "2"}},
		{RowNorm: 1, Labels: row.Labels{Positive: "1", Trials: 3}},
	} {
		seen[fmt.Sprint(New(o).Settings())] = true
	}
	if len(seen) != 4 {
		t.Errorf("4 E-steps have %d settings: %v", len(seen), seen)
	}
}

func cells(t *testing.T, m *Model, d *wire.Document) []float64 {
	t.Helper()
	parts, err := m.NewWorker().Contribute(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return modeltest.Dense(families.BLR.Statistics(model.Size{Words: m.words}), parts)
}

// TestByHand: x = (3, 0, 4)/10 after scaling to R = 10, M = diag(0, 1, 25), so c = √(25·0.16) = 2 and ξ = tanh(1)/4.
func TestByHand(t *testing.T) {
	m := step(Options{RowNorm: 10, Labels: classes}, make([]float64, 3), []float64{0, 0, 0, 0, 1, 0, 0, 0, 25})
	xi := math.Tanh(1) / 4
	for label, sign := range map[string]float64{"1": 1, "0": -1, "no": -1} {
		want := []float64{sign * 0.15, 0, sign * 0.2, xi * 0.09, 0, xi * 0.12, 0, 0, xi * 0.16}
		for i, got := range cells(t, m, modeltest.Row(label, 3, 0, 4)) {
			if math.Abs(got-want[i]) > 1e-7 {
				t.Errorf("label %q: cell %d is %v, want %v", label, i, got, want[i])
			}
		}
	}
	// A row of norm 5 is longer than R = 2.5: it gets norm 1, and c = √(25·0.64) = 4.
	m.options.RowNorm = 2.5
	if got, want := cells(t, m, modeltest.Row("1", 3, 0, 4))[8], math.Tanh(2)/8*0.64; math.Abs(got-want) > 1e-7 {
		t.Errorf("a long row: %v, want %v", got, want)
	}
}

// plain is the contribution of a row as the paper writes it, over the whole of M: s1, and the triangle of s2.
func plain(x []float64, y, norm float64, moments []float64) []float64 {
	n, divisor, square := len(x), max(norm, row.Norm(x)), 0.0
	for r := range n {
		for c := range n {
			square += x[r] / divisor * moments[r*n+c] * x[c] / divisor
		}
	}
	xi := 0.25
	if c := math.Sqrt(max(0, square)); c > 1e-3 {
		xi = math.Tanh(c/2) / (2 * c)
	}
	var first, second []float64
	for r := range n {
		first = append(first, (y-0.5)*x[r]/divisor)
		for c := r; c < n; c++ {
			second = append(second, xi*x[r]/divisor*x[c]/divisor)
		}
	}
	return append(first, second...)
}

// FuzzContribute: some features of the rows are 0, and the moments need not be symmetric. The worker contributes the
// same as the plain twin.
func FuzzContribute(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, 3.0, 1.0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, norm, scale float64) {
		if !(norm >= 1e-3 && norm <= 1e3 && scale >= 0 && scale <= 1e6) {
			t.Skip()
		}
		random := rand.New(rand.NewPCG(seed, 9))
		x, moments := make([]float64, 1+random.IntN(9)), []float64(nil)
		for i := range x {
			if random.IntN(3) > 0 {
				x[i] = float64(float32(random.NormFloat64()))
			}
		}
		for range len(x) * len(x) {
			moments = append(moments, scale*random.NormFloat64())
		}
		m := step(Options{RowNorm: norm, Labels: classes}, make([]float64, len(x)), moments)
		y := random.IntN(2)
		want := plain(x, float64(y), norm, moments)
		for i, got := range cells(t, m, modeltest.Row(fmt.Sprint(y), x...)) {
			if !(math.Abs(got-want[i]) <= 1e-6*math.Abs(want[i])+1e-12) {
				t.Fatalf("cell %d is %v, want %v: row %v, moments %v", i, got, want[i], x, moments)
			}
		}
	})
}

// TestTrials: 3 of 7 successes; the sums of 7 rows of one trial each are the same.
func TestTrials(t *testing.T) {
	moments := []float64{2, 1, 1, 3}
	binomial := step(Options{RowNorm: 1, Labels: row.Labels{Trials: 9}}, make([]float64, 2), moments)
	single := step(Options{RowNorm: 1, Labels: classes}, make([]float64, 2), moments)
	want := make([]float64, 5)
	for i := range 7 {
		label := "0"
		if i < 3 {
			label = "1"
		}
		for c, x := range cells(t, single, modeltest.Row(label, 0.6, -0.5)) {
			want[c] += x
		}
	}
	for c, got := range cells(t, binomial, modeltest.Row("3/7", 0.6, -0.5)) {
		if math.Abs(got-want[c]) > 1e-6 {
			t.Errorf("cell %d is %v, want %v", c, got, want[c])
		}
	}
	if got := cells(t, binomial, modeltest.Row("9", 1, 0)); math.Abs(got[0]-4.5) > 1e-6 {
		t.Errorf("9 of 9 trials: %v, want 4.5", got[0])
	}
}

// TestBadLabels: a label that says nothing is refused, and not shown.
func TestBadLabels(t *testing.T) {
	for _, c := range []struct {
		trials int
		label  string
	}{{0, ""}, {5, ""}, {5, "6"}, {5, "-1"}, {5, "4/3"}, {5, "3/6"}, {5, "x"}, {5, "1/"}, {5, "1.5/3"}, {5, "1/3/3"}} {
		m := step(Options{RowNorm: 1, Labels: row.Labels{Positive: "1", Trials: c.trials}}, []float64{0}, []float64{1})
		_, err := m.NewWorker().Contribute(modeltest.Row(c.label, 1), nil)
		if err == nil || exit.Code(err) != exit.Malformed || c.label != "" &&
			strings.Contains(strings.ReplaceAll(err.Error(), "--trials 5", ""), c.label+" ") {
			t.Errorf("label %q of at most %d trials: %v", c.label, c.trials, err)
		}
	}
}

// TestPredict: eq. 20's average over q(w), by the integral over the logit, which is normal. MacKay's approximation is
// within 0.02 of it.
func TestPredict(t *testing.T) {
	mean, covariance := []float64{1.5, -0.5}, []float64{0.8, 0.2, 0.2, 0.4}
	moments := make([]float64, 4)
	for i := range 2 {
		for j := range 2 {
			moments[2*i+j] = covariance[2*i+j] + mean[i]*mean[j]
		}
	}
	predict := func(o Options, d *wire.Document) (float64, *wire.Prediction) {
		o.RowNorm, o.Labels = 2, classes
		p, err := step(o, mean, moments).NewWorker().(model.Predictor).Predict(d)
		if err != nil {
			t.Fatal(err)
		}
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Probabilities))), p
	}
	for _, x := range [][]float64{{2, 0}, {-1, 1}, {0.5, 1.5}, {1.2, -1.6}} {
		a, b := x[0]/2, x[1]/2
		logit, variance := a*mean[0]+b*mean[1], a*a*covariance[0]+2*a*b*covariance[1]+b*b*covariance[3]
		integral := 0.0
		for i := -800; i <= 800; i++ {
			z := float64(i) / 100
			integral += math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / 100 / (1 + math.Exp(-logit-z*math.Sqrt(variance)))
		}
		got, p := predict(Options{}, modeltest.Row("1", x...))
		want := 1 / (1 + math.Exp(-logit/math.Sqrt(1+math.Pi*variance/8)))
		if math.Abs(got-want) > 1e-6 || math.Abs(got-integral) > 0.02 {
			t.Errorf("probability of %v is %v, want %v, near %v", x, got, want, integral)
		}
		if p.Id != "d" || p.Label != "1" || len(p.TruthGaps) != 1 || p.TruthGaps[0] != 0 {
			t.Errorf("the prediction is %v", p)
		}
		if got, want := first(predict(Options{PlugIn: true}, modeltest.Row("0", x...))),
			1/(1+math.Exp(-logit)); math.Abs(got-want) > 1e-6 {
			t.Errorf("plug-in probability of %v is %v, want %v", x, got, want)
		}
	}
	if _, p := predict(Options{}, modeltest.Row("0", 1, 1)); len(p.TruthGaps) != 0 {
		t.Error("a row of the other class is of the positive class")
	}
	if got, _ := predict(Options{}, modeltest.Row("")); got != 0.5 {
		t.Errorf("an empty row has the probability %v", got)
	}
}

func first(x float64, _ *wire.Prediction) float64 { return x }

// A pair is two rows and the moments that they meet: what is searched over.
type pair struct {
	rows   [2][]float64
	labels [2]string
	root   []float64 // M = root·rootᵀ
}

func randomPair(random *rand.Rand, n int) pair {
	numbers := func(n int, scale float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = random.NormFloat64() * scale
		}
		return x
	}
	p := pair{root: numbers(n*n, math.Exp(8*random.NormFloat64()))}
	for i := range p.rows {
		p.rows[i] = numbers(n, math.Exp(random.NormFloat64()))
		p.labels[i] = []string{"0", "1"}[random.IntN(2)]
	}
	if random.IntN(2) == 0 { // one class each, and almost the same row
		p.labels = [2]string{"0", "1"}
		for i, x := range p.rows[0] {
			p.rows[1][i] = x + 1e-3*random.NormFloat64()
		}
	}
	return p
}

// moved returns a pair that is a little different.
func (p pair) moved(random *rand.Rand, by float64) pair {
	move := func(x []float64) []float64 {
		x = append([]float64(nil), x...)
		i := random.IntN(len(x))
		x[i] = x[i]*math.Exp(by*random.NormFloat64()) + by*random.NormFloat64()*row.Norm(x)
		return x
	}
	switch random.IntN(3) {
	case 0:
		p.rows[0] = move(p.rows[0])
	case 1:
		p.rows[1] = move(p.rows[1])
	default:
		p.root = move(p.root)
	}
	return p
}

// far returns how far the contributions of both rows lie apart, each matrix over its bound; alone: how long the first
// is.
func (p pair) far(t *testing.T, bounds [2]float64, alone bool) float64 {
	n := len(p.rows[0])
	moments := make([]float64, n*n)
	for r := range n {
		for c := range n {
			for k := range n {
				moments[r*n+c] += p.root[r*n+k] * p.root[c*n+k]
			}
		}
	}
	m := step(Options{RowNorm: 1, Labels: classes}, make([]float64, n), moments)
	a := frobenius(cells(t, m, modeltest.Row(p.labels[0], p.rows[0]...)), n)
	if !alone {
		for i, x := range frobenius(cells(t, m, modeltest.Row(p.labels[1], p.rows[1]...)), n) {
			a[i] -= x
		}
	}
	square := 0.0
	for i, x := range a {
		bound := bounds[0]
		if i >= n {
			bound = bounds[1]
		}
		square += x * x / (bound * bound)
	}
	return math.Sqrt(square)
}

// frobenius weights the cells off the diagonal by √2. Their norm is then the norm of the whole symmetric matrix. The
// Gaussian mechanism protects the matrix in this norm (SPEC.md §7.3).
func frobenius(cells []float64, n int) []float64 {
	at := n
	for r := range n {
		for c := r; c < n; c++ {
			if c > r {
				cells[at] *= math.Sqrt2
			}
			at++
		}
	}
	return cells
}

// TestNorms: a search over rows and moments finds contributions of nearly the norms of claim.md, and none above.
func TestNorms(t *testing.T) {
	for name, c := range map[string]struct {
		bounds [2]float64
		alone  bool
		most   float64
	}{
		"add-remove, over the bounds":          {[2]float64{0.5, 0.25}, true, math.Sqrt2},
		"add-remove, in units of the program":  {[2]float64{1, 0.5}, true, math.Sqrt2 / 2},
		"replace-one, in units of the program": {[2]float64{1, 0.5}, false, math.Sqrt(5) / 2},
		"add-remove, s1 alone":                 {[2]float64{1, math.Inf(1)}, true, 0.5},
		"add-remove, s2 alone":                 {[2]float64{math.Inf(1), 1}, true, 0.25},
		"replace-one, s1 alone":                {[2]float64{1, math.Inf(1)}, false, 1},
		"replace-one, s2 alone":                {[2]float64{math.Inf(1), 1}, false, math.Sqrt2 / 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(5, 6))
			best := 0.0
			for range 250 {
				p := randomPair(random, 2+random.IntN(2))
				v := p.far(t, c.bounds, c.alone)
				for i := range 300 {
					moved := p.moved(random, math.Pow(10, -float64(i)/80))
					if w := moved.far(t, c.bounds, c.alone); w >= v {
						p, v = moved, w
					}
				}
				best = max(best, v)
			}
			if best > c.most*(1+1e-12) || best < 0.99*c.most {
				t.Errorf("the largest norm found is %v, the bound %v", best, c.most)
			}
		})
	}
}

// TestNormsOfTrials: b trials have at most b times the norms.
func TestNormsOfTrials(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	best := 0.0
	for range 3000 {
		p := randomPair(random, 3)
		m := step(Options{RowNorm: 1, Labels: row.Labels{Trials: 4}}, make([]float64, 3), make([]float64, 9))
		label := []string{"0", "4", "2/4", "3/3", "0/0", "1"}[random.IntN(6)]
		best = max(best, row.Norm(frobenius(cells(t, m, modeltest.Row(label, p.rows[0]...)), 3)))
	}
	if most := 4 * math.Sqrt(5) / 4; best > most*(1+1e-12) || best < 0.99*most {
		t.Errorf("the largest norm found is %v, the bound %v", best, most)
	}
}

// TestHostile: no moments that the wire allows make a contribution or a prediction that it does not allow, or pass a
// bound.
func TestHostile(t *testing.T) {
	for _, moments := range [][]float64{
		{1e308, -1e308, -1e308, 1e308}, {1e308, 1e308, 1e308, 1e308}, {-1e308, -1e308, -1e308, -1e308}, {-5, 0, 0, -5},
		{0, 0, 0, 0},
	} {
		m := step(Options{RowNorm: 1, Labels: classes}, []float64{1e308, -1e308}, moments)
		d := modeltest.Row("1", math.MaxFloat32, math.MaxFloat32/3)
		got := frobenius(cells(t, m, d), 2)
		if norm := row.Norm(got); !(norm <= math.Sqrt(5)/4) {
			t.Errorf("moments %v: a contribution of norm %v", moments, norm)
		}
		p, err := m.NewWorker().(model.Predictor).Predict(d)
		if x := math.Float32frombits(binary.LittleEndian.Uint32(p.Probabilities)); err != nil || !(x >= 0 && x <= 1) {
			t.Errorf("moments %v: probability %v, %v", moments, x, err)
		}
	}
}
