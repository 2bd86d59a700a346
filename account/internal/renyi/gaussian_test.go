package renyi

import (
	"math"
	"sync"
	"testing"
)

// quadrature returns A_α − 1 by the trapezoidal rule, which for such a smooth integrand is exact except for rounding:
//
//	A_α − 1 = ∫ N(0, σ²)(x) [(1+u)^α − 1 − αu] dx,   u = q·(exp((2x−1)/(2σ²)) − 1),
//
// since u has mean 0. Where u is small the bracket goes by its Taylor series, so that nothing cancels.
func quadrature(q, sigma, alpha float64) float64 {
	sum, step := 0.0, sigma/32
	for x := -40 * sigma; x <= alpha+40*sigma; x += step {
		u := q * math.Expm1((2*x-1)/(2*sigma*sigma))
		logDensity := -x * x / (2 * sigma * sigma)
		if math.Abs(alpha*u) > 0.1 {
			sum += math.Exp(alpha*math.Log1p(u)+logDensity) - (1+alpha*u)*math.Exp(logDensity)
			continue
		}
		bracket, term := 0.0, alpha*u
		for k := 2.0; k < 20; k++ {
			term *= (alpha - k + 1) / k * u
			bracket += term
		}
		sum += bracket * math.Exp(logDensity)
	}
	return sum * step / (sigma * math.Sqrt(2*math.Pi))
}

// A point is a mechanism, an order, and log A_α by quadrature.
type point struct{ q, sigma, alpha, logMoment float64 }

// grid has points over all rates, multipliers and orders that float64 lets quadrature reach.
var grid = sync.OnceValue(func() (points []point) {
	for _, q := range []float64{1e-6, 1e-4, 0.004, 0.05, 0.3, 0.5, 0.9, 1 - 1e-6} {
		for _, sigma := range []float64{0.15, 0.4, 0.8, 1, 1.7, 4, 20, 300, 1e4} {
			for _, alpha := range []float64{
				1 + 1.0/64, 1.1, 1.5, 1.99, 2, 2.01, 2.5, 3, 3.7, 5.5, 8, 12.3, 31.9, 64, 800.5, 16383.9,
			} {
				if alpha*alpha/(2*sigma*sigma) < 300 {
					points = append(points, point{q, sigma, alpha, math.Log1p(quadrature(q, sigma, alpha))})
				}
			}
		}
	}
	return points
})

// TestPoissonGaussian: never below the truth, and above it by no more than the stated rounding error.
func TestPoissonGaussian(t *testing.T) {
	for _, p := range grid() {
		want := p.logMoment / (p.alpha - 1)
		got := PoissonGaussian(p.q, p.sigma, p.alpha)
		if !(got >= want*(1-1e-12) && got <= want*(1+1e-12)+1.1*seriesError(p.alpha)/(p.alpha-1)) {
			t.Errorf("%+v: ρ %v, want %v", p, got, want)
		}
	}
}

// TestSeriesError: the rounding error of the two series is far below what is added for it.
func TestSeriesError(t *testing.T) {
	for _, p := range grid() {
		if got := logMomentSeries(p.q, p.sigma, p.alpha); !(math.Abs(got-p.logMoment) < seriesError(p.alpha)/5) {
			t.Errorf("%+v: log A %v", p, got)
		}
	}
}

// TestBetween: a bound at every order, and a close one where the loss is small, which is what it is for.
func TestBetween(t *testing.T) {
	for _, p := range grid() {
		if p.alpha == math.Trunc(p.alpha) {
			continue
		}
		whole := func(k float64) float64 { return Gaussian(p.sigma, k) }
		got := Between(p.alpha, func(order int) float64 { return logExcessInteger(p.q, whole, order) })
		if !(got >= p.logMoment*(1-1e-12)) {
			t.Errorf("%+v: log A %v, below", p, got)
		}
		small := p.q*p.alpha*math.Exp(2*p.alpha/(p.sigma*p.sigma)) < 1e-3
		if small && p.alpha > 2 && got > p.logMoment*1.001 {
			t.Errorf("%+v: log A %v, far above", p, got)
		}
	}
}

// TestWithoutSampling: Mironov 2017, proposition 7, and no participation at all.
func TestWithoutSampling(t *testing.T) {
	if got := PoissonGaussian(1, 2, 3); got != 3.0/8 {
		t.Errorf("q 1, σ 2, α 3: %v, want 3/8", got)
	}
	if got := PoissonGaussian(0, 2, 3); got != 0 {
		t.Errorf("q 0: %v", got)
	}
	almost, whole := PoissonGaussian(math.Nextafter(1, 0), 2, 2.5), PoissonGaussian(1, 2, 2.5)
	if math.Abs(almost-whole) > 1e-10 {
		t.Errorf("q just below 1: %v, at 1: %v", almost, whole)
	}
}

// TestLogNormal compares the asymptotic series with the erfc of package math, which reaches to −37.
func TestLogNormal(t *testing.T) {
	for x := -37.0; x < 8; x += 0.37 {
		want := math.Log(math.Erfc(-x/math.Sqrt2) / 2)
		if got := logNormal(x); math.Abs(got-want) > 1e-9 {
			t.Errorf("log Φ(%v) is %v, want %v", x, got, want)
		}
	}
	if got := logNormal(-1e8); math.Abs(got/-5e15-1) > 1e-9 {
		t.Errorf("log Φ(−1e8) is %v", got)
	}
}

// FuzzPoissonGaussian: a divergence is finite, not negative, grows with the order (van Erven and Harremoës, Rényi
// Divergence and Kullback-Leibler Divergence, 2014, theorem 3) and is at most what it is without sampling.
func FuzzPoissonGaussian(f *testing.F) {
	f.Add(0.05, 1.0, 2.5, 1.0)
	f.Add(1e-300, 1e-3, 1.0001, 1e-9)
	f.Add(0.5, 1e9, 16000.5, 300.0)
	f.Add(1-0x1p-53, 1.0/1024, 1.5, 3.0)
	f.Add(0.999, 0.01, 1+0x1p-52, 1e-3)
	f.Fuzz(func(t *testing.T, q, sigma, alpha, more float64) {
		beta := alpha + more
		if !(q >= 0 && q <= 1 && sigma >= 0x1p-64 && sigma <= 0x1p64 && alpha > 1 && beta > alpha && beta < 1<<15) {
			return
		}
		low, high := PoissonGaussian(q, sigma, alpha), PoissonGaussian(q, sigma, beta)
		if !(low >= 0 && high >= 0 && low < math.Inf(1) && high < math.Inf(1)) {
			t.Errorf("q %v, σ %v: ρ(%v) = %v, ρ(%v) = %v", q, sigma, alpha, low, beta, high)
		}
		if low > high*(1+1e-9)+1.1*seriesError(alpha)/(alpha-1) {
			t.Errorf("q %v, σ %v: ρ(%v) = %v above ρ(%v) = %v", q, sigma, alpha, low, beta, high)
		}
		if whole := PoissonGaussian(1, sigma, beta); high > whole*(1+1e-9)+1.1*seriesError(beta)/(beta-1) {
			t.Errorf("q %v, σ %v: ρ(%v) = %v above that without sampling, %v", q, sigma, beta, high, whole)
		}
	})
}
