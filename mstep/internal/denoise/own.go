package denoise

import "privpipe/mstep/internal/parallel"

// ShrinkOwn is Shrink, and sets own[i] to the share of estimate[i] that is the number's own: how much the estimate follows noisy[i],
// from 0, where it says only what was expected, to 1, where it says only what was observed. Without noise it is 1. own must not be
// another of the slices; nil: only Shrink.
//
// It is the sensitivity ∂E[s | y]/∂y with the prior held fixed, of which generalized degrees of freedom are the sum over all
// observations (Ye, On Measuring and Correcting the Effects of Data Mining and Model Selection, JASA 1998). By Tweedie's formula E[s | y] =
// y + τ² ℓ′(y) and Var(s | y) = τ² (1 + τ² ℓ″(y)), with ℓ the logarithm of the density of y (Efron, Tweedie's Formula and Selection Bias,
// JASA 2011, §2). So the sensitivity is Var(s | y)/τ², which is at least 0. Its mean over y is 1 − τ² E[ℓ′(y)²], because E[ℓ″] = −E[ℓ′²]:
// at most 1. It may exceed 1 at a single y, where a little more makes another component of the prior likelier; it counts as 1 there.
func (m Mixture) ShrinkOwn(estimate, own, noisy, expected []float64, tau float64) {
	if tau == 0 {
		for i, y := range noisy {
			estimate[i] = max(y, 0)
			if own != nil {
				own[i] = 1
			}
		}
		return
	}
	edges := m.groupEdges(expected)
	weights := m.equal()
	m.fit(weights, edges, noisy, expected, tau)
	parallel.Each(len(noisy), func(_, from, to int) {
		c := newCell(m.Ratios)
		for i := from; i < to; i++ {
			of := weights[group(edges, expected[i])]
			if own != nil { // before estimate, which may be noisy
				own[i] = c.own(noisy[i], expected[i], tau, of)
			}
			estimate[i] = c.mean(noisy[i], expected[i], tau, of)
		}
	})
}

// own returns the variance of a cell given its noisy value, over τ², at most 1. Under one component s/τ is normal around z with deviation 1,
// truncated to 0 and more (mills.go). Its second moment is 1 + z·E[s/τ], by parts: the derivative of sφ(s−z) is (1 + zs − s²)φ(s−z), and both
// of its ends are 0.
func (c *cell) own(noisy, expected, tau float64, weights []float64) float64 {
	if noisy > surely*tau {
		return 1
	}
	c.set(noisy, expected, tau)
	y, pull := noisy/tau, tau/expected
	mean, square, total := 0.0, 0.0, 0.0
	for j, w := range weights {
		mean += w * c.moment[j]
		square += w * (c.share[j] + (y-pull*c.inverse[j])*c.moment[j])
		total += w * c.share[j]
	}
	mean /= total
	return min(max(square/total-mean*mean, 0), 1)
}
