package renyi

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"strconv"
	"testing"
)

// pair returns P and Q of the discrete Laplace of scale t with a shift, at all x that matter.
func pair(shift int, t float64) (p, q []float64) {
	r := math.Exp(-1 / t)
	reach := int(45*t) + 2 // r^(45t) = e^−45
	for x := -reach; x <= shift+reach; x++ {
		p = append(p, (1-r)/(1+r)*math.Pow(r, math.Abs(float64(x-shift))))
		q = append(q, (1-r)/(1+r)*math.Pow(r, math.Abs(float64(x))))
	}
	return p, q
}

// divergence is D_α(P‖Q) as a sum.
func divergence(p, q []float64, alpha float64) float64 {
	sum := 0.0
	for i := range p {
		sum += math.Pow(p[i], alpha) * math.Pow(q[i], 1-alpha)
	}
	return math.Log(sum) / (alpha - 1)
}

// TestLaplaceSum compares with the sum over all x, in both directions. 1e-12 is the sum's own rounding.
func TestLaplaceSum(t *testing.T) {
	for _, scale := range []float64{1, 2, 7, 30} {
		for _, shift := range []int{1, 2, 3, 20, 90} {
			if float64(shift)/scale > 20 {
				continue // the smallest probabilities are left out
			}
			p, q := pair(shift, scale)
			for _, alpha := range []float64{1 + 1.0/64, 1.5, 2, 3.7, 8} {
				got := Laplace(float64(shift), scale, alpha)
				for _, want := range []float64{divergence(p, q, alpha), divergence(q, p, alpha)} {
					if math.Abs(got-want) > 1e-12/(alpha-1)+1e-9*want {
						t.Errorf("shift %d, scale %v: ρ(%v) is %v, want %v", shift, scale, alpha, got, want)
					}
				}
			}
		}
	}
}

// exp returns e^x with 600 bits: Taylor's series of x/2^k, squared k times.
func exp(x *big.Float) *big.Float {
	const precision, halvings = 600, 80
	small := new(big.Float).SetPrec(precision).Set(x)
	small.SetMantExp(small, -halvings)
	sum, term := big.NewFloat(1).SetPrec(precision), big.NewFloat(1).SetPrec(precision)
	for k := 1.0; k < 30; k++ {
		term.Mul(term, small).Quo(term, big.NewFloat(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// exactLaplace evaluates the closed form with 600 bits.
func exactLaplace(shift, scale, alpha float64) float64 {
	number := func(v float64) *big.Float { return big.NewFloat(v).SetPrec(600) }
	mul := func(a, b *big.Float) *big.Float { return number(0).Mul(a, b) }
	add := func(a, b *big.Float) *big.Float { return number(0).Add(a, b) }
	sub := func(a, b *big.Float) *big.Float { return number(0).Sub(a, b) }
	power := func(order, x float64) *big.Float { // exp(order·x/t)
		return exp(number(0).Quo(mul(number(order), number(x)), number(scale)))
	}
	one, r := number(1), power(-1, 1)
	s := exp(number(0).Quo(sub(one, mul(number(2), number(alpha))), number(scale)))
	both := mul(add(one, r), sub(one, s))
	a, b := number(0).Quo(sub(one, mul(r, s)), both), number(0).Quo(sub(r, s), both)
	up := exp(number(0).Quo(mul(sub(number(alpha), one), number(shift)), number(scale)))
	moment := add(mul(a, up), mul(b, power(-alpha, shift)))
	excess, _ := sub(moment, one).Float64()
	logMoment := math.Log1p(excess)
	if excess > 1e100 {
		mantissa := new(big.Float)
		exponent := moment.MantExp(mantissa)
		m, _ := mantissa.Float64()
		logMoment = math.Log(m) + float64(exponent)*math.Ln2
	}
	return logMoment / (alpha - 1)
}

// TestLaplaceDigits: never below the truth, and above it by no more than it says, over all that a grid and a ledger
// hold.
func TestLaplaceDigits(t *testing.T) {
	for _, scale := range []float64{1, 3, 1000, 1 << 20, 1 << 31} {
		for _, x := range []float64{1e-9, 1e-6, 1e-3, 0.1, 1, 7, 100} {
			shift := math.Ceil(x * scale)
			for _, alpha := range []float64{1 + 1.0/64, 1.1, 1.5, 2, 3.5, 31, 1000.5, 16384} {
				want := exactLaplace(shift, scale, alpha)
				got := Laplace(shift, scale, alpha)
				if !(got >= want*(1-1e-15) && got <= want*(1+1e-15)+3e-14*shift/scale) {
					t.Errorf("Δ %v, t %v: ρ(%v) is %v, want %v", shift, scale, alpha, got, want)
				}
			}
			if got := Laplace(shift, scale, math.Inf(1)); got != shift/scale {
				t.Errorf("Δ %v, t %v: pure ε is %v", shift, scale, got)
			}
		}
	}
}

// TestGoldenMechanisms: rows of testdata/mechanisms.json, which names their source. A scale of 2^31 steps is as good as
// continuous.
func TestGoldenMechanisms(t *testing.T) {
	b, err := os.ReadFile("testdata/mechanisms.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Laplace []struct {
			Scale float64
			RDP   map[string]float64
		}
		RandomizedResponse []struct {
			F, Epsilon float64
			RDP        map[string]float64
		} `json:"randomized_response"`
	}
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	rows := 0
	check := func(what string, rdp map[string]float64, curve Curve) {
		for order, want := range rdp {
			alpha, err := strconv.ParseFloat(order, 64)
			if err != nil {
				t.Fatal(err)
			}
			if alpha == 1 {
				alpha = 1 + 1e-9 // the limit
			}
			if got := curve(alpha); math.Abs(got/want-1) > 1e-8 {
				t.Errorf("%s: ρ(%s) is %v, want %v", what, order, got, want)
			}
			rows++
		}
	}
	for _, row := range golden.Laplace {
		check("Laplace", row.RDP, func(alpha float64) float64 { return Laplace((1<<31)/row.Scale, 1<<31, alpha) })
	}
	for _, row := range golden.RandomizedResponse {
		check("randomized response", row.RDP, func(alpha float64) float64 {
			return RandomizedResponse(math.Log((1-row.F/2)/(row.F/2)), alpha)
		})
	}
	if rows != 48 {
		t.Errorf("%d rows, want 48", rows)
	}
}

// TestRandomizedResponse compares with Mironov 2017, proposition 5:
// ρ(α) = log(p^α(1−p)^(1−α) + (1−p)^α p^(1−α))/(α−1).
func TestRandomizedResponse(t *testing.T) {
	for _, p := range []float64{0.5, 0.49, 0.25, 0.01} {
		for _, alpha := range []float64{1.5, 2, 20} {
			want := math.Log(math.Pow(p, alpha)*math.Pow(1-p, 1-alpha)+
				math.Pow(1-p, alpha)*math.Pow(p, 1-alpha)) / (alpha - 1)
			if got := RandomizedResponse(math.Log((1-p)/p), alpha); math.Abs(got-want) > 1e-13 {
				t.Errorf("p %v: ρ(%v) is %v, want %v", p, alpha, got, want)
			}
		}
	}
	if got := RandomizedResponse(0.25, math.Inf(1)); got != 0.25 {
		t.Errorf("pure ε is %v", got)
	}
}

// product is a pair of which each half is independent.
func product(a, b []float64) (ab []float64) {
	for _, x := range a {
		for _, y := range b {
			ab = append(ab, x*y)
		}
	}
	return ab
}

// TestDominance: a shift spread over two cells is never told better than the same shift in one, at any price of the two
// errors: Σ max(0, P − γQ), whose comparison for all γ is dominance. Their curves follow. 1e-12 is the sums' rounding.
func TestDominance(t *testing.T) {
	const scale = 2.0
	for _, c := range [][2]int{{1, 1}, {1, 3}, {2, 2}, {4, 1}} {
		p1, q1 := pair(c[0], scale)
		p2, q2 := pair(c[1], scale)
		p, q := product(p1, p2), product(q1, q2)
		one, zero := pair(c[0]+c[1], scale)
		stick := func(p, q []float64, gamma float64) (sum float64) {
			for i := range p {
				sum += max(0, p[i]-gamma*q[i])
			}
			return sum
		}
		for gamma := 0.01; gamma < 20; gamma *= 1.1 {
			if two, whole := stick(p, q, gamma), stick(one, zero, gamma); two > whole+1e-12 {
				t.Errorf("shifts %v, γ %v: %v above that of one cell, %v", c, gamma, two, whole)
			}
		}
		for _, alpha := range []float64{1.1, 2, 10, 1000} {
			a, b := float64(c[0]), float64(c[1])
			two, whole := Laplace(a, scale, alpha)+Laplace(b, scale, alpha), Laplace(a+b, scale, alpha)
			if two > whole*(1+1e-12) {
				t.Errorf("shifts %v: ρ(%v) of two cells is %v, of one %v", c, alpha, two, whole)
			}
		}
	}
}

// FuzzLaplace: a divergence is finite, grows with the order and the shift, and is at most the pure ε.
func FuzzLaplace(f *testing.F) {
	f.Add(1.0, 1.0, 2.0, 1.0)
	f.Add(1e-9, 0x1p31, 1+0x1p-52, 1e-3)
	f.Add(0x1p62, 1.0, 16384.0, 1e9)
	f.Add(1.0, 0x1p64, 1.5, 0.0)
	f.Fuzz(func(t *testing.T, shift, scale, alpha, more float64) {
		inRange := shift >= 1e-9 && shift <= 0x1p64 && scale >= 1e-9 && scale <= 0x1p64
		if !(inRange && alpha > 1 && alpha < 1e6 && more >= 0 && more < 1e6) {
			return
		}
		rho, x := Laplace(shift, scale, alpha), shift/scale
		if !(rho >= 0 && rho <= x) {
			t.Errorf("Δ %v, t %v: ρ(%v) = %v", shift, scale, alpha, rho)
		}
		slack := 1e-13*x + 1e-12*rho
		if higher := Laplace(shift, scale, alpha+more); higher < rho-slack {
			t.Errorf("Δ %v, t %v: ρ(%v) = %v, ρ(%v) = %v", shift, scale, alpha, rho, alpha+more, higher)
		}
		if larger := Laplace(shift*(1+more), scale, alpha); larger < rho-slack {
			t.Errorf("t %v, α %v: Δ %v has %v, Δ %v has %v", scale, alpha, shift, rho, shift*(1+more), larger)
		}
	})
}
