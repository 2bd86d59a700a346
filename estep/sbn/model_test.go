package sbn

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// parameters are those of a model, in the order of package sbn.
type parameters struct {
	size                              model.Size
	weights, squares, hidden, visible []float64
}

// random returns parameters of some scale.
func random(r *rand.Rand, size model.Size, scale float64) parameters {
	numbers := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = scale * r.NormFloat64()
		}
		return x
	}
	p := parameters{size, numbers(size.Words * size.Components), nil, numbers(size.Components), numbers(size.Words)}
	for _, w := range p.weights {
		p.squares = append(p.squares, w*w+scale*r.ExpFloat64())
	}
	return p
}

func (p parameters) set(m *Model) error {
	s := new(model.Snapshot)
	families.SBNWeights.Put(s, p.size, p.weights)
	families.SBNSquares.Put(s, p.size, p.squares)
	families.SBNHidden.Put(s, p.size, p.hidden)
	families.SBNVisible.Put(s, p.size, p.visible)
	return m.SetParameters(modeltest.Snapshot("sbn", s), p.size)
}

func step(t testing.TB, o Options, p parameters) *Model {
	t.Helper()
	m := New(o)
	m.pixels, m.hidden = p.size.Words, p.size.Components
	m.weights, m.moments, m.biases, m.visible = p.weights, p.squares, p.hidden, p.visible
	m.begin()
	return m
}

// image returns a document with these pixels on.
func image(on []bool) *wire.Document {
	d := &wire.Document{Id: "image"}
	last := 0
	for j, y := range on {
		if y {
			d.WordGaps, d.Counts = append(d.WordGaps, uint32(j-last)), append(d.Counts, 1)
			last = j
		}
	}
	return d
}

func randomImage(r *rand.Rand, pixels int) []bool {
	on := make([]bool, pixels)
	share := r.Float64()
	for j := range on {
		on[j] = r.Float64() < share
	}
	on[r.IntN(pixels)] = true
	return on
}

var counted = Options{Sweeps: 5, Count: true}

// all is the root of the sum of all squared bounds: the largest norm without division by the bounds.
func all(size model.Size) float64 {
	square := 0.0
	for _, b := range families.SBNBounds(size) {
		square += b.Norm * b.Norm
	}
	return math.Sqrt(square)
}

func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, size := range []model.Size{{Words: 20, Components: 3}, {Words: 21, Components: 1}} {
		modeltest.EStep(t, modeltest.Case{Family: families.SBN, Step: step(t, counted, random(r, size, 1)), Size: size,
			Norm: all(size)})
		uncounted := step(t, Options{Sweeps: 2}, random(r, size, 1))
		modeltest.EStep(t, modeltest.Case{Family: families.SBNUncounted, Step: uncounted, Size: size, Norm: all(size)})
	}
}

// TestManyHidden: a part takes all pairs of the most hidden units, and more is refused.
func TestManyHidden(t *testing.T) {
	size := model.Size{Words: 7000, Components: families.MaxHidden}
	m := step(t, Options{Sweeps: 1, Count: true}, random(rand.New(rand.NewPCG(1, 1)), size, 0.01))
	parts, err := m.NewWorker().Contribute(&wire.Document{WordGaps: []uint32{0, 6999}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	covered := make(map[uint32]int) // rows of each matrix
	for _, p := range parts {
		if len(p.Values) > model.MaxPart {
			t.Errorf("a part has %d bytes", len(p.Values))
		}
		covered[p.Matrix] += len(p.RowGaps)
	}
	if covered[5] != size.Words || covered[4] != 2 || covered[3] != size.Words {
		t.Errorf("rows of matrices: %v", covered)
	}
	size = model.Size{Words: 1, Components: families.MaxHidden + 1}
	if err := random(rand.New(rand.NewPCG(1, 1)), size, 1).set(New(counted)); err == nil ||
		!strings.Contains(err.Error(), "501 hidden units") {
		t.Errorf("too many hidden units: %v", err)
	}
}

// TestSettings: workers that infer in other ways, or count, have other settings. How pixels are predicted is no matter
// of training.
func TestSettings(t *testing.T) {
	seen := make(map[string]bool)
	for _, o := range []Options{counted, {Sweeps: 4, Count: true}, {Sweeps: 5}, {Sweeps: 5, Count: true, Mean: true}} {
		seen[fmt.Sprint(New(o).Settings())] = true
	}
	if len(seen) != 3 {
		t.Errorf("4 E-steps have %d settings: %v", len(seen), seen)
	}
}

// twin computes ⟨z⟩ and ⟨ξ⟩ from eq. 67 to 71, each number anew from its definition.
func twin(p parameters, on []bool, sweeps int) (z, xi []float64) {
	weight := func(j, k int) float64 { return p.weights[k*p.size.Words+j] }
	sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	z, xi = make([]float64, p.size.Components), make([]float64, p.size.Words)
	for k := range z {
		z[k] = sigma(p.hidden[k])
	}
	psi := func(j, without int) float64 {
		sum := p.visible[j]
		for k := range z {
			if k != without {
				sum += weight(j, k) * z[k]
			}
		}
		return sum
	}
	for range sweeps {
		for j := range xi {
			x := math.Abs(psi(j, -1))
			xi[j] = math.Tanh(x/2) / (2 * x)
		}
		for k := range z {
			d := p.hidden[k]
			for j := range xi {
				y := 0.0
				if on[j] {
					y = 1
				}
				d += (y-0.5-xi[j]*psi(j, k))*weight(j, k) - xi[j]*p.squares[k*p.size.Words+j]/2
			}
			z[k] = sigma(d)
		}
	}
	return z, xi
}

// statistics returns the cells of all matrices of §3.4's table.
func statistics(z, xi []float64, on []bool) (cells []float64) {
	y := make([]float64, len(on))
	for j := range y {
		if on[j] {
			y[j] = 1
		}
	}
	cells = append(append(append(cells, z...), y...), xi...)
	for _, factor := range [][]float64{xi, y} {
		for _, f := range factor {
			for _, v := range z {
				cells = append(cells, f*v)
			}
		}
	}
	for _, f := range xi {
		for k := range z {
			for l := k; l < len(z); l++ {
				if k == l {
					cells = append(cells, f*z[k])
				} else {
					cells = append(cells, f*z[k]*z[l])
				}
			}
		}
	}
	return append(cells, 1)
}

func contribution(t testing.TB, m *Model, on []bool) []float64 {
	t.Helper()
	parts, err := m.NewWorker().Contribute(image(on), nil)
	if err != nil {
		t.Fatal(err)
	}
	family := families.SBNUncounted
	if m.options.Count {
		family = families.SBN
	}
	return modeltest.Dense(family.Statistics(model.Size{Words: m.pixels, Components: m.hidden}), parts)
}

func TestTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for range 40 {
		size := model.Size{Words: 1 + r.IntN(12), Components: 1 + r.IntN(5)}
		p, on := random(r, size, 2*r.Float64()), randomImage(r, size.Words)
		for _, sweeps := range []int{1, 5} {
			got := contribution(t, step(t, Options{Sweeps: sweeps, Count: true}, p), on)
			z, xi := twin(p, on, sweeps)
			want := statistics(z, xi, on)
			if len(got) != len(want) {
				t.Fatalf("%d cells, want %d", len(got), len(want))
			}
			for i, x := range got {
				if math.Abs(x-want[i]) > 1e-6 {
					t.Fatalf("%v, %d sweeps: cell %d is %v, want %v", size, sweeps, i, x, want[i])
				}
			}
			uncounted := contribution(t, step(t, Options{Sweeps: sweeps}, p), on)
			if !slices.Equal(uncounted, got[:len(got)-1]) {
				t.Error("without count the other statistics differ")
			}
		}
	}
}

// TestByHand: one pixel and one hidden unit. ψ = 2·½ + 0.5 and ξ = tanh(0.75)/3, so d = 0 + (1 − ½ − ξ/2)·2 − ξ·5/2 = 1
// − 3.5·ξ.
func TestByHand(t *testing.T) {
	m := step(t, Options{Sweeps: 1, Count: true},
		parameters{model.Size{Words: 1, Components: 1}, []float64{2}, []float64{5}, []float64{0}, []float64{0.5}})
	xi := math.Tanh(0.75) / 3
	z := 1 / (1 + math.Exp(3.5*xi-1))
	for i, want := range []float64{z, 1, xi, xi * z, z, xi * z, 1} {
		if got := contribution(t, m, []bool{true})[i]; math.Abs(got-want) > 1e-7 {
			t.Errorf("statistic %d is %v, want %v", i, got, want)
		}
	}
}

// TestPresence: a pixel is on, however often its word occurs.
func TestPresence(t *testing.T) {
	m := step(t, counted, random(rand.New(rand.NewPCG(4, 4)), model.Size{Words: 5, Components: 2}, 1))
	often := image([]bool{true, false, true, false, false})
	want, err := m.NewWorker().Contribute(often, nil)
	if err != nil {
		t.Fatal(err)
	}
	often.Counts = []uint32{9, 1 << 20}
	got, err := m.NewWorker().Contribute(often, nil)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("counts change a contribution: %v", err)
	}
}

// predict returns the probabilities of pixels.
func predict(t *testing.T, m *Model, d *wire.Document) []float64 {
	t.Helper()
	p, err := m.NewWorker().(model.Predictor).Predict(d)
	if err != nil || p.Id != d.Id || p.Label != d.Label || !slices.Equal(p.TruthGaps, d.WordGaps) {
		t.Fatalf("prediction %v, %v", p, err)
	}
	var all []float64
	for i := 0; i < len(p.Probabilities); i += 4 {
		all = append(all, float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Probabilities[i:]))))
	}
	return all
}

// TestPredict: pixels follow from the means of hidden units, or from a draw, which only the pixels of the image decide.
func TestPredict(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	size := model.Size{Words: 40, Components: 2}
	p := random(r, size, 0.3)
	mean, draw := step(t, Options{Sweeps: 5, Mean: true}, p), step(t, Options{Sweeps: 5}, p)
	logit := func(j int, z []float64) float64 {
		return p.visible[j] + p.weights[j]*z[0] + p.weights[size.Words+j]*z[1]
	}
	const images = 2000
	var expected, variance, drawn [2]float64
	for range images {
		on := randomImage(r, size.Words)
		d := image(on)
		z, _ := twin(p, on, 5)
		for j, got := range predict(t, mean, d) {
			if want := 1 / (1 + math.Exp(-logit(j, z))); math.Abs(got-want) > 1e-6 {
				t.Fatalf("pixel %d has the probability %v, want %v", j, got, want)
			}
		}
		got := predict(t, draw, d)
		d.Id, d.User, d.Label = "other", "name", "3"
		if !slices.Equal(predict(t, draw, d), got) {
			t.Error("the name of an image changes its draw")
		}
		found := false
		for drawing := range 4 { // the units that were drawn explain all pixels
			units := []float64{float64(drawing & 1), float64(drawing >> 1)}
			same := true
			for j, x := range got {
				same = same && math.Abs(x-1/(1+math.Exp(-logit(j, units)))) < 1e-6
			}
			if same {
				found = true
				for k := range units {
					drawn[k] += units[k]
				}
			}
		}
		if !found {
			t.Fatal("the pixels are those of no draw")
		}
		for k := range z {
			expected[k] += z[k]
			variance[k] += z[k] * (1 - z[k])
		}
	}
	for k := range drawn {
		if math.Abs(drawn[k]-expected[k]) > 5.5*math.Sqrt(variance[k]) {
			t.Errorf("unit %d was drawn %v times, expected %v ± %v", k, drawn[k], expected[k], math.Sqrt(variance[k]))
		}
	}
	if got := predict(t, mean, &wire.Document{}); len(got) != size.Words {
		t.Errorf("an empty image has %d pixels", len(got))
	}
}

// A pair is the parameters and two images: what is searched over.
type pair struct {
	parameters
	images [2][]bool
}

func randomPair(r *rand.Rand, size model.Size) pair {
	p := pair{parameters: random(r, size, math.Exp(2*r.NormFloat64()))}
	for i := range p.images {
		p.images[i] = randomImage(r, size.Words)
	}
	return p
}

// moved returns a pair that is a little different.
func (p pair) moved(r *rand.Rand) pair {
	move := func(x []float64) []float64 {
		x = slices.Clone(x)
		switch i := r.IntN(len(x)); r.IntN(3) {
		case 0:
			x[i] = 0
		case 1:
			x[i] *= math.Exp(r.NormFloat64())
		default:
			x[i] += 5 * r.NormFloat64()
		}
		for i := range x {
			x[i] = min(max(x[i], -100), 100)
		}
		return x
	}
	switch r.IntN(5) {
	case 0:
		p.weights = move(p.weights)
	case 1:
		p.hidden = move(p.hidden)
	case 2:
		p.visible = move(p.visible)
	default:
		i := r.IntN(2)
		p.images[i] = slices.Clone(p.images[i])
		j := r.IntN(len(p.images[i]))
		p.images[i][j] = !p.images[i][j]
	}
	p.squares = make([]float64, len(p.weights))
	for i, w := range p.weights {
		p.squares[i] = w * w
	}
	return p
}

// far returns how far the contributions of both images lie apart, or how long the first is, in each block over its
// bound and in all.
func (p pair) far(t *testing.T, alone bool) []float64 {
	m := step(t, Options{Sweeps: 2, Count: true}, p.parameters)
	a := contribution(t, m, p.images[0])
	if !alone {
		for i, x := range contribution(t, m, p.images[1]) {
			a[i] -= x
		}
	}
	var norms []float64
	joint := 0.0
	for _, b := range families.SBNBounds(p.size) {
		square := 0.0
		for _, x := range a[:b.Rows*b.Columns] {
			square += x * x
		}
		a = a[b.Rows*b.Columns:]
		norms = append(norms, math.Sqrt(square)/b.Norm)
		joint += square / (b.Norm * b.Norm)
	}
	return append(norms, math.Sqrt(joint))
}

// TestNorms: a search over images and parameters finds contributions of nearly each bound of claim.md, and none above,
// alone and as the distance of two. An empty image contributes nothing, so both have the same bounds.
func TestNorms(t *testing.T) {
	for name, alone := range map[string]bool{"add-remove": true, "replace-one": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, 8))
			best := make([]float64, 8)
			bounds := append(slices.Repeat([]float64{1}, 7), math.Sqrt(7))
			for range 8 {
				for block := range best { // climb for each block, and for all jointly
					p := randomPair(r, model.Size{Words: 2, Components: 2})
					v := p.far(t, alone)
					for range 250 {
						q := p.moved(r)
						w := q.far(t, alone)
						for i := range w {
							if best[i] = max(best[i], w[i]); w[i] > bounds[i]*(1+1e-12) {
								t.Fatalf("block %d has norm %v over its bound, may have %v", i, w[i], bounds[i])
							}
						}
						if w[block] >= v[block] {
							p, v = q, w
						}
					}
				}
			}
			for i, b := range best {
				if b < 0.99*bounds[i] {
					t.Errorf("the largest norm of block %d is %v, of %v", i, b, bounds[i])
				}
			}
		})
	}
}

// TestHostile: no parameters that the E-step takes make a contribution that is out of its box, or a prediction that is
// no probability, and others are refused.
func TestHostile(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	size := model.Size{Words: 6, Components: 3}
	extremes := []float64{families.MaxParameter, -families.MaxParameter, 0, 1, -1e-300}
	for range 50 {
		p := random(r, size, 1)
		for _, x := range [][]float64{p.weights, p.hidden, p.visible} {
			for i := range x {
				x[i] = extremes[r.IntN(len(extremes))]
			}
		}
		for i := range p.squares {
			p.squares[i] = math.Abs(extremes[r.IntN(len(extremes))]) * families.MaxParameter
		}
		m := New(counted)
		if err := p.set(m); err != nil {
			t.Fatal(err)
		}
		on := randomImage(r, size.Words)
		cells := contribution(t, m, on)
		for _, b := range families.SBNBounds(size) {
			most := b.Norm / math.Sqrt(float64(b.Rows*b.Columns))
			for _, x := range cells[:b.Rows*b.Columns] {
				if !(x >= 0 && x <= most*(1+1e-12)) {
					t.Fatalf("a cell of %s is %v", b.Name, x)
				}
			}
			cells = cells[b.Rows*b.Columns:]
		}
		for _, x := range predict(t, m, image(on)) {
			if !(x >= 0 && x <= 1) {
				t.Fatalf("a probability is %v", x)
			}
		}
	}
	for _, name := range []string{"weights", "squares", "hidden", "visible"} {
		p := random(r, size, 1)
		cells := map[string][]float64{"weights": p.weights, "squares": p.squares, "hidden": p.hidden,
			"visible": p.visible}[name]
		cells[1] = 1.1 * families.MaxParameter
		if name == "squares" {
			cells[1] *= families.MaxParameter
		}
		if err := p.set(New(counted)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a cell of %s is too large: %v", name, err)
		}
	}
	p := random(r, size, 1)
	p.squares[0] = -1
	if err := p.set(New(counted)); err == nil {
		t.Error("a negative square is taken")
	}
}

func BenchmarkContribute(b *testing.B) {
	for _, hidden := range []int{50, 100} {
		b.Run(fmt.Sprint("K=", hidden), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			size := model.Size{Words: 784, Components: hidden}
			w := step(b, counted, random(r, size, 0.3)).NewWorker()
			d := image(randomImage(r, size.Words))
			for b.Loop() {
				if _, err := w.Contribute(d, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

// TestGridIsBox: on the privatizer's grid of 2²⁰ steps, the largest cells of all matrices keep the clip that --bounds
// prints, with count and without. The clip is the root of the number of statistics, rounded up.
func TestGridIsBox(t *testing.T) {
	const steps = 1 << 20
	for _, family := range []*model.Family{families.SBN, families.SBNUncounted} {
		for _, size := range []model.Size{{Words: 1, Components: 1}, {Words: 784, Components: 50},
			{Words: 784, Components: 100}, {Words: 97, Components: 13}} {
			var clip float64
			if _, err := fmt.Sscanf(strings.SplitAfter(string(bounds(family, size)), "--clip ")[1], "%g",
				&clip); err != nil {
				t.Fatal(err)
			}
			if n := float64(len(family.Statistics(size))); clip < math.Sqrt(n) || clip > math.Sqrt(n)+1e-7 {
				t.Errorf("the clip of %v statistics is %v", n, clip)
			}
			square := new(big.Int)
			for _, b := range families.SBNBounds(size)[:len(family.Statistics(size))] {
				cells := b.Rows * b.Columns
				most := []float64{1, 0.25}[strings.Count(b.Name, "g")]
				cell := big.NewInt(int64(most * (steps / (clip * b.Norm))))
				square.Add(square, cell.Mul(cell, cell).Mul(cell, big.NewInt(int64(cells))))
			}
			if square.Cmp(big.NewInt(steps*steps)) > 0 {
				t.Errorf("%v: the largest contribution has %v squared steps, beyond the clip %v", size, square, clip)
			}
		}
	}
}
