package renyi

import "math"

// exactDifferences is the largest order with B computed; beyond it, B is bounded in closed form. In the sums of one
// curve such terms are either far below the first or larger than 2M.
const exactDifferences = 128

// logDifference returns log B(l), rounded up, for even l ≥ 2.
//
// B(l) = Σ_i (−1)^(l−i) C(l,i) e^(i(i−1)/(2σ²)) is the moment E[(L−1)^l] of the ratio of densities
// L = e^(z/σ − 1/(2σ²)) of N(1/σ, 1) and N(0, 1), since E[L^i] = e^(i(i−1)/(2σ²)). The terms of the sum cancel, the
// terms of the moment do not.
func logDifference(l, sigma float64) float64 {
	if l > exactDifferences || (l-1)/(2*sigma*sigma) > 700 {
		return logDifferenceBound(l, 1/sigma)
	}
	return logDifferenceSum(l, 1/sigma)
}

// logDifferenceSum computes log B(l) by the trapezoidal rule, in steps of 2π/w over [−w, ls+w], with s = 1/σ. By
// Poisson's summation formula its error is the sum over k = ±1, ±2, … of the integrand's Fourier transform at kw,
//
//	Σ_i (−1)^(l−i) C(l,i) e^(i(i−1)s²/2)·e^(−(kw)²/2 + √−1·kwis),   at most e^(−(kw)²/2)·E[(L+1)^l],
//
// E[(L+1)^l] ≤ 2^(l−1)(E[L^l] + 1). Outside of the interval the integrand is at most φ(z)·(L^l + 1), with an integral
// of at most e^(−w²/2)·(E[L^l] + 1). B(l) has two lower bounds. By Jensen's inequality it is at least
// E[(L−1)²]^(l/2) = (e^(s²)−1)^(l/2). By Minkowski's it is at least (E[L^l]^(1/l) − 1)^l = (e^((l−1)s²/2) − 1)^l. So
// B(l) ≥ (E[L^l]+1)·(4·max(1,σ))^(−l)/2: for e^((l−1)s²/2) ≤ 2 by the first, else by the second. With
// w²/2 = l·log(8·max(1,σ)) + 40 neither error is more than e^(−37)·B(l).
func logDifferenceSum(l, s float64) float64 {
	w := math.Sqrt(2 * (l*math.Log(8*max(1, 1/s)) + 40))
	step := 2 * math.Pi / w
	sum, largest := 0.0, math.Inf(-1)
	for z := -w; z < l*s+w+step; z += step {
		u := s * (z - s/2)
		log := l*logAbsExpm1(u) - z*z/2
		if log > largest {
			sum *= math.Exp(largest - log)
			largest = log
		}
		sum += math.Exp(log - largest)
	}
	return largest + math.Log(sum*step) - math.Log(2*math.Pi)/2 + 1e-12 + 1e-15*(l*w+math.Abs(largest))
}

// logAbsExpm1 returns log|e^u − 1|.
func logAbsExpm1(u float64) float64 {
	if u < 0 {
		return LogExpm1(-u) + u
	}
	return LogExpm1(u)
}

// logDifferenceBound bounds log B(l) from above. |e^u−1| ≤ |u|·max(1, e^u) with u = log L, so
//
//	B(l) ≤ E[|u|^l] + E[|u|^l·L^l] = E|N(−s²/2, s²)|^l + e^(l(l−1)s²/2)·E|N((l−½)s², s²)|^l,
//
// with E|N(m, s²)|^l ≤ (|m| + s·c)^l and c^l = E|N(0,1)|^l = 2^(l/2)·Γ((l+1)/2)/√π, by Minkowski's inequality. For
// large s, |L−1| ≤ max(1, L) gives less: B(l) ≤ 1 + E[L^l].
func logDifferenceBound(l, s float64) float64 {
	gamma, _ := math.Lgamma((l + 1) / 2)
	c := math.Exp((l*math.Ln2/2 + gamma - math.Log(math.Pi)/2) / l)
	left := l * math.Log(s*s/2+s*c)
	moment := l * (l - 1) * s * s / 2 // log E[L^l]
	right := moment + l*math.Log((l-0.5)*s*s+s*c)
	log := min(LogAdd(left, right), LogAdd(0, moment))
	return log + 1e-12*(1+math.Abs(log)) + 1e-12*l
}
