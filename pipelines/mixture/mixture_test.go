package mixture

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// poison is a number that nobody computes: a kernel that reads it in place of a term gets NaN.
var poison = math.Float32frombits(0x7fc0dead)

// fence returns a slice of n numbers between poisoned ones, and a test that these are as they were. Its capacity ends
// behind the last number.
func fence(n int) (s []float32, whole func() bool) {
	const margin = 2 * lanes
	all := slices.Repeat([]float32{poison}, n+2*margin)
	return all[margin : margin+n : margin+n], func() bool {
		for i, x := range all {
			if (i < margin || i >= margin+n) && math.Float32bits(x) != math.Float32bits(poison) {
				return false
			}
		}
		return true
	}
}

// fenced is a mixture whose numbers are fenced, and a table that is, too.
type fenced struct {
	Mixture
	table  *Table
	fences map[string]func() bool
}

func newFenced(components, observations, words int) *fenced {
	f := &fenced{table: NewTable(components, words), fences: make(map[string]func() bool)}
	width, n := padded(observations, lanes), padded(components, lanes)
	for name, s := range map[string]struct {
		to   *[]float32
		size int
	}{
		"cells": {&f.cells, padded(components, 4) * width}, "counts": {&f.counts, width}, "p": {&f.p, width},
		"theta": {&f.theta, n},
		"sums":  {&f.sums, n}, "gamma": {&f.gamma, n}, "table": {&f.table.cells, len(f.table.cells)},
	} {
		before := *s.to
		*s.to, f.fences[name] = fence(s.size)
		copy(*s.to, before)
	}
	return f
}

func (f *fenced) check(t *testing.T) {
	t.Helper()
	for name, whole := range f.fences {
		if !whole() {
			t.Errorf("a kernel writes beyond %s", name)
		}
	}
}

// everyKernel runs a test with each kernel of this machine, and names the others.
func everyKernel(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if lacking := EachKernel(func(name string) { t.Run(name, test) }); len(lacking) > 0 {
		t.Logf("this machine cannot run the kernels %v", lacking)
	}
}

// document is random input of some size: counts, β of a table, and which components are live.
type document struct {
	words  []uint32
	counts []float32
	beta   [][]float32 // of each component, by word of the document
	live   []int
	theta  []float32 // of each component
}

func randomDocument(seed uint64, f *fenced, observations int) document {
	random := rand.New(rand.NewPCG(seed, 1))
	components := f.table.components
	var d document
	for w := range f.table.words {
		row := f.table.Row(w)
		for k := range row {
			row[k] = max(leastWeight, float32(math.Exp(-45*random.Float64())))
		}
	}
	d.beta = make([][]float32, components)
	for range observations {
		word := random.IntN(f.table.words)
		d.words = append(d.words, uint32(word))
		d.counts = append(d.counts, float32(1+random.IntN(9)))
		for k, b := range f.table.Row(word) {
			d.beta[k] = append(d.beta[k], b)
		}
	}
	few := random.Float64()
	for k := range components {
		theta := max(leastWeight, float32(math.Exp(-45*random.Float64())))
		if random.IntN(4) == 0 {
			theta = 0
		}
		d.theta = append(d.theta, theta)
		if random.Float64() < few || k == components-1 && len(d.live) == 0 {
			d.live = append(d.live, k)
		}
	}
	d.theta[d.live[random.IntN(len(d.live))]] = 1
	return d
}

// load gives f the document, with the components that are not live dropped and their rows poisoned.
func (f *fenced) load(d document, gather bool) {
	if gather {
		f.Gather(f.table, d.words, d.counts)
	} else {
		f.Reset(f.table.components, len(d.words))
		copy(f.Counts(), d.counts)
		for k, beta := range d.beta {
			f.SetRow(k, beta)
		}
	}
	clear(f.gamma[:f.n])
	for _, k := range d.live {
		f.gamma[k] = 1
	}
	f.drop()
	for k := range d.beta {
		if !slices.Contains(d.live, k) {
			row := f.row(k)
			for i := range row {
				row[i] = poison
			}
		}
	}
	for j, k := range d.live {
		f.Weights()[j] = d.theta[k]
	}
}

// FuzzKernel compares each kernel's p, s, γ and θ with sums in float64, on documents of all sizes between fences. All
// terms of a sum have one sign, so rounding loses at most a few units of float32's last place for each of n terms.
func FuzzKernel(f *testing.F) {
	sizes := []uint16{0, 1, 7, 8, 9, 15, 16, 17, 24, 31, 33, 40, 49, 57, 64, 65, 72, 73, 81, 89, 96, 97, 127, 128, 129,
		137, 192, 193, 500}
	for i, observations := range sizes {
		f.Add(uint64(i), uint8(i), observations, i%2 == 0)
		f.Add(uint64(i), uint8(50+7*i), observations, i%3 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, more uint8, observations uint16, gather bool) {
		n := int(observations % 1000)
		for name, k := range running() {
			m := newFenced(1+int(more)%200, n, 300)
			d := randomDocument(seed, m, n)
			m.load(d, gather)
			with(k, func() { compare(t, name, m, d, rand.New(rand.NewPCG(seed, 2))) })
			m.check(t)
		}
	})
}

// running are the kernels of this machine.
func running() map[string]*kernel {
	kernels := make(map[string]*kernel)
	for i := range all {
		if all[i].runs {
			kernels[all[i].name] = &all[i].kernel
		}
	}
	return kernels
}

func with(k *kernel, do func()) {
	before := chosen
	chosen = k
	defer func() { chosen = before }()
	do()
}

func compare(t *testing.T, kernel string, m *fenced, d document, random *rand.Rand) {
	t.Helper()
	m.Explain()
	m.Share()
	sums := make([]float64, len(d.live))
	for i, c := range d.counts {
		total := 0.0
		for _, k := range d.live {
			total += float64(d.theta[k]) * float64(d.beta[k][i])
		}
		near(t, kernel+": p", float64(m.Explained()[i]), float64(c)/total, 1e-5*float64(c)/total)
		for j, k := range d.live {
			sums[j] += float64(c) / total * float64(d.beta[k][i])
		}
	}
	for j, want := range sums {
		near(t, kernel+": s", float64(m.Sums()[j]), want, 2e-5*want)
	}

	// γ before: any. Some shares are below the least.
	alpha, least := float32(math.Exp(-10*random.Float64())), float32(1e-6)
	if random.IntN(2) == 0 {
		least = slices.Max(m.Sums()) / 1000
		least = max(least, 1e-6)
	}
	var kept []int
	var gamma []float32
	change, size := 0.0, 0.0
	for j, k := range d.live {
		before := float32(100 * random.Float64())
		m.gamma[j] = before
		share := m.Weights()[j] * m.Sums()[j]
		change += math.Abs(float64(alpha) + float64(share) - float64(before))
		size += float64(alpha) + float64(share) + float64(before)
		if share >= least {
			kept, gamma = append(kept, k), append(gamma, alpha+share)
		}
	}
	near(t, kernel+": change", float64(m.Update(alpha, least)), change, 1e-6*size)
	if m.Live() != len(kept) {
		t.Fatalf("%s: %d components are live, want %d", kernel, m.Live(), len(kept))
	}
	for j, k := range kept {
		if m.Component(j) != k {
			t.Fatalf("%s: component %d is live, want %d", kernel, m.Component(j), k)
		}
		near(t, kernel+": γ", float64(m.Gammas()[j]), float64(gamma[j]), 2e-7*float64(gamma[j]))
	}
	for j := m.n; j < len(m.live); j++ {
		if m.live[j] != 0 {
			t.Errorf("%s: behind the live components is component %d, want 0", kernel, m.live[j])
		}
	}
	m.ExpectWeights()
	expected(t, kernel, &m.Mixture)
	// Once more with what is left.
	d.live = kept
	for j, k := range kept {
		d.theta[k] = m.Weights()[j]
	}
	if len(kept) > 0 && len(kept) < len(sums) {
		compare(t, kernel, m, d, random)
	}
}

// expected checks θ of the live components against ψ of gonum.
func expected(t *testing.T, kernel string, m *Mixture) {
	t.Helper()
	if m.n == 0 {
		return
	}
	most := float64(slices.Max(m.gamma[:m.n]))
	for j, g := range m.gamma[:m.n] {
		x := float64(g)
		want := math.Exp(mathext.Digamma(x) - mathext.Digamma(most))
		tolerance := 5e-7 * (1 + 1/x)
		got := float64(m.theta[j])
		if got == 0 && want < leastWeight*(1+tolerance) {
			continue
		}
		if got < leastWeight {
			t.Errorf("%s: θ is %v, below the least", kernel, got)
		}
		near(t, fmt.Sprintf("%s: θ of γ = %v beside %v", kernel, x, most), got, want, tolerance*want)
	}
}

// TestExpectedWeights goes through all γ from a millionth to 2^30, alone, beside a neighbour, and beside a far one.
func TestExpectedWeights(t *testing.T) {
	everyKernel(t, func(t *testing.T) {
		var m Mixture
		for x := 1e-6; x < 1<<30; x *= 1.003 {
			for _, all := range [][]float64{{x}, {x, 1.1 * x}, {1.02 * x, x, x / 3},
				{x, 7, 1e-3, x / 10, x / 100, 2 * x, 40, 1, 0.02}} {
				m.Reset(len(all), 0)
				for j, g := range all {
					m.gamma[j] = float32(g)
				}
				m.ExpectWeights()
				expected(t, chosen.name, &m)
			}
			if t.Failed() {
				return
			}
		}
	})
}

// TestExpDigamma has values of exp(ψ(x)) from mpmath 1.3.0 at 30 digits.
func TestExpDigamma(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0.001, 2.854633662743674e-435}, // below float64: 0
		{0.02, 1.11860540509662e-22},
		{0.1, 2.971808008176838e-5},
		{0.5, 0.1403648708917213},
		{1, 0.5614594835668852},
		{2, 1.526205111595864},
		{5.999999, 5.50753683105833},
		{6, 5.507537829701368},
		{10, 9.504378518084355},
		{1000, 999.500041687504},
		{1e9, 999999999.5},
	} {
		f, s := expDigamma(c.x)
		near(t, "exp(ψ)", f*expNegative(-s), c.want, 1e-8*c.want)
	}
}

func TestExpNegative(t *testing.T) {
	for x := 0.0; x > -699; x -= 0.0713 {
		near(t, "exp", expNegative(x), math.Exp(x), 1e-8*math.Exp(x))
	}
	if got := expNegative(-1e9); got != 0 {
		t.Errorf("exp(-1e9) is %v, want 0", got)
	}
}

// TestReuse: nothing of a mixture is left to the next.
func TestReuse(t *testing.T) {
	everyKernel(t, func(t *testing.T) {
		var reused Mixture
		for seed := range uint64(60) {
			f := newFenced(1+int(seed*37%90), int(seed*61%150), 200)
			d := randomDocument(seed, f, int(seed*61%150))
			var fresh Mixture
			for _, m := range []*Mixture{&reused, &fresh} {
				m.Gather(f.table, d.words, d.counts)
				for range 4 {
					m.Explain()
					m.Share()
					m.Update(0.02, 1e-2)
					m.ExpectWeights()
				}
			}
			if !slices.Equal(reused.Weights(), fresh.Weights()) ||
				!slices.Equal(reused.Explained(), fresh.Explained()) {
				t.Errorf("mixture %d differs after others", seed)
			}
		}
	})
}

// TestWordOutOfRange: a kernel would read beyond the table.
func TestWordOutOfRange(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a word beyond the table is taken")
		}
	}()
	new(Mixture).Gather(NewTable(3, 5), []uint32{1, 5}, []float32{1, 1})
}

// TestSetComponent: it sets the cells of its words under its component, and no other cell; what does not fit is
// refused.
func TestSetComponent(t *testing.T) {
	for _, components := range []int{1, 3, 4} { // rows with and without padding
		table, want := NewTable(components, 5), NewTable(components, 5)
		for k := range components {
			table.SetComponent(k, 1, []float32{float32(10*k + 1), float32(10*k + 2), float32(10*k + 3)})
			table.SetComponent(k, 4, []float32{float32(10*k + 4)})
			table.SetComponent(k, 5, nil)
			for w := 1; w < 5; w++ {
				want.Row(w)[k] = float32(10*k + w)
			}
		}
		if !slices.Equal(table.cells, want.cells) {
			t.Errorf("%d components: %v, want %v", components, table.cells, want.cells)
		}
	}
	for _, wrong := range []struct{ component, first, words int }{{-1, 0, 1}, {3, 0, 1}, {0, -1, 1}, {0, 4, 2},
		{0, 6, 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("component %d, %d words from %d on: taken", wrong.component, wrong.words, wrong.first)
				}
			}()
			NewTable(3, 5).SetComponent(wrong.component, wrong.first, make([]float32, wrong.words))
		}()
	}
}

// TestEachKernel: the kernel of this machine comes first, each is used in its turn, and afterwards the usual one.
func TestEachKernel(t *testing.T) {
	usual := chosen
	var names []string
	lacking := EachKernel(func(name string) {
		names = append(names, name)
		if chosen.name != name {
			t.Errorf("%s is used in place of %s", chosen.name, name)
		}
	})
	if len(names) == 0 || names[0] != usual.name || names[len(names)-1] != "plain" ||
		len(names)+len(lacking) != len(all) || chosen != usual {
		t.Errorf("kernels %v, lacking %v, and afterwards %s; usual is %s", names, lacking, chosen.name, usual.name)
	}
}

// near allows for rounding, and for nothing else.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
