package renyi

import (
	"math"
)

// mostLambda is the largest λ that MomentsEpsilon looks at: beyond, a sum over the order takes too long.
const mostLambda = 1 << 15

// MomentsLambda returns the largest λ that the 2016 accountant looks at, ⌊σ² log(1/(qσ))⌋. Abadi et al., Deep Learning
// with Differential Privacy (CCS 2016), lemma 3, asks for this limit, though the numbers that the paper's code computes
// hold beyond it. The result is 0 if there is no λ: σ is 1/q or more, or too small.
func MomentsLambda(q, sigma float64) int {
	return int(min(mostLambda, max(0, math.Floor(-sigma*sigma*math.Log(q*sigma)))))
}

// MomentsEpsilon returns the ε of rounds releases by the moments accountant of 2016, and the λ that gives it:
//
//	ε = min over λ = 1, 2, … of (rounds·α(λ) + log(1/δ))/λ,   α(λ) = λ·ρ(λ+1)
//
// Here α(λ) is the log moment of the loss (Abadi et al. 2016, theorem 2), and ρ is the Rényi curve. lambdas is the
// number of λ. With PoissonGaussian and MomentsLambda it is ma16's accountant. With GaussianSample
// and at least 256 it is vips20's (Wang, Balle and Kasiviswanathan 2019). If lambdas is 0 it returns +Inf and 0. delta
// in (0, 1].
//
// It looks at every λ up to 256, and beyond 256 only at some. Every λ is a valid bound, so a skipped λ cannot make the
// answer wrong.
func MomentsEpsilon(curve Curve, rounds uint64, delta float64, lambdas int) (epsilon float64, lambda int) {
	epsilon = math.Inf(1)
	if lambdas >= 1 && (rounds == 0 || delta >= 1) {
		return 0, 1
	}
	try := func(l int) (more bool) {
		loss := float64(rounds) * curve(float64(l+1))
		if e := RoundUp(loss - logOf(delta)/float64(l)); e < epsilon {
			epsilon, lambda = e, l
		}
		return loss < epsilon // ρ grows with the order: nothing beyond is less
	}
	lambdas = min(lambdas, mostLambda)
	step := 1
	for l := 1; l <= lambdas && try(l); l += step {
		step = max(1, l/256*4) // of at most 1.6 %
	}
	for middle, width := lambda, step; width > 1; width /= 2 {
		for _, l := range [2]int{middle - width/2, middle + width/2} {
			if l >= 1 && l <= lambdas {
				try(l)
			}
		}
		middle = lambda
	}
	return epsilon, lambda
}
