package linear

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"privpipe/estep/row"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

func TestModel(t *testing.T) {
	for name, o := range map[string]Options{
		"long rows": {RowNorm: 2, Most: 1}, "short rows": {RowNorm: 1e4, Least: -5, Most: 5},
	} {
		t.Run(name, func(t *testing.T) {
			modeltest.EStep(t,
				modeltest.Case{Family: families.Linear, Step: New(o), Size: model.Size{Words: 20}, Norm: 2})
		})
	}
}

// TestSettings: workers that scale rows or responses in other ways have other settings.
func TestSettings(t *testing.T) {
	seen := make(map[string]bool)
	for _, o := range []Options{{1, 0, 1}, {2, 0, 1}, {1, -1, 1}, {1, 0, 2}} {
		seen[fmt.Sprint(New(o).Settings())] = true
	}
	if len(seen) != 4 {
		t.Errorf("4 E-steps have %d settings: %v", len(seen), seen)
	}
}

func cells(t *testing.T, o Options, d *wire.Document, words int) []float64 {
	t.Helper()
	parts, err := New(o).NewWorker().Contribute(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return modeltest.Dense(families.Linear.Statistics(model.Size{Words: words}), parts)
}

// TestByHand: x = (3, 0, 4)/10 after scaling to R = 10; responses of [10, 30] are scaled to [−1, 1] and clamped.
func TestByHand(t *testing.T) {
	o := Options{RowNorm: 10, Least: 10, Most: 30}
	for label, y := range map[string]float64{"25": 0.5, "20": 0, "1e9": 1, "-1e400": -1, "10": -1, "12.5": -0.75} {
		want := []float64{y * 0.3, 0, y * 0.4, 0.09, 0, 0.12, 0, 0, 0.16, y * y, 1}
		for i, got := range cells(t, o, modeltest.Row(label, 3, 0, 4), 3) {
			if math.Abs(got-want[i]) > 1e-7 {
				t.Errorf("response %s: cell %d is %v, want %v", label, i, got, want[i])
			}
		}
	}
	o.RowNorm = 2.5 // the row of norm 5 gets norm 1
	got := cells(t, o, modeltest.Row("30", 3, 0, 4), 3)
	if math.Abs(got[0]-0.6) > 1e-7 || math.Abs(got[8]-0.64) > 1e-7 {
		t.Errorf("a long row: %v", got)
	}
}

// TestWideRange: the widest range that the command takes is scaled without overflow.
func TestWideRange(t *testing.T) {
	o := Options{RowNorm: 1, Least: -8e307, Most: 8e307}
	for y, want := range map[float64]float64{-8e307: -1, 0: 0, 4e307: 0.5, 8e307: 1, 1.7e308: 1} {
		if got := o.scale(y); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v is scaled to %v, want %v", y, got, want)
		}
	}
}

// TestBadLabels: a label that is no number is refused, and not shown.
func TestBadLabels(t *testing.T) {
	for _, label := range []string{"", "MARKER", "NaN", "1,5", "1/2", "7 "} {
		_, err := New(Options{1, 0, 1}).NewWorker().Contribute(modeltest.Row(label, 1), nil)
		if err == nil || exit.Code(err) != exit.Malformed || label != "" && strings.Contains(err.Error(), label) {
			t.Errorf("label %q: %v", label, err)
		}
	}
}

// predictions has the model y = 0.5·x1 − 0.25·x2 with some covariance, over [10, 30] and R = 2.
func predictions() *Model {
	m := New(Options{2, 10, 30})
	m.words, m.mean, m.noise, m.covariance = 2, []float64{0.5, -0.25}, 0.04, []float64{0.8, 0.2, 0.2, 0.4}
	return m
}

// TestRegress: x = (2, −1)/√5 has the mean 0.625·2/√5 and the variance 0.04 + (4·0.8 − 4·0.2 + 0.4)/5 in [−1, 1].
func TestRegress(t *testing.T) {
	d := modeltest.Row("", 4, -2)
	mean, deviation, err := predictions().NewWorker().(model.Regressor).Regress(d)
	if err != nil || math.Abs(mean-(20+12.5/math.Sqrt(5))) > 1e-12 || math.Abs(deviation-10*math.Sqrt(0.6)) > 1e-12 {
		t.Errorf("mean %v, deviation %v, %v", mean, deviation, err)
	}
	if mean, deviation, err := predictions().NewWorker().(model.Regressor).Regress(modeltest.Row("")); err != nil ||
		mean != 20 || math.Abs(deviation-2) > 1e-12 {
		t.Errorf("an empty row has mean %v, deviation %v, %v", mean, deviation, err)
	}
	m := predictions()
	m.mean[0], m.covariance[0] = 1e300, -1e300
	if _, deviation, err := m.NewWorker().(model.Regressor).Regress(modeltest.Row("", 1, 0)); err != nil ||
		math.Abs(deviation-2) > 1e-12 {
		t.Errorf("a negative variance gives the deviation %v, %v", deviation, err)
	}
	m.options.Most = 1e300
	if _, _, err := m.NewWorker().(model.Regressor).Regress(modeltest.Row("", 1, 0)); exit.Code(err) != exit.Malformed {
		t.Errorf("a prediction that is not finite: %v", err)
	}
}

// TestPredict: a threshold one deviation above the mean is passed with the probability 0.1587.
func TestPredict(t *testing.T) {
	w := aboveModel{predictions(), 22}.NewWorker().(model.Predictor)
	for label, truth := range map[string]int{"22": 0, "22.1": 1} {
		p, err := w.Predict(modeltest.Row(label))
		if err != nil || len(p.TruthGaps) != truth || p.Label != label {
			t.Errorf("response %s: %v, %v", label, p, err)
		}
		got := math.Float32frombits(binary.LittleEndian.Uint32(p.Probabilities))
		if math.Abs(float64(got)-0.15865525) > 1e-7 {
			t.Errorf("the probability is %v", got)
		}
	}
	if _, err := w.Predict(modeltest.Row("")); exit.Code(err) != exit.Malformed {
		t.Errorf("a row without a response: %v", err)
	}
}

// A pair is two rows with their responses: what is searched over.
type pair struct {
	rows      [2][]float64
	responses [2]float64
}

func randomPair(random *rand.Rand, n int) (p pair) {
	for i := range p.rows {
		for range n {
			p.rows[i] = append(p.rows[i], random.NormFloat64())
		}
		p.responses[i] = 2 * random.NormFloat64()
	}
	return p
}

// moved returns a pair that is a little different.
func (p pair) moved(random *rand.Rand, by float64) pair {
	i := random.IntN(2)
	p.rows[i] = append([]float64(nil), p.rows[i]...)
	p.rows[i][random.IntN(len(p.rows[i]))] += by * random.NormFloat64()
	p.responses[i] += by * random.NormFloat64()
	return p
}

// far returns how far the contributions of both rows lie apart in some of the four matrices; alone: how long the first
// is.
func (p pair) far(t *testing.T, matrices string, alone bool) float64 {
	n := len(p.rows[0])
	contribution := func(i int) []float64 {
		response := strconv.FormatFloat(p.responses[i], 'g', -1, 64)
		return cells(t, Options{1, -1, 1}, modeltest.Row(response, p.rows[i]...), n)
	}
	a := contribution(0)
	if !alone {
		for i, x := range contribution(1) {
			a[i] -= x
		}
	}
	parts := map[byte]float64{}
	for i, x := range a[:n] {
		parts['l'] += x * x
		for j := i; j < n; j++ {
			cell := a[n+i*n-i*(i-1)/2+j-i]
			if parts['q'] += cell * cell; j > i { // the norm of the whole symmetric matrix
				parts['q'] += cell * cell
			}
		}
	}
	parts['s'], parts['c'] = a[len(a)-2]*a[len(a)-2], a[len(a)-1]*a[len(a)-1]
	square := 0.0
	for i := range len(matrices) {
		square += parts[matrices[i]]
	}
	return math.Sqrt(square)
}

// TestNorms: a search over rows and responses finds contributions of nearly the norms of claim.md, and none above.
func TestNorms(t *testing.T) {
	for name, c := range map[string]struct {
		matrices string
		alone    bool
		most     float64
	}{
		"add-remove": {"lqsc", true, 2}, "add-remove, xy": {"l", true, 1}, "add-remove, xx": {"q", true, 1},
		"add-remove, yy": {"s", true, 1}, "add-remove, count": {"c", true, 1},
		"replace-one": {"lqsc", false, 3 / math.Sqrt2}, "replace-one, xy": {"l", false, 2},
		"replace-one, xx": {"q", false, math.Sqrt2},
		"replace-one, yy": {"s", false, 1}, "replace-one, count": {"c", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(5, 6))
			best := 0.0
			for range 40 {
				p := randomPair(random, 2+random.IntN(2))
				v := p.far(t, c.matrices, c.alone)
				for i := range 300 {
					moved := p.moved(random, math.Pow(10, -float64(i)/100))
					if w := moved.far(t, c.matrices, c.alone); w >= v {
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

// TestGrant: a grant may have the flags that claim.md names, and they cover the bound on the grid for 32 features.
func TestGrant(t *testing.T) {
	page, err := os.ReadFile("claim.md")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile("--clip ([0-9.]+) --clipping proved --sensitivity ([0-9.]+)`").FindSubmatch(page)
	if flags == nil {
		t.Fatal("claim.md names no grant")
	}
	number := func(text []byte) float64 {
		x, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	g := &event.Grant{
		Version: event.GrantVersion, ID: "g", Mechanism: event.Gaussian, Adjacency: event.ReplaceOne,
		Unit:     event.Document,
		Clipping: event.ClipProved, Clip: number(flags[1]), Proved: number(flags[2]), NoiseMultiplier: 1023,
		Releases: 1,
		Scheme:   event.Scheme{Method: event.All, Rate: 1, Rounds: 1},
	}
	if err := g.Check(); err != nil {
		t.Fatalf("the grant of claim.md: %v", err)
	}
	const features = 32
	steps, _ := g.Steps()
	apart := 3/math.Sqrt2 + 1e-6 // in FLOAT32
	if most := apart/g.Clip*float64(steps) +
		math.Sqrt(2*features+4*features*features+1); float64(g.Sensitivity(steps)) < most {
		t.Errorf("a sensitivity of %d steps, rows are %v apart", g.Sensitivity(steps), most)
	}
}

// TestExtremes: rows and responses at the ends of what the wire allows keep the bounds.
func TestExtremes(t *testing.T) {
	for _, label := range []string{"1e308", "-1e308", "1e999", "0", "5e-324"} {
		for _, x := range [][]float64{{math.MaxFloat32, math.MaxFloat32}, {1e-45, 0}, {-1, 1e-38}} {
			d := modeltest.Row(label, x...)
			got := cells(t, Options{1, -1e307, 1e307}, d, 2)
			got[3] *= math.Sqrt2
			if norm := row.Norm(got); !(norm <= 2*(1+1e-12)) {
				t.Errorf("row %v with response %s has norm %v", x, label, norm)
			}
		}
	}
}
