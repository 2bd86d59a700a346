package denoise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// owned returns the estimate of a single cell under equal weights, and its own share.
func owned(ratios []float64, noisy, expected, tau float64) (estimate, own float64) {
	e, o := make([]float64, 1), make([]float64, 1)
	Mixture{Ratios: ratios, Groups: 1}.ShrinkOwn(e, o, []float64{noisy}, []float64{expected}, tau)
	return e[0], o[0]
}

// TestOwnIsSensitivity compares the own share with the finite difference of the posterior mean by quadrature. The
// quadrature knows no formula for the variance. Where the difference is above 1, the share is 1.
func TestOwnIsSensitivity(t *testing.T) {
	const tau, step = 1.5, 1e-3
	most := 0.0
	for _, ratios := range [][]float64{{1}, {.05, 1, 20}, cellRatios} {
		for _, expected := range []float64{0.02, 1, 40} {
			for _, y := range []float64{-25, -8, -1, 0, 0.5, 3, 5, 12, 29} {
				up, down := quadrature(ratios, tau*y+step, expected, tau), quadrature(ratios, tau*y-step, expected, tau)
				want := (up - down) / (2 * step)
				most = max(most, want)
				estimate, got := owned(ratios, tau*y, expected, tau)
				if math.Abs(got-min(want, 1)) > 2e-4 {
					t.Errorf("ratios %v, expected %v, noisy %v: own share %v, want %v", ratios, expected, tau*y, got,
						min(want, 1))
				}
				if estimate != one(ratios, tau*y, expected, tau) {
					t.Errorf("the estimate is not that of Shrink")
				}
			}
		}
	}
	if most < 1.1 {
		t.Errorf("the largest sensitivity is %v: no case tells whether it is bounded", most)
	}
}

// TestOwnRefitted: to hold the prior fixed changes little. Fitting its weights again to the changed cell gives the same
// finite differences.
func TestOwnRefitted(t *testing.T) {
	const tau, step = 5, 0.5
	_, expected, noisy := sparse(4000, tau)
	m := Mixture{Ratios: cellRatios, Groups: 4, Steps: 20}
	own, estimate, changed := make([]float64, 4000), make([]float64, 4000), make([]float64, 4000)
	m.ShrinkOwn(estimate, own, noisy, expected, tau)
	total, fitted := 0.0, 0.0
	for i := 0; i < 4000; i += 100 {
		y := noisy[i]
		noisy[i] = y + step
		m.Shrink(changed, noisy, expected, tau)
		up := changed[i]
		noisy[i] = y - step
		m.Shrink(changed, noisy, expected, tau)
		noisy[i] = y
		difference := min((up-changed[i])/(2*step), 1)
		if math.Abs(difference-own[i]) > 0.03 {
			t.Errorf("cell %d: own share %v, with the prior fitted again %v", i, own[i], difference)
		}
		total, fitted = total+own[i], fitted+difference
	}
	near(t, "mean own share", fitted, total, 0.03)
}

// TestOwnIsStein: on average over draws of the prior, the own share is 1 − E[(estimate − y)²]/τ², because estimate − y
// is τ²ℓ′(y) (the identity of Stein 1981). Sums over 200,000 draws with a fixed seed; the prior is one exponential
// distribution, so no sensitivity is above 1.
func TestOwnIsStein(t *testing.T) {
	const tau, n = 2.0, 200_000
	r := rand.New(rand.NewPCG(5, 6))
	m := Mixture{Ratios: []float64{1}, Groups: 1}
	for _, size := range []float64{0.5, 2, 20} {
		noisy, expected := make([]float64, n), slices.Repeat([]float64{size}, n)
		for i := range noisy {
			noisy[i] = size*r.ExpFloat64() + tau*r.NormFloat64()
		}
		estimate, own := make([]float64, n), make([]float64, n)
		m.ShrinkOwn(estimate, own, noisy, expected, tau)
		total, moved := 0.0, 0.0
		for i, y := range noisy {
			total += own[i] / n
			moved += (estimate[i] - y) * (estimate[i] - y) / (tau * tau * n)
		}
		if math.Abs(total-(1-moved)) > 0.01 {
			t.Errorf("size %v: mean own share %v, by Stein's identity %v", size, total, 1-moved)
		}
	}
}

// TestOwnRange: without noise all is the number's own, with endless noise nothing, whatever the cell; and it is in
// place where Shrink is.
func TestOwnRange(t *testing.T) {
	truth, expected, noisy := sparse(3000, 5)
	m := Mixture{Ratios: cellRatios, Groups: 4, Steps: 20}
	estimate, own := make([]float64, len(noisy)), make([]float64, len(noisy))
	for _, c := range []struct{ tau, least, most float64 }{{0, 1, 1}, {1e9, 0, 1e-6}} {
		m.ShrinkOwn(estimate, own, noisy, expected, c.tau)
		if slices.Min(own) < c.least || slices.Max(own) > c.most {
			t.Errorf("τ %v: own shares from %v to %v, want %v to %v", c.tau, slices.Min(own), slices.Max(own), c.least,
				c.most)
		}
	}
	last := 2.0
	// weighted by the size of cells, as topics weight their words
	for _, tau := range []float64{1e-6, 0.1, 1, 10, 100, 1e6} {
		r := rand.New(rand.NewPCG(7, 8))
		for i, s := range truth {
			noisy[i] = s + tau*r.NormFloat64()
		}
		m.ShrinkOwn(estimate, own, noisy, expected, tau)
		share, size := 0.0, 0.0
		for i, e := range estimate {
			share, size = share+e*own[i], size+e
		}
		if share /= size; share >= last || tau == 1e-6 && share < 0.999 || tau == 1e6 && share > 0.01 {
			t.Errorf("τ %v: a share of %v, of less noise %v", tau, share, last)
		}
		last = share
	}
	apart := slices.Clone(own)
	m.ShrinkOwn(noisy, own, noisy, expected, 1e6)
	if !slices.Equal(own, apart) {
		t.Error("own shares in place differ")
	}
}

// FuzzOwn: an own share is in [0, 1], and does not depend on the unit of measurement.
func FuzzOwn(f *testing.F) {
	f.Add(0.0, 1.0, 1.0)
	f.Add(-700.0, 1e-9, 30.0)
	f.Add(900.0, 1e-9, 30.0)
	f.Add(-1e12, 1e-30, 1e-3)
	f.Fuzz(func(t *testing.T, noisy, expected, tau float64) {
		if !(math.Abs(noisy) < 1e15 && expected > 1e-45 && expected < 1e15 && tau > 1e-6 && tau < 1e9) {
			t.Skip()
		}
		_, got := owned(cellRatios, noisy, expected, tau)
		if !(got >= 0 && got <= 1) {
			t.Errorf("own share %v, must be in [0, 1]", got)
		}
		if _, scaled := owned(cellRatios, 1024*noisy, 1024*expected, 1024*tau); scaled != got {
			t.Errorf("own share %v in units 1024 times smaller, %v in others", scaled, got)
		}
	})
}
