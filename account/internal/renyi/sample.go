package renyi

import (
	"math"
	"sync"
)

// mostOrder is a limit: from this order on the curve is ρ, the loss without sampling.
const mostOrder = 1 << 16

// GaussianSample returns the Rényi curve of one round of Gaussian noise σ on a sample of the given rate q in [0, 1]:
// Wang, Balle and Kasiviswanathan, Subsampled Rényi Differential Privacy and Analytical Moments Accountant (AISTATS
// 2019), theorem 9 with the differences of theorem 27. Let ρ(j) = j/(2σ²) and M(j) = e^((j−1)ρ(j)), and let B(j) be the
// j-th forward difference at 0 of i ↦ e^((i−1)ρ(i)). At an integer order α ≥ 2 the curve is 1/(α−1) times the logarithm
// of
//
//	1 + C(α,2) q² min{4(e^ρ(2) − 1), 2e^ρ(2)} + Σ_{j=3..α} C(α,j) q^j min{4√(B(2⌊j/2⌋)·B(2⌈j/2⌉)), 2M(j)}.
//
// The curve is never more than ρ, the loss without sampling. The sample is drawn alike for both data sets, and a Rényi
// divergence of mixtures is at most the largest divergence of their parts (van Erven and Harremoës 2014, theorem 13).
// Between integers it is a chord: see Between. At α = ∞ it is +Inf if q > 0. The curve is not safe for concurrent use.
//
// The number n of units is known. In each round a uniform set of qn units takes part; the set is drawn again and kept
// secret. In a neighbouring data set another unit replaces one unit, so that n is public. A replacement changes a sum
// by √2 times a unit's clip if no coordinate is negative, and by 2 times the clip else. σ is noise over this change.
//
// vips20's accountant is MomentsEpsilon with this curve, and with σ as noise over one unit's clip. Under a
// unit's replacement this σ is too large by √2.
func GaussianSample(q, sigma float64) Curve {
	if q == 0 {
		return func(float64) float64 { return 0 }
	}
	whole := func(alpha float64) float64 { return Gaussian(sigma, alpha) }
	if q == 1 {
		return whole
	}
	difference := func(l float64) float64 { return logDifference(l, sigma) }
	s := &sampleSum{logQ: math.Log(q), whole: whole, difference: Remember(difference)}
	return func(alpha float64) float64 {
		rho := whole(alpha)
		if !(alpha < mostOrder) {
			return rho
		}
		return min(rho, Between(alpha, s.logExcess)/(alpha-1))
	}
}

// A sampleSum holds the numbers that a curve's orders have in common.
type sampleSum struct {
	logQ  float64
	whole Curve

	lock       sync.Mutex
	terms      []float64             // of the sum, from j = 2, without C(α,j)
	difference func(float64) float64 // log B
}

// logExcess returns the logarithm of the theorem's sum without its 1, rounded up; no term is negative. C(α,j)·q^j has
// up to α factors. Each factor's logarithm adds an error of up to 2^-53 of the sum so far, which is at most
// α·(1+log(1/q)).
func (s *sampleSum) logExcess(alpha int) float64 {
	s.lock.Lock()
	defer s.lock.Unlock()
	for j := len(s.terms) + 2; j <= alpha; j++ {
		s.terms = append(s.terms, float64(j)*s.logQ+s.logSize(j))
	}
	sum, logBinomial, n := math.Inf(-1), math.Log(float64(alpha)), float64(alpha)
	for j := 2; j <= alpha; j++ {
		logBinomial += math.Log((n - float64(j) + 1) / float64(j))
		sum = LogAdd(sum, logBinomial+s.terms[j-2])
	}
	return sum + n*(n-s.logQ)/(1<<52) + 1e-15*math.Abs(sum)
}

// logSize returns the logarithm of the j-th minimum: of 4√(B·B) and 2M, or of the theorem's two terms for j = 2.
func (s *sampleSum) logSize(j int) float64 {
	x := float64(j)
	moment := math.Ln2 + (x-1)*s.whole(x)
	if j == 2 {
		return min(2*math.Ln2+LogExpm1(s.whole(2)), moment)
	}
	return min(2*math.Ln2+(s.difference(2*math.Floor(x/2))+s.difference(2*math.Ceil(x/2)))/2, moment)
}
