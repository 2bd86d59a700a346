package model

import "math"

// series is the bound on c/2 below which tanhc uses its series.
const series = 1e-3

// PolyaGamma returns E[ξ] for a Pólya-Gamma variable ξ ~ PG(b, c), which is b/(2c)·tanh(c/2). Such variables make
// binomial likelihoods conjugate to a Gaussian (Polson, Scott and Windle, Bayesian Inference for Logistic Models Using
// Pólya–Gamma Latent Variables, JASA 108, 2013, §2.3). b ≥ 0 is the number of trials in a binomial likelihood. The sign
// of c does not matter. The result is in [0, b/4], and b/4 at c = 0.
func PolyaGamma(b, c float64) float64 { return b / 4 * tanhc(c/2) }

// tanhc returns tanh(z)/z, which is in [0, 1]. The series comes from DLMF 4.33.3; its next term, 17/315·z⁶, is below
// 10⁻¹⁹.
func tanhc(z float64) float64 {
	z = math.Abs(z)
	if z < series {
		s := z * z
		return 1 - s/3 + 2*s*s/15
	}
	return math.Tanh(z) / z
}
