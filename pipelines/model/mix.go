package model

import "math"

// A Rate is the learning rate ρ_t = (τ0 + t)^−κ, at most 1 (Hoffman, Blei and Bach 2010, §2.2). With τ0 = 0 and κ = 1,
// Mix keeps the plain average.
type Rate struct{ Tau0, Kappa float64 }

// At returns ρ_t. t counts from 1.
func (r Rate) At(t float64) float64 { return min(1, math.Pow(r.Tau0+t, -r.Kappa)) }

// Mix sets state to (1−ρ)·state + ρ·values, cell by cell. It returns the noise variance in each cell of the new state.
// A start without noise, for example a random start, adds no variance. If ρ < 1, a part of the start stays as a bias.
func Mix(state, values []float64, rho, stateVariance, valuesVariance float64) (variance float64) {
	for i, v := range values {
		state[i] = (1-rho)*state[i] + rho*v
	}
	return MixedVariance(rho, stateVariance, valuesVariance)
}

// MixedVariance returns the noise variance in each cell that Mix makes, (1−ρ)²·Var(state) + ρ²·Var(values). The noise
// on values must be independent of the noise on state.
func MixedVariance(rho, state, values float64) float64 {
	return (1-rho)*(1-rho)*state + rho*rho*values
}
