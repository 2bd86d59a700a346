// Package renyi computes the Rényi divergence of mechanisms and what (ε, δ) guarantee follows from it.
//
// A mechanism M is (α, ρ)-Rényi differentially private if D_α(M(x)‖M(y)) ≤ ρ for all neighbours x, y (Mironov, Rényi
// Differential Privacy, CSF 2017). At one order α the ρ of adaptively composed mechanisms add up (ibid., proposition 1).
package renyi
