package renyi

import (
	"math"
	"math/big"
	"testing"
)

// TestDifferences: the trapezoidal rule agrees with the alternating sum in 4,000 bits, from above, and the closed form
// bounds it. e^(s²/2) is taken as the float64 nearest to it, for which the sum is that of a slightly different s.
func TestDifferences(t *testing.T) {
	for _, sigma := range []float64{0.4, 1, 3, 12, 200} {
		base := new(big.Float).SetPrec(4000).SetFloat64(math.Exp(1 / (sigma * sigma))) // e^(s²)
		exponent, _ := base.Float64()
		s := math.Sqrt(math.Log1p(exponent - 1))
		for _, l := range []int{2, 4, 10, 40, exactDifferences} {
			sum := new(big.Float).SetPrec(4000)
			power, term := big.NewFloat(1).SetPrec(4000), big.NewFloat(1).SetPrec(4000) // e^(is²), e^(i(i−1)s²/2)
			for i := range l + 1 {
				c := new(big.Float).SetPrec(4000).SetInt(new(big.Int).Binomial(int64(l), int64(i)))
				if c.Mul(c, term); (l-i)%2 == 0 {
					sum.Add(sum, c)
				} else {
					sum.Sub(sum, c)
				}
				term.Mul(term, power)
				power.Mul(power, base)
			}
			mantissa := new(big.Float)
			exp2 := sum.MantExp(mantissa)
			m, _ := mantissa.Float64()
			want := math.Log(m) + float64(exp2)*math.Ln2
			got := logDifferenceSum(float64(l), s)
			// The digits of s are those of e^(s²)−1 at best.
			slack := 1e-14 * float64(l) * float64(l) * max(1, sigma*sigma/100)
			if !(got >= want-slack && got <= want+1e-9+slack) {
				t.Errorf("σ %v, l %d: %v, want %v", sigma, l, got, want)
			}
			if bound := logDifferenceBound(float64(l), s); !(bound >= want) || bound > want+float64(l)*2+1 {
				t.Errorf("σ %v, l %d: bound %v, want at least %v and not much more", sigma, l, bound, want)
			}
		}
	}
}
