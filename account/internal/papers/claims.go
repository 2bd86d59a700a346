// Package papers works out the tables and claims of papers, beside bounds that hold: SUB-LDA's efficiency, Gibbs samplers, and the
// accounting of the workshop papers. No accountant depends on it.
package papers

import (
	"math"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/classic"
	"privpipe/account/internal/withoutreplacement"
	"privpipe/pipelines/event"
)

// A Claim is an ε that a paper computes for rounds of sampled Gaussian noise, and what it rests on. It is no bound.
type Claim struct {
	Name    string
	Epsilon float64
	Theorem string
}

// Claims returns those of the papers for noise over the clip at a δ, none without sampling. moved says how far an exchange
// moves a sum.
func Claims(scheme event.Scheme, noise, delta float64, moved string) (all []Claim) {
	if scheme.Method == event.All {
		return nil
	}
	sigma, rounds := math.Nextafter(noise, 0), uint64(scheme.Rounds)
	if scheme.Method == event.Fixed {
		epsilon, _ := classic.MomentsEpsilon(withoutreplacement.Gaussian(scheme.Rate, sigma), rounds, delta, accountant.FixedLambdas)
		all = append(all, Claim{"vips20", epsilon,
			"moments accountant (Wang, Balle, Kasiviswanathan 2019, thm. 9) with noise over the clip: " +
				"an exchange moves the sum by up to " + moved})
	}
	// δ_iter of a release is 1e-6 in the authors' code.
	recipe := classic.Recipe{Rate: scheme.Rate, Rounds: rounds, Delta: delta, RoundDelta: 1e-6}
	const by = "rounds by the classical Gaussian (Dwork, Roth 2014, thm. A.1, proven for ε < 1), amplified: "
	return append(all,
		Claim{"zcdp16", recipe.ZCDP(sigma), by + "taken for zCDP, which has no proof"},
		Claim{"zcdp16-strong", recipe.Strong(sigma), by + "strong composition (ibid., thm. 3.20)"},
		Claim{"zcdp16-linear", recipe.Linear(sigma), by + "linear composition (ibid., thm. 3.16)"})
}
