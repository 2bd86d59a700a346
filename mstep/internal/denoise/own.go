package denoise

// ShrinkOwn is Shrink, and also sets own[i] to the number's own share in estimate[i]. The share says how much the
// estimate follows noisy[i]: 0 if the estimate has only the expectation, 1 if it has only the observation. Without
// noise it is 1. own must not be one of the other slices. If own is nil, ShrinkOwn is Shrink.
//
// The share is the sensitivity ∂E[s | y]/∂y with the prior held fixed. The sum of sensitivities over all observations
// is the generalized degrees of freedom (Ye, On Measuring and Correcting the Effects of Data Mining and Model
// Selection, JASA 1998). By Tweedie's formula E[s | y] = y + τ² ℓ′(y) and Var(s | y) = τ² (1 + τ² ℓ″(y)), with ℓ the
// logarithm of the density of y (Efron, Tweedie's Formula and Selection Bias, JASA 2011, §2). So the sensitivity is
// Var(s | y)/τ², which is at least 0. Its mean over y is 1 − τ² E[ℓ′(y)²], because E[ℓ″] = −E[ℓ′²]. So the mean is at
// most 1. The sensitivity may exceed 1 at a single y, where a slightly larger y makes another component of the prior
// likelier. There own is 1.
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
	weights := m.first()
	m.fit(weights, edges, noisy, expected, tau)
	m.each(weights, edges, noisy, expected, tau, func(_ int, b *batch, of []float64) {
		b.mix(m.Ratios, of)
		for at, i := range b.index[:b.n] {
			if estimate[i] = noisy[i]; b.y[at] < surely {
				estimate[i] = tau * b.moment[at] / b.share[at]
			}
		}
		if own != nil {
			b.own(own, m.Ratios, of)
		}
	})
}

// own sets own for each cell to the variance given its noisy value, divided by τ², and at most 1. mix must have run
// before. Under one component s/τ is normal around z with deviation 1, truncated to 0 and more (batch.go). Its second
// moment is 1 + z·E[s/τ]. This follows by parts: the derivative of sφ(s−z) is (1 + zs − s²)φ(s−z), and sφ(s−z) is 0 at
// both ends.
func (b *batch) own(own, ratios, weights []float64) {
	var square [most]float64
	one := *b
	for j, r := range ratios {
		one.mix(ratios[j:j+1], weights[j:j+1])
		for at := range b.n {
			square[at] += one.share[at] + (b.y[at]-b.pull[at]/r)*one.moment[at]
		}
	}
	for at, i := range b.index[:b.n] {
		if own[i] = 1; b.y[at] < surely {
			mean := b.moment[at] / b.share[at]
			own[i] = min(max(square[at]/b.share[at]-mean*mean, 0), 1)
		}
	}
}
