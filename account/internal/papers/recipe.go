package papers

import (
	"math"

	"privpipe/account/internal/renyi"
)

// A recipe is a set of sampled Gaussian releases as the workshop papers and their code account for them. zcdp16 has
// three such accounts; ma16 and vips20 have one for comparison. None of the numbers is a bound. Each release is charged
// by the classical formula, which is proven for ε < 1 only. And theorem 1 is applied to batches that change by a
// replaced document, with the constant of an added one.
type recipe struct {
	Rate       float64 // S/D
	Rounds     uint64  // J
	Delta      float64 // δ of all rounds
	RoundDelta float64 // δ_iter, of one batch's release without amplification: 1e-6 in the authors' code
}

// classicalRoot returns σε of the classical formula σ = √(2 log(1.25/δ))/ε (Dwork and Roth 2014, theorem A.1). The
// formula is valid for ε < 1. For δ from 1e-9 to 1e-3, numerical comparison shows it to be valid up to ε = 7.4. Beyond
// 7.4 its σ is too small for some of these δ.
func classicalRoot(delta float64) float64 { return math.Sqrt(2 * math.Log(1.25/delta)) }

// Round returns (ε_iter, δ_iter) of one batch's release with noise σ.
func (r recipe) Round(sigma float64) renyi.Guarantee {
	return renyi.Guarantee{Epsilon: renyi.RoundUp(classicalRoot(r.RoundDelta) / sigma), Delta: r.RoundDelta}
}

// ZCDP returns the ε of zcdp16's equations 5 and 6. They take the amplified (ε', δ') of one round for the guarantee of
// Gaussian noise without sampling, with variance τ = 2 log(1.25/δ')/ε'². Then they convert ρ = J/(2τ) at Delta. The
// step is not valid: a sampled Gaussian is no zCDP mechanism of that ρ, and J·δ' is dropped.
func (r recipe) ZCDP(sigma float64) float64 {
	round := r.Round(sigma).Amplified(r.Rate)
	return renyi.ZCDPEpsilon(renyi.Rho(classicalRoot(round.Delta)/round.Epsilon, r.Rounds), r.Delta)
}

// Strong returns the ε by strong composition of the amplified rounds. The slack is Delta − J·δ'; the result is +Inf if
// no slack is left.
func (r recipe) Strong(sigma float64) float64 {
	round := r.Round(sigma).Amplified(r.Rate)
	slack := r.Delta - float64(r.Rounds)*round.Delta
	if slack <= 0 {
		return math.Inf(1)
	}
	return round.Strong(r.Rounds, slack).Epsilon
}

// Linear returns the ε by linear composition of the amplified rounds; it is +Inf if J·δ' is more than Delta.
func (r recipe) Linear(sigma float64) float64 {
	all := r.Round(sigma).Amplified(r.Rate).Linear(r.Rounds)
	if all.Delta > r.Delta {
		return math.Inf(1)
	}
	return all.Epsilon
}
