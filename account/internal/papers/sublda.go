package papers

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"privpipe/account/internal/renyi"
)

// subLDA is the Rényi loss, at one order, of mechanisms that read a sample of the units: one coin for each unit.
type subLDA struct {
	Order int         // α, from 2 to 4095
	Base  renyi.Curve // ε(l) of the mechanism without sampling
}

// subLDASigma returns the σ that gives Gaussian noise the Rényi loss rho at the order: σ² = α/(2ε(α)) (SUB-LDA,
// algorithm 1; Mironov 2017, proposition 7). The formula takes the sensitivity as 1. A replaced word moves the counts
// by √2, which doubles ε(α).
func subLDASigma(order int, rho float64) float64 {
	return renyi.RoundUp(math.Sqrt(float64(order) / (2 * rho)))
}

// Loss returns the Rényi loss of one sweep at the sampling ratio γ in [0, 1]: SUB-LDA, theorem 3.1, equation 3,
//
//	1/(α−1)·log[(1−γ)^(α−1)·(αγ−γ+1) + Σ_{l=2..α} C(α,l) (1−γ)^(α−l) γ^l e^((l−1)ε(l))].
//
// It is exact for Gaussian or Laplace noise, under the addition or removal of one unit, if the mechanism reads the
// sample alone (Zhu and Wang, Poisson Subsampled Rényi Differential Privacy, ICML 2019; for the Gaussian Mironov,
// Talwar and Zhang 2019, §3.3). SUB-LDA's algorithm 1 adds noise to counts of the whole corpus, and its draws cost
// their inherentLoss too.
func (s subLDA) Loss(gamma float64) float64 {
	n := float64(s.Order)
	switch gamma {
	case 0:
		return 0
	case 1:
		return renyi.RoundUp(s.Base(n))
	}
	// The logarithms of the terms are about α·log(1/γ) in size, so their error is as many times larger.
	const roundoff = 1.0 / (1 << 48)
	return renyi.Poisson(gamma, s.Base)(n) * (1 + roundoff*n*(1-math.Log(gamma)))
}

// Printed returns equation 3 without the last term of its sum, l = α. The paper's table 3 and figure 1 agree with
// Printed. It is below the loss. gamma in (0, 1]; it is −Inf for 1, where no term is left.
func (s subLDA) Printed(gamma float64) float64 {
	n := float64(s.Order)
	logGamma, log1m := math.Log(gamma), math.Log1p(-gamma)
	terms := []float64{(n-1)*log1m + math.Log1p((n-1)*gamma)}
	logBinomial := math.Log(n)
	for l := 2.0; l < n; l++ {
		logBinomial += math.Log((n - l + 1) / l)
		terms = append(terms, logBinomial+(n-l)*log1m+l*logGamma+(l-1)*s.Base(l))
	}
	return floats.LogSumExp(terms) / (n - 1)
}

// LogEfficiency returns log I(γ) for the efficiency-privacy function I(γ) = γ·e^((α−1)·loss) (SUB-LDA, equation 6),
// with loss either Loss or Printed. With Loss it grows over the whole of (0, 1]: the moment of 1−γ+γL is convex in γ,
// with slope 0 at 0. So lemma 4.1's extremum does not exist. With Printed there is one, near α/(α+1).
func (s subLDA) LogEfficiency(gamma float64, loss func(gamma float64) float64) float64 {
	return math.Log(gamma) + float64(s.Order-1)*loss(gamma)
}

// Extremum returns the γ in (0, 1] that makes LogEfficiency with loss largest, to 1e-6: it is 1 for Loss.
func (s subLDA) Extremum(loss func(gamma float64) float64) float64 {
	best, first, last := 0.0, 1.0, 1000.0
	for parts := 1000.0; parts <= 1e6; parts *= 10 { // first/parts to last/parts
		most := math.Inf(-1)
		for k := first; k <= last; k++ {
			if i := s.LogEfficiency(k/parts, loss); i >= most {
				best, most = k/parts, i
			}
		}
		at := math.Round(best * parts)
		first, last = max(1, 10*at-10), min(10*parts, 10*at+10)
	}
	return best
}

// adaptive returns the claim of lemma 5.1, ε + log v and vδ, for words that are sampled v = 1/(ηq) ≥ 1 times as often
// as at the uniform rate of g. The claim is above g amplified at the rate v·γ, which holds for fixed, public rates up
// to 1. It is no bound for SUB-LDA: there the rates follow from the assignments, which are data.
func adaptive(g renyi.Guarantee, v float64) renyi.Guarantee {
	return renyi.Guarantee{Epsilon: renyi.RoundUp(g.Epsilon + math.Log(v)), Delta: min(1, renyi.RoundUp(v*g.Delta))}
}
