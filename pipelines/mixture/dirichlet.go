package mixture

// Weights have a Dirichlet prior with parameter α, by mean field. q(θ) is Dirichlet(γ), and the weights in expectation
// maximization are θ_k = exp(E_q[log θ_k]) = exp(ψ(γ_k) − ψ(Σγ)) (Blei, Ng, Jordan, Latent Dirichlet Allocation, 2003,
// equations 6 to 8). A common factor of the weights cancels, so ψ(Σγ) is left out, and the largest weight is 1.

// leastWeight is the least weight relative to the largest; a smaller one becomes 0. float32 products of smaller numbers
// would be denormal, which is a hundred times slower. They would add nothing: such responsibilities do not add up to 1
// in 10^17 words.
const leastWeight = 1e-18

// Gammas are γ of the live components: 1 after Reset and Gather, then the values that Update set.
func (m *Mixture) Gammas() []float32 { return m.gamma[:m.n] }

// Update sets γ_k = α + θ_k s_k for the live components, and returns Σ_k |change of γ_k| over them. A component with a
// share θ_k s_k below least, which must be positive, is no longer live: its γ is α. Until ExpectWeights, Weights and
// Sums still have the places from before Update.
func (m *Mixture) Update(alpha, least float32) (change float32) {
	if m.n == 0 {
		return 0
	}
	change, dropped := chosen.update(m, alpha, least)
	if dropped {
		m.drop()
	}
	return change
}

// drop removes the components with γ = 0, the mark that kernels give them. It leaves θ and s, which Update has used.
func (m *Mixture) drop() {
	kept, live, gamma := 0, m.live[:m.n], m.gamma[:m.n]
	for j, g := range gamma {
		live[kept], gamma[kept] = live[j], g
		if g != 0 {
			kept++
		}
	}
	clear(live[kept:])
	m.n = kept
}

// ExpectWeights sets θ of the live components from γ, up to a relative error of 5e-7·(1 + 1/γ). A float32 has the term
// with 1/γ anyway: γ is known to 6e-8 relative, and d log θ / d log γ = γψ′(γ), about 1/γ for small γ.
func (m *Mixture) ExpectWeights() {
	if m.n == 0 {
		return
	}
	for j := m.n; j%lanes != 0; j++ { // kernels also look for the largest γ there
		m.gamma[j] = m.gamma[0]
	}
	chosen.expect(m)
}
