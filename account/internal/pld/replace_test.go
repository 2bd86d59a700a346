package pld

import (
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/testkit"
)

// exchanged is H_a(P‖Q) of P = (1−q)·N(0, I) + q·N(u, I) and Q = (1−q)·N(0, I) + q·N(v, I). The norms and the inner
// product of u and v are given. In the plane of u and v the axes are u's and one across. Across, the integral of (K −
// c·e^(tz))₊ under the normal law has a closed form. Along u the integral is a trapezoidal sum, in steps h. The
// integrand along u has kinks at most, and each kink costs h²/8 of the change of slope. With h = 1/500 the cost is
// below 2e-6. Without kinks the error is none.
func exchanged(a, q, normU, normV, inner float64) float64 {
	const h = 1. / 500
	along := inner / normU
	across := math.Sqrt(max(0, normV*normV-along*along))
	if across < 1e-6*normV { // rounding: they are on a line
		across = 0
	}
	sum := 0.0
	for z := -11.0; z <= 11+normU; z += h {
		k := 1 - q + q*math.Exp(normU*z-normU*normU/2) - a*(1-q)
		c := a * q * math.Exp(along*z-normV*normV/2)
		value := 0.0
		switch {
		case k <= 0:
		case across == 0 || c == 0:
			value = max(0, k-c)
		default:
			edge := math.Log(k/c) / across
			value = k*normal(edge) - c*math.Exp(across*across/2)*normal(edge-across)
		}
		sum += value * math.Exp(-z*z/2)
	}
	return sum * h / math.Sqrt(2*math.Pi)
}

func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// TestExchangedAgainstBounds: δ of the two pairs by quadrature lies between their bounds, in both directions.
func TestExchangedAgainstBounds(t *testing.T) {
	for _, q := range []float64{0.3, 0.01, 0.9}[:testkit.Repeats(t, "accounting", 1, 3)] {
		for _, sigma := range []float64{0.4, 1, 3} {
			for _, inner := range []float64{0, -1} {
				build := GaussianReplaceOrthogonal
				if inner < 0 {
					build = GaussianReplace
				}
				d := distribution(t, Event{pair(build(q, sigma)), 1})
				for _, epsilon := range []float64{0, 0.1, 1} {
					upper, lower, err := d.Delta(epsilon)
					is := exchanged(math.Exp(epsilon), q, 1/sigma, 1/sigma, inner/(sigma*sigma))
					if room := 2e-6 + 1e-6*is; !(lower <= is+room && upper >= is-room && upper <= is*1.02+room) ||
						err != nil {
						t.Errorf("q %v, σ %v, inner product %v, ε %v: δ from %v to %v, want %v (%v)",
							q, sigma, inner, epsilon, lower, upper, is, err)
					}
				}
			}
		}
	}
}

// TestWorstExchange: no two units of norms up to 1 have a larger divergence, at any a, than two opposite ones of norm
// 1; none without negative coordinates a larger one than two orthogonal ones.
func TestWorstExchange(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 120 {
		q, c := math.Exp(-5*random.Float64()), math.Exp(2.5*random.Float64()-1.5) // c is 1/σ
		a := math.Exp(3*random.Float64() - 1)
		if random.IntN(4) == 0 {
			a = random.Float64()
		}
		normU, normV := c*math.Sqrt(random.Float64()), c*math.Sqrt(random.Float64())
		if random.IntN(3) == 0 {
			normU, normV = c, c
		}
		angle := math.Pi * random.Float64()
		is := exchanged(a, q, normU, normV, normU*normV*math.Cos(angle))
		opposite, orthogonal := exchanged(a, q, c, c, -c*c), exchanged(a, q, c, c, 0)
		if most := opposite*(1+1e-9) + 2e-6; is > most || orthogonal > most {
			t.Errorf("a %v, q %v, norms %v and %v of %v, angle %v: %v, orthogonal %v, opposite %v",
				a, q, normU, normV, c, angle, is, orthogonal, opposite)
		}
		if angle <= math.Pi/2 && is > orthogonal*(1+1e-9)+2e-6 {
			t.Errorf("a %v, q %v, norms %v and %v of %v, angle %v: %v, orthogonal %v", a, q, normU, normV, c, angle, is,
				orthogonal)
		}
	}
}

// TestDistanceIsNotEnough: units that are √2 apart, one of norm 1 and one of less, lose more than two orthogonal ones
// of norm 1.
func TestDistanceIsNotEnough(t *testing.T) {
	for _, q := range []float64{0.05, 0.5} {
		orthogonal := exchanged(1.5, q, 1, 1, 0)
		const norm = 0.5
		if is := exchanged(1.5, q, 1, norm, (norm*norm-1)/2); is < orthogonal*1.05 {
			t.Errorf("q %v: δ %v of another norm, %v of orthogonal units", q, is, orthogonal)
		}
	}
}
