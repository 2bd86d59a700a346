package renyi

import (
	"math"
)

// Poisson returns the curve of one release under the addition or removal of one unit, if each unit takes part by a
// secret coin of probability q. whole is the release's curve for a unit that is known to take part. It has to be the
// curve of the pair of distributions that dominates every effect of the unit (see Dominance). A reflection has to swap
// this pair, as it does for symmetric noise. Then only (1−q)Q + qP against Q needs a bound: Mironov, Talwar and Zhang
// 2019, theorem 5.
//
// The other units' coins are the same on both sides. A Rényi divergence of mixtures is at most the largest divergence
// of their parts (van Erven and Harremoës, Rényi Divergence and Kullback-Leibler Divergence, 2014, theorem 13).
//
// The curve is the least of three bounds:
//
//   - A release that also tells the coin is less private. The coin is the same on both sides, so the ratio of this pair
//     is 1 with probability 1−q and else L. Its A_α, as below, is 1−q + q·exp((α−1)·whole(α)). Near order 1 this bound
//     is the least where L varies much.
//   - If the loss is at most ε at order ∞: amplification, and the curve of randomized response. At each outcome 1−q+q·L
//     with L ≤ e^ε is at most 1+q(e^ε−1) = e^ε'. It is at least e^−ε', since
//     (1+q(e^ε−1))(1−q(1−e^−ε)) = 1 + q(1−q)(e^ε+e^−ε−2) ≥ 1. Among the pairs with ratios within e^±ε', randomized
//     response has the largest divergence: its ratio takes the two ends only, and a convex function lies below its
//     chord (Bun and Steinke, Concentrated Differential Privacy, TCC 2016-B, proof of proposition 3.3).
//   - The moments at integer orders and between them: see Between.
//
// The curve is not safe for concurrent use.
func Poisson(q float64, whole Curve) Curve {
	if q == 1 {
		return whole
	}
	whole = Remember(whole)
	excess := rememberOrders(func(order int) float64 { return logExcessInteger(q, whole, order) })
	pure := AmplifiedEpsilon(q, whole(math.Inf(1)))
	return func(alpha float64) float64 {
		if math.IsInf(alpha, 1) {
			return pure
		}
		rho := AmplifiedEpsilon(q, (alpha-1)*whole(alpha)) / (alpha - 1)
		if !math.IsInf(pure, 1) {
			rho = min(rho, RandomizedResponse(pure, alpha))
		}
		if alpha < maxMoment {
			rho = min(rho, max(0, Between(alpha, excess)/(alpha-1)))
		}
		return rho
	}
}

// maxMoment ends the orders of the sum of moments. From this order on the sum takes too long, and a pure ε' is as good.
const maxMoment = 1 << 12

// AmplifiedEpsilon returns log(1 + q(e^ε − 1)). It is the pure ε' of a mechanism with pure ε, if each unit takes part
// by a secret coin of probability q: Li, Qardaji and Su, On Sampling, Anonymization, and Differential Privacy, 2012,
// theorem 1.
func AmplifiedEpsilon(q, epsilon float64) float64 {
	if epsilon < 700 {
		return math.Log1p(q * math.Expm1(epsilon))
	}
	return epsilon + math.Log(q+(1-q)*math.Exp(-epsilon)) // e^ε may be beyond float64
}

// logExcessInteger returns log(A_α − 1) of the pair (1−q)Q + qP and Q, for an integer α ≥ 2. The k-th moment of the
// ratio L = P/Q under Q is exp((k−1)·whole(k)), so
//
//	A_α = E[(1−q+qL)^α] = Σ_{k=0..α} C(α,k) (1−q)^(α−k) q^k exp((k−1)·whole(k))
//
// (for the Gaussian: Mironov, Talwar and Zhang 2019, §3.3). No term is negative: a bound on the moments bounds A_α. The
// binomial probabilities, which add up to 1, are subtracted term by term. No remaining term is below 0, so nothing
// cancels. A loss far below a float64's resolution of 1 keeps all its digits. Many rounds with such a loss may add up
// to a lot.
func logExcessInteger(q float64, whole Curve, alpha int) float64 {
	logQ, log1mQ := math.Log(q), math.Log1p(-q)
	sum := math.Inf(-1)
	logBinomial := math.Log(float64(alpha))
	for k := 2; k <= alpha; k++ { // for 0 and 1 the moment is 1
		logBinomial += math.Log(float64(alpha-k+1) / float64(k))
		x := float64(k)
		sum = LogAdd(sum, logBinomial+x*logQ+float64(alpha-k)*log1mQ+LogExpm1((x-1)*whole(x)))
	}
	return sum
}

// rememberOrders is Remember for integer orders: a search looks at many orders between the same two integers.
func rememberOrders(f func(order int) float64) func(order int) float64 {
	known := make(map[int]float64)
	return func(order int) float64 {
		x, ok := known[order]
		if !ok {
			x = f(order)
			known[order] = x
		}
		return x
	}
}

// Between bounds log A_α from above, for any α > 1. A_α = E[L^α] is the moment of the ratio of densities L of any two
// distributions. logExcess returns log(A_n − 1) at the integer orders n around α.
//
// Below 2 the bound is (α−1)·log A_2, since log A_α is convex in α and 0 at 1. Beyond 2, write L = 1+u with mean
// E[1+u] = 1. Taylor's remainder is
//
//	(A_α − 1)/(α(α−1)) = ∫_{s=0..1} (1−s) E[u² (1+su)^(α−2)] ds,
//
// It is a mixture of exponentials in α, so its logarithm is convex and lies below the chord between two integers. For a
// small loss u is small and the chord is close.
func Between(alpha float64, logExcess func(order int) float64) float64 {
	if alpha < 2 {
		return (alpha - 1) * LogAdd(0, logExcess(2))
	}
	below := math.Floor(alpha)
	atBelow := logExcess(int(below))
	if alpha == below {
		return LogAdd(0, atBelow)
	}
	share := alpha - below
	atBelow -= math.Log(below * (below - 1))
	atAbove := logExcess(int(below)+1) - math.Log((below+1)*below)
	return LogAdd(0, math.Log(alpha*(alpha-1))+(1-share)*atBelow+share*atAbove)
}
