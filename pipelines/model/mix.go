package model

// Mix sets state to (1−ρ)·state + ρ·values, cell by cell, and returns the variance of the noise on each cell of it, where the
// noise on values is independent of that on state: (1−ρ)²·Var(state) + ρ²·Var(values). A state without noise of which ρ < 1
// keeps a part, such as a random start, is a bias, not noise.
func Mix(state, values []float64, rho, stateVariance, valuesVariance float64) (variance float64) {
	for i, v := range values {
		state[i] = (1-rho)*state[i] + rho*v
	}
	return (1-rho)*(1-rho)*stateVariance + rho*rho*valuesVariance
}
