package renyi

import (
	"math"
	"math/rand/v2"
	"testing"
)

// exchangedMoment is log ∫ φ(z)·g(z)^power·g(−z)^(1−α) dz over α−1 by a trapezoidal sum with a step of its own; NaN
// where e^x is above all numbers.
func exchangedMoment(q, sigma, alpha, power float64) float64 {
	const h = 1. / 300
	m := 1 / sigma
	g := func(z float64) float64 { return math.Log(1 - q + q*math.Exp(m*z-m*m/2)) }
	most, high := math.Inf(-1), 4*alpha*m+30
	var logs []float64
	for z := -30.0; z < high; z += h {
		log := power*g(z) + (1-alpha)*g(-z) - z*z/2
		logs, most = append(logs, log), max(most, log)
	}
	sum := 0.0
	for _, log := range logs {
		sum += math.Exp(log - most)
	}
	return (most + math.Log(sum*h) - math.Log(2*math.Pi)/2) / (alpha - 1)
}

// TestExchangedByQuadrature: where it is exact, an exchange is what quadrature says; elsewhere it is not below that.
func TestExchangedByQuadrature(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	exact := 0
	for range 200 {
		q, sigma := math.Exp(-8*random.Float64()), math.Exp(4*random.Float64()-1)
		if random.IntN(8) == 0 {
			q = 1 - math.Exp(-25*random.Float64())
		}
		alpha := 1 + math.Exp(6*random.Float64()-3)
		opposite, added := exchangedMoment(q, sigma, alpha, alpha), exchangedMoment(q, sigma, alpha, 0)
		if math.IsInf(opposite, 0) || math.IsNaN(opposite) {
			continue
		}
		_, known := trapezoidal(q, sigma, alpha, alpha)
		room := 1e-11/(alpha-1) + 1e-11
		for what, c := range map[string][2]float64{
			"opposite":   {PoissonOpposite(q, sigma, alpha), opposite},
			"orthogonal": {PoissonOrthogonal(q, sigma, alpha), PoissonGaussian(q, sigma, alpha) + added},
		} {
			got, want := c[0], c[1]
			if !(got >= want*(1-1e-10)-room && (got <= want*(1+1e-9)+room || !known)) {
				t.Errorf("%s, q %v, σ %v: ρ(%v) is %v, by quadrature %v", what, q, sigma, alpha, got, want)
			}
		}
		if most := throughNothing(q, sigma, alpha); most < opposite*(1-1e-10)-room {
			t.Errorf("q %v, σ %v: ρ(%v) through nothing is %v, by quadrature %v", q, sigma, alpha, most, opposite)
		}
		if known {
			exact++
		}
	}
	if exact < 150 {
		t.Errorf("%d of 200 are exact", exact)
	}
}

// TestExchangedAtTheEnds: of no rate, of all units, and at large orders.
func TestExchangedAtTheEnds(t *testing.T) {
	for _, c := range []struct{ q, sigma, alpha, opposite, orthogonal float64 }{
		{0, 1, 2, 0, 0}, {1, 2, 3, 1.5, 0.75}, {0.1, 1, math.Inf(1), math.Inf(1), math.Inf(1)},
	} {
		a, b := PoissonOpposite(c.q, c.sigma, c.alpha), PoissonOrthogonal(c.q, c.sigma, c.alpha)
		if !(a == c.opposite || math.Abs(a-c.opposite) <= 1e-12) ||
			!(b == c.orthogonal || math.Abs(b-c.orthogonal) <= 1e-12) {
			t.Errorf("q %v, σ %v: ρ(%v) is %v and %v, want %v and %v", c.q, c.sigma, c.alpha, a, b, c.opposite,
				c.orthogonal)
		}
	}
	for _, of := range []func(q, sigma, alpha float64) float64{PoissonOpposite, PoissonOrthogonal} {
		for alpha := 2.0; alpha < 1<<14; alpha *= 1.5 {
			if a, b := of(0.05, 1.24, alpha),
				of(0.05, 1.24, alpha*1.5); !(a <= b && b <= 3*alpha/(1.24*1.24)*(1+1e-12)) {
				t.Errorf("ρ(%v) is %v, ρ(%v) is %v", alpha, a, alpha*1.5, b)
			}
		}
	}
}
