package denoise

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// one shrinks a single cell under equal weights of the components.
func one(ratios []float64, noisy, expected, tau float64) float64 {
	estimate := make([]float64, 1)
	Mixture{Ratios: ratios, Groups: 1}.Shrink(estimate, []float64{noisy}, []float64{expected}, tau)
	return estimate[0]
}

// quadrature is the posterior mean of s under the model as doc.go states it, integrated in s: prior Σ_j
// exp(−s/m_j)/m_j, m_j = ratio_j · expected, and noise N(0, τ²).
func quadrature(ratios []float64, noisy, expected, tau float64) float64 {
	const n = 1 << 15
	to := max(noisy, 0) + 12*tau
	mass, moment := 0.0, 0.0
	for i := range n {
		s := (float64(i) + 0.5) / n
		ds := 2 * s // s² puts more points near 0, where narrow components live
		s *= s
		s, ds = to*s, to*ds
		prior := 0.0
		for _, r := range ratios {
			prior += math.Exp(-s/(r*expected)) / (r * expected)
		}
		z := (noisy - s) / tau
		f := prior * ds * math.Exp(-z*z/2+min(noisy/tau, 0)*noisy/tau/2) // the last term only keeps it from underflow
		mass += f
		moment += s * f
	}
	return moment / mass
}

func TestPosteriorMean(t *testing.T) {
	for _, ratios := range [][]float64{{1}, {.05, 1, 20}, cellRatios} {
		for _, expected := range []float64{0.02, 1, 40} {
			for _, noisy := range []float64{-25, -8, -1, 0, 0.5, 3, 12, 29} {
				const tau = 1.5
				near(t, "posterior mean", one(ratios, tau*noisy, expected, tau),
					quadrature(ratios, tau*noisy, expected, tau), 2e-5)
			}
		}
	}
}

// cellRatios are those that mstep/lda uses.
var cellRatios = []float64{.01, .05, .2, .6, 1.5, 4, 10, 22, 45}

// TestShrinkIsMonotone: a posterior mean grows with the observation, by its variance over τ² (Tweedie's formula; Efron,
// Tweedie's Formula and Selection Bias, JASA 2011).
func TestShrinkIsMonotone(t *testing.T) {
	for _, expected := range []float64{1e-3, 0.1, 1, 30} {
		last := 0.0
		for y := -40.0; y < 40; y += 0.05 {
			got := one(cellRatios, y, expected, 1)
			if got <= last {
				t.Fatalf("expected size %v: estimate %v at %v is not above %v, the one before", expected, got, y, last)
			}
			last = got
		}
	}
}

// FuzzShrink: an estimate is positive, below what a flat prior would give (priors here fall with s), and does not
// depend on the unit of measurement.
func FuzzShrink(f *testing.F) {
	f.Add(0.0, 1.0, 1.0)
	f.Add(-700.0, 1e-9, 30.0)
	f.Add(900.0, 1e-9, 30.0)
	f.Add(901.0, 1e9, 30.0)
	f.Add(-1e12, 1e-30, 1e-3)
	f.Fuzz(func(t *testing.T, noisy, expected, tau float64) {
		if !(math.Abs(noisy) < 1e15 && expected > 1e-45 && expected < 1e15 && tau > 1e-6 && tau < 1e9) {
			t.Skip()
		}
		got := one(cellRatios, noisy, expected, tau)
		most := noisy
		if y := noisy / tau; y < surely {
			most = tau * flat(y) * (1 + 1e-5)
		}
		if !(got > 0 && got <= most) {
			t.Errorf("estimate %v, must be in (0, %v]", got, most)
		}
		if scaled := one(cellRatios, 1024*noisy, 1024*expected, 1024*tau); scaled != 1024*got {
			t.Errorf("estimate %v in units 1024 times smaller, %v in others", scaled, got)
		}
	})
}

// flat is the posterior mean of s/τ given y/τ under a flat prior.
func flat(y float64) float64 {
	var b batch
	b.add(0, y, math.Inf(1), 1)
	b.mix([]float64{1}, unweighted)
	return b.moment[0] / b.share[0]
}

// shares returns the likelihood of a cell under each component, up to a common factor.
func shares(ratios []float64, noisy, expected, tau float64) (all []float64) {
	var b batch
	b.add(0, noisy, expected, tau)
	for j := range ratios {
		b.mix(ratios[j:j+1], unweighted)
		all = append(all, b.share[0])
	}
	return all
}

// sparse are numbers as topics have them, most of them small, their expected sizes, and noisy copies. The seed is
// fixed.
func sparse(n int, tau float64) (truth, expected, noisy []float64) {
	r := rand.New(rand.NewPCG(3, 4))
	for range n {
		e := math.Exp(2 * r.NormFloat64())
		s := e * r.ExpFloat64() * []float64{0.05, 0.05, 0.2, 4}[r.IntN(4)]
		truth, expected = append(truth, s), append(expected, e)
		noisy = append(noisy, s+tau*r.NormFloat64())
	}
	return truth, expected, noisy
}

// TestShrinkBeatsFloor: on numbers that the family of priors fits, the squared error is well below that of setting
// negative cells to 0, and the sum is not inflated.
func TestShrinkBeatsFloor(t *testing.T) {
	const tau = 5
	truth, expected, noisy := sparse(20_000, tau)
	estimate := make([]float64, len(truth))
	Mixture{Ratios: cellRatios, Groups: 4, Steps: 20}.Shrink(estimate, noisy, expected, tau)
	shrunk, floored, total, got := 0.0, 0.0, 0.0, 0.0
	for i, s := range truth {
		shrunk += (estimate[i] - s) * (estimate[i] - s)
		floored += (max(noisy[i], 0) - s) * (max(noisy[i], 0) - s)
		total += s
		got += estimate[i]
	}
	if shrunk > 0.6*floored {
		t.Errorf("squared error %.0f, that of the floor is %.0f", shrunk, floored)
	}
	near(t, "sum", got, total, 0.05)
}

// TestFitClimbs: no step of expectation maximization lowers the likelihood (Dempster, Laird and Rubin 1977, theorem 1).
func TestFitClimbs(t *testing.T) {
	const tau = 5
	_, expected, noisy := sparse(3000, tau)
	m := Mixture{Ratios: cellRatios, Groups: 1}
	weights := [][]float64{slices.Repeat([]float64{1.0 / 9}, 9)}
	last := math.Inf(-1)
	for step := range 30 {
		likelihood := 0.0
		for i := range noisy {
			p := 0.0
			for j, share := range shares(m.Ratios, noisy[i], expected[i], tau) {
				p += weights[0][j] * share
			}
			likelihood += math.Log(p)
		}
		if likelihood < last {
			t.Fatalf("step %d lowers the logarithm of the likelihood from %v to %v", step, last, likelihood)
		}
		last = likelihood
		m.Steps = 1
		m.fit(weights, nil, noisy, expected, tau)
	}
	total := 0.0
	for _, w := range weights[0] {
		total += w
	}
	near(t, "sum of the weights", total, 1, 1e-12)
}

// TestFitStep: after a step, a component's weight is its mean responsibility over the cells of the group. This holds
// for any number of cells, and where one cell's likelihoods are far apart.
func TestFitStep(t *testing.T) {
	const tau = 5
	m := Mixture{Ratios: cellRatios, Groups: 3, Steps: 1}
	for _, n := range []int{3, 7, 27, 100, 4001} {
		_, expected, noisy := sparse(n, tau)
		noisy[0], noisy[n-1] = 1e4*tau, -1e3*tau
		weights, edges := m.first(), m.groupEdges(expected)
		for _, of := range weights {
			for j := range of {
				of[j] = float64(j+1) / 45
			}
		}
		sums, cells := make([][9]float64, m.Groups), make([]float64, m.Groups)
		for i, e := range expected {
			g, all, total := groupOf(edges, e), shares(m.Ratios, noisy[i], e, tau), 0.0
			for j, w := range weights[g] {
				total += w * all[j]
			}
			for j, w := range weights[g] {
				sums[g][j] += w * all[j] / total
			}
			cells[g]++
		}
		m.fit(weights, edges, noisy, expected, tau)
		for g, of := range weights {
			for j, w := range of {
				if want := sums[g][j] / cells[g]; math.Abs(w-want) > 1e-6 {
					t.Errorf("%d cells: weight %d of group %d is %v, want %v", n, j, g, w, want)
				}
			}
		}
	}
}

// TestSample: a sample has all cells, or as many as it may, in order and at equal distances up to 1.
func TestSample(t *testing.T) {
	m := Mixture{Sampled: 1000}
	for _, n := range []int{1, 999, 1000, 1001, 1999, 54321} {
		indices := slices.Collect(m.sample(n))
		if len(indices) != min(n, 1000) {
			t.Errorf("%d of %d cells", len(indices), n)
		}
		for i, at := range append(indices, n) {
			if i == 0 && at != 0 || i > 0 && (at-indices[i-1] < max(1, n/1000) || at-indices[i-1] > n/1000+1) {
				t.Fatalf("of %d cells, sampled cell %d is %d", n, i, at)
			}
		}
	}
	if all := (Mixture{}).sampled(1 << 20); all != 1<<16 {
		t.Errorf("%d cells by default, want 65,536", all)
	}
}

// TestSameOnAnyMachine: the number of cores changes no bit.
func TestSameOnAnyMachine(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	_, expected, noisy := sparse(5000, 5)
	var estimates [2][]float64
	for i, cores := range []int{1, 7} {
		runtime.GOMAXPROCS(cores)
		estimates[i] = make([]float64, len(noisy))
		Mixture{Ratios: cellRatios, Groups: 4, Steps: 3}.Shrink(estimates[i], noisy, expected, 5)
	}
	if !slices.Equal(estimates[0], estimates[1]) {
		t.Error("estimates on 1 core and on 7 differ")
	}
}

func TestShrinkInPlace(t *testing.T) {
	_, expected, noisy := sparse(500, 5)
	apart := make([]float64, len(noisy))
	m := Mixture{Ratios: cellRatios, Groups: 3, Steps: 2}
	m.Shrink(apart, noisy, expected, 5)
	m.Shrink(noisy, noisy, expected, 5)
	if !slices.Equal(apart, noisy) {
		t.Error("estimates in place differ")
	}
}

func TestShrinkWithoutNoise(t *testing.T) {
	estimate := make([]float64, 3)
	Mixture{Ratios: cellRatios, Groups: 2, Steps: 2}.Shrink(estimate, []float64{-1, 0, 7}, []float64{1, 1, 1}, 0)
	if !slices.Equal(estimate, []float64{0, 0, 7}) {
		t.Errorf("got %v, want a copy without the negative cell", estimate)
	}
}

// TestGroups: more groups than cells, and cells of one size only, are no trouble.
func TestGroups(t *testing.T) {
	for _, n := range []int{1, 2, 3, 65, 1000} {
		estimate := make([]float64, n)
		noisy, expected := slices.Repeat([]float64{3}, n), slices.Repeat([]float64{2}, n)
		Mixture{Ratios: cellRatios, Groups: 8, Steps: 3}.Shrink(estimate, noisy, expected, 1)
		for _, e := range estimate {
			if e != estimate[0] || !(e > 0) {
				t.Fatalf("%d equal cells have estimates %v and %v", n, estimate[0], e)
			}
		}
	}
}

// near allows an error relative to want.
func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
