package renyi

import (
	"math"
	"testing"
)

func laplace(shift, scale float64) Curve {
	return func(alpha float64) float64 { return Laplace(shift, scale, alpha) }
}

// TestPoissonLaplace compares with the sum over all outcomes, in both directions: never below the truth, and at integer
// orders not above it. 1e-12 is the sums' rounding.
func TestPoissonLaplace(t *testing.T) {
	for _, c := range []struct {
		shift int
		scale float64
	}{{1, 1}, {3, 1}, {1, 5}, {6, 3}} {
		p, q := pair(c.shift, c.scale)
		for _, rate := range []float64{0.001, 0.05, 0.5, 0.99} {
			curve := Poisson(rate, laplace(float64(c.shift), c.scale))
			mixed := make([]float64, len(p))
			for i := range p {
				mixed[i] = (1-rate)*q[i] + rate*p[i]
			}
			for _, alpha := range []float64{1.1, 1.9, 2, 3, 4.5, 10, 30} {
				got := curve(alpha)
				add, remove := divergence(q, mixed, alpha), divergence(mixed, q, alpha)
				if rounding := 1e-12 / (alpha - 1); got < max(add, remove)-rounding {
					t.Errorf("%v, q %v: ρ(%v) is %v, but %v and %v", c, rate, alpha, got, add, remove)
				} else if alpha == math.Trunc(alpha) && got > remove*(1+1e-9)+rounding {
					t.Errorf("%v, q %v: ρ(%v) is %v, above %v", c, rate, alpha, got, remove)
				}
			}
		}
	}
}

// TestPoissonOfLargeLoss: near order 1 a rare unit that a release gives away costs little, since it is rarely there.
// The moment at order 2 says 20. The release of one unit that is known to take part says 30.
func TestPoissonOfLargeLoss(t *testing.T) {
	const shift, scale, rate, alpha = 30, 1.0, 0.01, 1 + 1.0/64
	p, q := pair(shift, scale)
	mixed := make([]float64, len(p))
	for i := range p {
		mixed[i] = (1-rate)*q[i] + rate*p[i]
	}
	got, exact := Poisson(rate, laplace(shift, scale))(alpha), divergence(mixed, q, alpha)
	if !(got >= exact && got < exact+0.1) {
		t.Errorf("ρ(%v) is %v, the divergence %v", alpha, got, exact)
	}
}

// TestPoissonJoint: releases of two mechanisms with one coin, by the sum over one noise and the integral over the
// other.
func TestPoissonJoint(t *testing.T) {
	const shift, scale, sigma, rate = 2, 3.0, 1.5, 0.1
	whole := func(alpha float64) float64 { return Laplace(shift, scale, alpha) + Gaussian(sigma, alpha) }
	curve := Poisson(rate, whole)
	p, q := pair(shift, scale)
	for _, alpha := range []float64{1.5, 2, 3, 6} {
		add, remove, step := 0.0, 0.0, 0.02
		for i := range p {
			for y := -12.0; y <= 16; y += step {
				ratio := 1 - rate + rate*p[i]/q[i]*math.Exp(y/sigma-1/(2*sigma*sigma))
				density := q[i] * math.Exp(-y*y/2) / math.Sqrt(2*math.Pi) * step
				remove += density * math.Pow(ratio, alpha)
				add += density * math.Pow(ratio, 1-alpha)
			}
		}
		got := curve(alpha)
		exact := math.Log(remove) / (alpha - 1)
		if other := math.Log(add) / (alpha - 1); got < max(exact, other)-1e-10 {
			t.Errorf("ρ(%v) is %v, but %v and %v", alpha, got, exact, other)
		}
		if alpha == math.Trunc(alpha) && got > exact+1e-9 {
			t.Errorf("ρ(%v) is %v, above %v", alpha, got, exact)
		}
	}
}

// TestPoissonOfGaussian: the two ways to the same curve agree at integer orders.
func TestPoissonOfGaussian(t *testing.T) {
	curve := Poisson(0.05, gaussian(1.3, 1))
	for _, alpha := range []float64{2, 3, 17, 256} {
		if got, want := curve(alpha), PoissonGaussian(0.05, 1.3, alpha); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("ρ(%v) is %v and %v", alpha, got, want)
		}
	}
	if rho := curve(math.Inf(1)); !math.IsInf(rho, 1) {
		t.Errorf("a Gaussian has pure ε %v", rho)
	}
}

// TestAmplifiedEpsilon: log(1 + q(e^ε − 1)), by hand: 1 + 0.5·(e − 1) = 1.859140914229523; and where e^ε overflows it
// is ε + log q.
func TestAmplifiedEpsilon(t *testing.T) {
	for _, c := range []struct{ q, epsilon, want float64 }{
		{0.5, 1, math.Log(1.859140914229523)}, {1, 0.3, 0.3}, {1, 3, 3}, {0.01, 1000, 1000 + math.Log(0.01)},
		{1e-3, 1e-9, 1e-12},
		{0.5, math.Inf(1), math.Inf(1)},
	} {
		if got := AmplifiedEpsilon(c.q, c.epsilon); got != c.want && !(math.Abs(got/c.want-1) < 1e-9) {
			t.Errorf("%+v: %v", c, got)
		}
	}
	curve := Poisson(0.5, laplace(3, 3))
	if got := curve(math.Inf(1)); got != AmplifiedEpsilon(0.5, 1) {
		t.Errorf("pure ε' is %v", got)
	}
}

// TestLargeOrders: beyond the sum of moments the curve goes on below its pure ε'.
func TestLargeOrders(t *testing.T) {
	curve, pure := Poisson(0.01, laplace(1, 2)), AmplifiedEpsilon(0.01, 0.5)
	before := 0.0
	for _, alpha := range []float64{2, 100, maxMoment - 0.5, maxMoment, maxMoment + 0.5, 16384, math.Inf(1)} {
		if rho := curve(alpha); !(rho >= before*(1-1e-9) && rho <= pure) {
			t.Errorf("ρ(%v) is %v, before it %v, ε' %v", alpha, rho, before, pure)
		} else {
			before = rho
		}
	}
}

// TestPoissonOfAll: a rate of 1 samples all.
func TestPoissonOfAll(t *testing.T) {
	whole := func(alpha float64) float64 { return alpha / 2 }
	for _, alpha := range []float64{1.5, 2, 3, 64} {
		if got := Poisson(1, whole)(alpha); got != whole(alpha) {
			t.Errorf("order %v: %v", alpha, got)
		}
	}
}
