package model

// Mix sets state to (1−ρ)·state + ρ·values, cell by cell. It returns the variance of the noise on each cell of the new state,
// (1−ρ)²·Var(state) + ρ²·Var(values). The noise on values must be independent of the noise on state. A start without noise, for
// example a random start, adds no variance; if ρ < 1 a part of it stays as a bias.
func Mix(state, values []float64, rho, stateVariance, valuesVariance float64) (variance float64) {
	for i, v := range values {
		state[i] = (1-rho)*state[i] + rho*v
	}
	return (1-rho)*(1-rho)*stateVariance + rho*rho*valuesVariance
}
