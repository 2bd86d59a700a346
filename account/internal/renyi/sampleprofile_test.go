package renyi

import (
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

// hockey returns the hockey-stick divergence at e^ε, for any finite ε, of the pair that dominates one round of Gaussian
// noise σ on a sample of the given rate q in (0, 1], rounded up; it is δ(ε) of one round for ε ≥ 0. With P = N(1, σ²)
// and Q = N(0, σ²)
//
//	H_t((1−q)Q + qP ‖ Q) = q·H_t'(P ‖ Q),  t' = 1 + (t−1)/q,   for t = e^ε ≥ 1,
//	H_t(P ‖ (1−q)P + qQ) = 1 − t + t·H_(1/t)((1−q)Q + qP ‖ Q)  for t < 1
//
// (Balle, Barthe and Gaboardi 2018, theorems 2 and 9). The second is H_t(P‖Q) = 1 − t + t·H_(1/t)(Q‖P) for the pair in
// the other order, with the reflection that swaps P and Q. As a function of t it is convex, 1 at 0 and never below 1−t.
// So one pair of distributions has it, and the pairs of rounds compose: Zhu, Dong and Wang, Optimal Accounting of
// Differential Privacy via Characteristic Function (AISTATS 2022), theorem 10. pld.GaussianWithoutReplacement is that
// pair, found in another way.
func hockey(q, sigma, epsilon float64) float64 {
	if epsilon < 0 {
		return -math.Expm1(epsilon) + math.Exp(epsilon)*hockey(q, sigma, -epsilon)
	}
	if q == 1 {
		return GaussianDelta(sigma, epsilon)
	}
	return Guarantee{Delta: GaussianDelta(sigma, beforeAmplification(epsilon, q))}.Amplified(q).Delta
}

// composeHockey returns ε at δ of rounds of the pair, by connecting the dots of hockey on a grid of width h (Doroshenko
// et al. 2022) and a discrete Fourier transform: an upper bound except for the transform's rounding, which is below
// 1e-12. It is a second way, apart from package pld, and takes nothing from a pair but hockey.
func composeHockey(q, sigma float64, rounds uint64, delta float64) float64 {
	reach := 1e-6 // of one loss
	for hockey(q, sigma, reach)*float64(rounds) > 1e-5*delta {
		reach *= 1.1
	}
	h := min(reach/1000, 1e-3, max(2e-4, 0.01/math.Sqrt(float64(rounds))))
	var deltas []float64 // at 0, h, 2h, …
	for e := 0.0; e <= reach; e = h * float64(len(deltas)) {
		deltas = append(deltas, hockey(q, sigma, e))
	}
	last := len(deltas) - 1
	at := func(i int) float64 { // δ at ih
		if i >= 0 {
			return deltas[i]
		}
		e := float64(i) * h
		return -math.Expm1(e) + math.Exp(e)*deltas[-i]
	}
	size := 1
	for float64(size)*h < 2*(reach+min(30, float64(rounds)*reach)) {
		size *= 2
	}
	// The mass at jh is e^(jh) times the change of slope there, of δ as a function of e^ε.
	masses := make([]float64, size)
	slope := 0.0
	sum := deltas[last] // at infinity
	for j := last; j > -last; j-- {
		before := (at(j) - at(j-1)) / (math.Exp(float64(j-1)*h) * math.Expm1(h))
		mass := max(0, math.Exp(float64(j)*h)*(slope-before))
		masses[(j+size)%size] = mass
		sum += mass
		slope = before
	}
	masses[size-last] += max(0, 1-sum)

	transform := fourier.NewFFT(size)
	spectrum := transform.Coefficients(nil, masses)
	for i, c := range spectrum {
		spectrum[i] = cmplx.Pow(c, complex(float64(rounds), 0))
	}
	masses = transform.Sequence(nil, spectrum)
	above := func(epsilon float64) float64 {
		total := -math.Expm1(float64(rounds) * math.Log1p(-deltas[last]))
		for i := int(math.Ceil(epsilon / h)); i < size/2; i++ {
			total += masses[i] / float64(size) * -math.Expm1(epsilon-float64(i)*h)
		}
		return total
	}
	low, high := 0.0, float64(size/2)*h
	for range 40 {
		if middle := (low + high) / 2; above(middle) <= delta {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// TestSampleProfileGolden composes hockey.
func TestSampleProfileGolden(t *testing.T) {
	for i, r := range sampleRows(t, "pld_wor_replace_hybrid", 85) {
		if i%8 != 0 && r.Q < 1 { // the others are of the same kinds, and it takes time
			continue
		}
		if got := composeHockey(r.Q, r.sigma(), r.Steps, r.Delta); !(got >= r.Low && got <= r.High) {
			t.Errorf("%s: ε %v, want %v to %v", r.ID, got, r.Low, r.High)
		}
	}
	for _, r := range sampleRows(t, "pld_optimistic_explicit_pair_lower_bound", 15) {
		if got := composeHockey(r.Q, r.sigma(), r.Steps, r.Delta); !(got >= r.Epsilon) {
			t.Errorf("%s: ε %v, certainly %v are lost", r.ID, got, r.Epsilon)
		}
	}
}

// TestSampleProfile: the profile is one of a pair of distributions, and the Rényi curve holds for it.
func TestSampleProfile(t *testing.T) {
	for _, q := range []float64{1e-8, 0.05, 0.5, 1} {
		for _, sigma := range []float64{0.1, 1, 1e4} {
			slope, before := math.Inf(-1), 1.0
			for e := -20.0; e <= 20; e += 0.25 {
				d := hockey(q, sigma, e)
				least := max(0, -math.Expm1(e))
				if !(d >= least) || !(d <= 1) || !(d <= before*(1+1e-9)) {
					t.Errorf("q %v σ %v: δ(%v) = %v after %v, want at least %v", q, sigma, e, d, before, least)
				}
				if e > -20 { // convex in e^ε, except for rounding
					now := (d - before) / (math.Exp(e) - math.Exp(e-0.25))
					if now < slope-1e-9*math.Abs(slope)-1e-13/math.Exp(e) {
						t.Errorf("q %v σ %v: slope %v after %v at %v", q, sigma, now, slope, e)
					}
					slope = now
				}
				before = d
			}
		}
	}
}

// TestSampleCurve: the loss grows with the rate and the order and falls with noise, is never NaN, never above what it
// is without sampling, and the chords between integers do not jump at them.
func TestSampleCurve(t *testing.T) {
	orders := []float64{1 + 1e-9, 1.5, 2, 2.5, 3, 3.999, 4, 4.001, 7.3, 32, 256, 257.5, 2000, 1e4, 1e6, math.Inf(1)}
	for _, sigma := range []float64{1e4, 30, 1, 0.1, 1e-3} {
		for _, alpha := range orders {
			before := 0.0
			for _, q := range []float64{0, 1e-8, 1e-3, 0.05, 0.5, 0.999, 1} {
				got := GaussianSample(q, sigma)(alpha)
				whole := alpha / (2 * sigma * sigma)
				if !(got >= before*(1-1e-9)) || !(got <= whole*(1+1e-9)) {
					t.Errorf("q %v σ %v α %v: %v, at a smaller rate %v, without sampling %v",
						q, sigma, alpha, got, before, whole)
				}
				before = got
			}
		}
		curve := GaussianSample(0.05, sigma)
		before := 0.0
		for _, alpha := range orders {
			got := curve(alpha)
			if !(got >= before*(1-1e-6)) {
				t.Errorf("σ %v: %v at %v after %v", sigma, got, alpha, before)
			}
			before = got
		}
		if a, b := curve(3.999999), curve(4); !near(a, b, 1e-4) {
			t.Errorf("σ %v: %v below order 4, %v at it", sigma, a, b)
		}
	}
	if GaussianSample(0.1, 2)(3) > GaussianSample(0.1, 1.9)(3) {
		t.Error("more noise costs more")
	}
}

// TestSampleCurveHolds: the Rényi divergences of an explicit pair of neighbours, both ways, are below the curve: all
// units but one contribute nothing, the one contributes −½ or ½, in noise σ.
func TestSampleCurveHolds(t *testing.T) {
	for _, q := range []float64{0.01, 0.2, 0.7} {
		for _, sigma := range []float64{0.5, 1, 4} {
			curve := GaussianSample(q, sigma)
			for _, alpha := range []float64{1.3, 2, 2.5, 5, 16.2} {
				sum := 0.0
				const step = 0.01
				for z := -30.0; z <= 30+alpha/sigma; z += step { // in units of σ
					density := func(shift float64) float64 {
						return (1-q)*math.Exp(-z*z/2) + q*math.Exp(-(z-shift)*(z-shift)/2)
					}
					p, r := density(0.5/sigma), density(-0.5/sigma)
					if r > 0 && p > 0 {
						sum += math.Exp(alpha*math.Log(p)+(1-alpha)*math.Log(r)) * step / math.Sqrt(2*math.Pi)
					}
				}
				if exact := math.Log(sum) / (alpha - 1); !(curve(alpha) >= exact) {
					t.Errorf("q %v σ %v α %v: %v, the pair loses %v", q, sigma, alpha, curve(alpha), exact)
				}
			}
		}
	}
}
