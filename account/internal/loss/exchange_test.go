package loss

import (
	"math"
	"testing"
)

// moment is log E_Q[(P/Q)^α]/(α−1) by a trapezoidal sum over z from N(0, 1), where p and q are densities over that. The
// integrand is smooth, so the error of the sum is far below 1e-9.
func moment(alpha float64, p, q func(z float64) float64) float64 {
	const h = 1. / 200
	sum := 0.0
	for z := -60.0; z <= 60; z += h {
		sum += math.Exp(alpha*math.Log(p(z)) + (1-alpha)*math.Log(q(z)) - z*z/2)
	}
	return math.Log(sum*h/math.Sqrt(2*math.Pi)) / (alpha - 1)
}

// TestExchangeCurve: the curve is above the divergence of the dominating pair by quadrature, and near it.
func TestExchangeCurve(t *testing.T) {
	for _, q := range []float64{0.01, 0.2, 0.9} {
		for _, sigma := range []float64{0.8, 2, 10} {
			with := func(sign float64) func(float64) float64 {
				return func(z float64) float64 { return 1 - q + q*math.Exp(sign*z/sigma-1/(2*sigma*sigma)) }
			}
			without := func(float64) float64 { return 1 }
			for _, c := range []struct {
				apart float64
				near  float64 // the curve over the divergence, at most
				is    func(alpha float64) float64
			}{
				{math.Sqrt2, 1 + 1e-8,
					func(alpha float64) float64 {
						return moment(alpha, with(1), without) +
							moment(alpha, without, with(1))
					}},
				{2, 1 + 1e-8, func(alpha float64) float64 { return moment(alpha, with(1), with(-1)) }},
			} {
				e, err := ExchangeByCoin(q, []Mechanism{Gaussian{Noise: sigma, Sensitivity: c.apart}}, c.apart != 2)
				if err != nil {
					t.Fatal(err)
				}
				curve := e.Curve()
				for _, alpha := range []float64{1.1, 2, 4.5, 12} {
					is, got := c.is(alpha), curve(alpha)
					if !(got >= is*(1-1e-9)-1e-12 && got <= is*c.near+1e-9) ||
						got > alpha*c.apart*c.apart/(2*sigma*sigma)*(1+1e-12) {
						t.Errorf("q %v, σ %v, %v apart: ρ(%v) is %v, by quadrature %v", q, sigma, c.apart, alpha, got,
							is)
					}
				}
				if got := curve(math.Inf(1)); !math.IsInf(got, 1) {
					t.Errorf("ρ(∞) is %v", got)
				}
			}
		}
	}
}

// TestWorstExchange: in steps, the geometry is what the mechanism says of itself; over the norm, what the list says.
func TestWorstExchange(t *testing.T) {
	for _, c := range []struct {
		m           Gaussian
		nonNegative bool
		norm        float64 // 0: no theorem
		orthogonal  bool
	}{
		{Gaussian{Noise: 3, Sensitivity: 2}, false, 1, false},
		{Gaussian{Noise: 3, Sensitivity: 2}, true, 1, false},
		{Gaussian{Noise: 3, Sensitivity: math.Sqrt2}, true, 1, true},
		{Gaussian{Noise: 3, Sensitivity: math.Sqrt2}, false, 0, false},
		{Gaussian{Noise: 3, Sensitivity: 1.5}, true, 0, false},
		{Gaussian{Noise: 3, Sensitivity: 2, Norm: 1.5}, false, 0, false},
		{Gaussian{Noise: 300, Sensitivity: 128, Norm: 64, Discrete: true}, false, 64, false},
		{Gaussian{Noise: 300, Sensitivity: 91, Norm: 64, NonNegative: true, Discrete: true}, false, 64, true},
		{Gaussian{Noise: 300, Sensitivity: 91, Norm: 64, Discrete: true}, false, 0, false},
		{Gaussian{Noise: 300, Sensitivity: 128, Discrete: true}, false, 0, false},
	} {
		norm, orthogonal, err := c.m.worstExchange(c.nonNegative)
		if (err == nil) != (c.norm > 0) || norm != c.norm || orthogonal != c.orthogonal {
			t.Errorf("%v, non-negative %v: norm %v, orthogonal %v, %v", c.m, c.nonNegative, norm, orthogonal, err)
		}
	}
	// Two mechanisms that cost differently have two names.
	if a, b := (Gaussian{Noise: 300, Sensitivity: 91, Norm: 64, NonNegative: true, Discrete: true}),
		(Gaussian{Noise: 300, Sensitivity: 91, Discrete: true}); a.String() == b.String() {
		t.Errorf("both are %s", a)
	}
}
