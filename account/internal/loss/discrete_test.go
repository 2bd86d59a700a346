package loss

import (
	"math"
	"testing"

	"privpipe/account/internal/renyi"
)

// masses are the probabilities of −reach … reach, the last two with what lies beyond.
func masses(reach int, logarithm func(x int) float64) []float64 {
	p := make([]float64, 2*reach+1)
	sum := 0.0
	for i := range p {
		p[i] = math.Exp(logarithm(i - reach))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// deltaOf is δ(ε) of noise of these masses on two cells, of which a unit moves one by a and the other by b.
func deltaOf(p []float64, a, b int, epsilon float64) (delta float64) {
	ratio := math.Exp(epsilon)
	at := func(i int) float64 {
		if i < 0 || i >= len(p) {
			return 0
		}
		return p[i]
	}
	for i := range p {
		for j := range p {
			delta += max(0, p[i]*p[j]-ratio*at(i+a)*at(j+b))
		}
	}
	return delta
}

// TestDiscreteGaussianIsDominated sums up δ of discrete noise on two cells. This δ is at most δ of the continuous noise
// that stands for the discrete noise. It is more than δ of continuous noise with the same parameter.
func TestDiscreteGaussianIsDominated(t *testing.T) {
	more := false
	for _, s := range []float64{5, 8} {
		p := masses(70, func(x int) float64 { return -float64(x*x) / (2 * s * s) })
		m := Gaussian{Noise: s, Sensitivity: 5, Discrete: true}
		for _, move := range [][2]int{{5, 0}, {3, 4}, {1, 2}} {
			for _, epsilon := range []float64{0, 0.1, 1, 3, 6} {
				is := deltaOf(p, move[0], move[1], epsilon)
				if bound := renyi.GaussianDelta(m.continuous().Sigma(), epsilon); is > bound*(1+1e-9)+1e-12 {
					t.Errorf("scale %v, moved by %v: δ(%v) is %v, at most %v", s, move, epsilon, is, bound)
				}
				more = more || is > renyi.GaussianDelta(m.Sigma(), epsilon)*(1+1e-6)
			}
		}
	}
	if !more {
		t.Error("continuous noise of the same parameter would do: the test shows nothing")
	}
}

// TestDiscreteLaplaceIsDominated: as with the Gaussian; two cells are no worse than one.
func TestDiscreteLaplaceIsDominated(t *testing.T) {
	more := false
	for _, b := range []float64{2, 6} {
		p := masses(150, func(x int) float64 { return -math.Abs(float64(x)) / b })
		for _, move := range [][2]int{{6, 0}, {3, 3}, {1, 5}, {2, 1}} {
			shift := float64(move[0] + move[1])
			c := Laplace{Scale: b, Sensitivity: shift, Discrete: true}.continuous()
			for k := range 60 {
				epsilon := float64(k) / 20 * shift / b / 2.5
				is := deltaOf(p, move[0], move[1], epsilon)
				if bound := max(0, -math.Expm1((epsilon-1/c.scale())/2)); is > bound+1e-12 {
					t.Errorf("scale %v, moved by %v: δ(%v) is %v, at most %v", b, move, epsilon, is, bound)
				}
				more = more || is > max(0, -math.Expm1((epsilon-shift/b)/2))+1e-6
			}
		}
	}
	if !more {
		t.Error("continuous noise of the same scale would do: the test shows nothing")
	}
}

// TestFewSteps: noise of so few steps that the theorem says nothing has no bound by it.
func TestFewSteps(t *testing.T) {
	for _, s := range []float64{1, 3, math.Sqrt(18)} {
		if c := (Gaussian{Noise: s, Sensitivity: 1, Discrete: true}).continuous(); c.Noise != 0 {
			t.Errorf("noise of %v steps stands for %v", s, c)
		}
	}
	m := Gaussian{Noise: 1 << 30, Sensitivity: 1 << 30, Discrete: true}
	if c := m.continuous(); !(c.Noise < m.Noise && c.Noise > m.Noise*(1-1e-14)) {
		t.Errorf("noise of %v steps stands for %v", m.Noise, c.Noise)
	}
}

// TestDiscreteLosesEnough sums up δ of discrete noise on one cell, which a unit moves by the whole sensitivity. This δ
// is at least δ of the continuous noise for lower bounds. It is less than δ of the continuous noise for upper bounds.
func TestDiscreteLosesEnough(t *testing.T) {
	less := false
	const reach = 400
	for _, s := range []float64{10, 16} {
		m := Gaussian{Noise: s, Sensitivity: 12, Discrete: true}
		p := masses(reach, func(x int) float64 { return -float64(x*x) / (2 * s * s) })
		sigma := m.continuous().Sigma() * math.Sqrt(1+m.stepped()) // noise before it was rounded down by that part
		for _, epsilon := range []float64{0, 0.1, 1, 3} {
			is := lineDelta(p, 12, epsilon)
			if least := renyi.GaussianDelta(sigma, epsilon); !m.inSteps() || is < least*(1-1e-9)-1e-12 {
				t.Errorf("scale %v: δ(%v) is %v, at least %v", s, epsilon, is, least)
			}
			less = less || is < renyi.GaussianDelta(m.continuous().Sigma(), epsilon)*(1-1e-6)
		}
	}
	for _, b := range []float64{2, 7} {
		p := masses(reach, func(x int) float64 { return -math.Abs(float64(x)) / b })
		for k := range 40 {
			epsilon := float64(k) / 40 * 6 / b
			if is, least := lineDelta(p, 6, epsilon), -math.Expm1((epsilon-6/b)/2); is < least-1e-12 {
				t.Errorf("scale %v: δ(%v) is %v, at least %v", b, epsilon, is, least)
			}
		}
	}
	if !less {
		t.Error("the noise of upper bounds would do: the test shows nothing")
	}
}

// lineDelta is δ(ε) of noise of these masses on one cell, moved by a.
func lineDelta(p []float64, a int, epsilon float64) (delta float64) {
	for i := range p {
		q := 0.0
		if i+a < len(p) {
			q = p[i+a]
		}
		delta += max(0, p[i]-math.Exp(epsilon)*q)
	}
	return delta
}
