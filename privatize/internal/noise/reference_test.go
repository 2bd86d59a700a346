package noise

import (
	"math/big"
	"math/rand"
)

// reference is the sampler of Canonne, Kamath and Steinke, The Discrete Gaussian for Differential Privacy (NeurIPS
// 2020, arXiv 2004.00010), as printed: algorithms 1 to 3, on exact fractions. It is a plain twin of Gaussian and shares
// nothing with it but the distribution.
type reference struct{ random *rand.Rand }

var one = big.NewInt(1)

// bernoulliExp is algorithm 1: true with probability exp(−n/d).
func (r reference) bernoulliExp(n, d *big.Int) bool {
	rest := new(big.Int).Set(n)
	for ; rest.Cmp(d) > 0; rest.Sub(rest, d) {
		if !r.bernoulliExp(one, one) {
			return false
		}
	}
	denominator := new(big.Int)
	for k := int64(1); ; k++ {
		denominator.Mul(d, big.NewInt(k))
		if new(big.Int).Rand(r.random, denominator).Cmp(rest) >= 0 { // Bernoulli(rest/(d·k)) fails
			return k%2 == 1
		}
	}
}

// laplace is algorithm 2 with s = 1: P[x] ∝ exp(−|x|/t).
func (r reference) laplace(t int64) int64 {
	for {
		u := r.random.Int63n(t)
		if !r.bernoulliExp(big.NewInt(u), big.NewInt(t)) {
			continue
		}
		v := int64(0)
		for r.bernoulliExp(one, one) {
			v++
		}
		x := u + t*v
		if r.random.Intn(2) == 0 {
			return x
		}
		if x != 0 {
			return -x
		}
	}
}

// gaussian is algorithm 3: P[x] ∝ exp(−x²/(2σ²)).
func (r reference) gaussian(scale int64) int64 {
	t, sigma := big.NewInt(scale+1), big.NewInt(scale)
	d := new(big.Int).Mul(sigma, t) // (|y| − σ²/t)²/(2σ²) = (|y|·t − σ²)²/(2σ²t²)
	d.Mul(d, d).Lsh(d, 1)
	for {
		y := r.laplace(scale + 1)
		n := new(big.Int).Mul(big.NewInt(max(y, -y)), t)
		n.Sub(n, new(big.Int).Mul(sigma, sigma))
		if r.bernoulliExp(n.Mul(n, n), d) {
			return y
		}
	}
}
