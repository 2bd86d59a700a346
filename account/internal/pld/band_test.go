package pld

import (
	"math"
	"math/rand/v2"
	"testing"
)

// exactCoefficient is a coefficient of a transform of n values by its sum, with what each addition loses added again
// (Neumaier's summation), and exact angles except for their rounding.
func exactCoefficient(values []float64, first, k, n int) complex128 {
	var sum, lost [2]float64
	for i, p := range values {
		sin, cos := math.Sincos(-2 * math.Pi * float64(modulo((first+i)*k, n)) / float64(n))
		for j, x := range [2]float64{p * cos, p * sin} {
			next := sum[j] + x
			if math.Abs(sum[j]) >= math.Abs(x) {
				lost[j] += (sum[j] - next) + x
			} else {
				lost[j] += (x - next) + sum[j]
			}
			sum[j] = next
		}
	}
	return complex(sum[0]+lost[0], sum[1]+lost[1])
}

// TestBand: coefficients from blocks differ from their sums by no more than the band says, wherever the values begin,
// also where they are more than fit.
func TestBand(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ n, last, values int }{
		{1 << 14, 1 << 13, 3000}, {1 << 14, 128, 3000}, {1 << 14, 100, 20000}, {5 << 13, 77, 9999}, {3 << 13, 20, 5000},
		{1 << 16, 60, 30000}, {1 << 16, 1, 10}, {1 << 15, 0, 300}, {96, 24, 50},
	} {
		values, total := make([]float64, c.values), 0.0
		for i := range values {
			values[i] = math.Exp(-20 * random.Float64())
			total += values[i]
		}
		block := blockLength(c.n, c.last)
		if narrow := c.n >= 1<<14 && c.last <= c.n/128; (block > 1) != narrow {
			t.Errorf("%d of %d frequencies: blocks of %d", c.last, c.n, block)
		}
		b := newBand(c.n, c.last, block)
		if b.error > 2e-12 {
			t.Errorf("%d of %d frequencies: an error of %v", c.last, c.n, b.error)
		}
		for _, first := range []int{0, 5, c.n - 7, -c.n / 3, 3*c.n + 1} {
			// The room is used again.
			for _, b := range []*band{b, b.another()} {
				found := b.coefficients(values, first)
				if len(found) != c.last+1 {
					t.Fatalf("%d coefficients, want %d", len(found), c.last+1)
				}
				for k := 0; k <= c.last; k += 1 + c.last/40 {
					far := found[k] - exactCoefficient(values, first, k, c.n)
					// The sum itself has errors of an angle, a sine and a product.
					if most := (b.error + 8*unit) * total; math.Hypot(real(far), imag(far)) > most {
						t.Errorf("%d values from %d of %d, frequency %d: wrong by %v, at most %v", c.values, first, c.n,
							k, far, most)
					}
				}
			}
		}
	}
}

// TestFewFrequencies: after some releases few frequencies are left, and short transforms are enough for them.
func TestFewFrequencies(t *testing.T) {
	const n = 1 << 16
	p := product{size: make([]float64, n/2+1), angle: make([]float64, n/2+1), spread: make([]float64, n/2+1)}
	// A normal distribution of 100 cells.
	values := make([]float64, 2001)
	for i := range values {
		x := float64(i-1000) / 100
		values[i] = math.Exp(-x*x/2) / 100 / math.Sqrt(2*math.Pi)
	}
	b := newBand(n, n/2, 1)
	for range 100 {
		p.multiply(b.coefficients(values, -1000), 1, 0, b.error)
		b = b.narrowed(p.last)
	}
	// e^(−100·(2πk·100/n)²/2) is e^−100 at k = 147.5.
	if p.last != 147 || b.block < fewestInBlock || !math.IsInf(p.size[148], -1) {
		t.Errorf("%d frequencies are left, in blocks of %d, that after them %v", p.last, b.block, p.size[148])
	}
	if want := -100 * math.Pow(2*math.Pi*100/n*100, 2) / 2; math.Abs(p.size[100]-want) > 1e-9 {
		t.Errorf("frequency 100 is e^%v, want e^%v", p.size[100], want)
	}
}
