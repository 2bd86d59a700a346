// Package papers computes losses as papers state them: ma16, vips20 and zcdp16, HDP-LDA, LP-LDA and SUB-LDA.
//
// Some of its numbers are bounds. recipe, unclippedInherentLoss, subLDA.Printed and adaptive are claims, and no bounds:
// each says why. A claim is shown beside a bound and never in place of one.
package papers

import (
	"math"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/renyi"
	"privpipe/account/internal/search"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// A Claim is an ε that a paper computes for rounds with sampled Gaussian noise, and the theorem that the paper uses. It
// is no bound.
type Claim struct {
	Name    string
	Epsilon float64
	Theorem string
}

// RoundDelta is δ_iter, the δ of one release, in the code by zcdp16's authors. Their equations leave it open.
const RoundDelta = 1e-6

// A formula computes a paper's ε from noise over the clip.
type formula struct {
	name, theorem string
	epsilon       func(noise float64) float64
}

// formulas returns the papers' formulas for a scheme, none without sampling. moved says how far an exchange moves a
// sum.
func formulas(scheme event.Scheme, delta, roundDelta float64, moved string) (all []formula) {
	rounds := uint64(scheme.Rounds)
	switch scheme.Method {
	case event.Fixed:
		all = append(all, formula{"vips20",
			"moments accountant (Wang, Balle, Kasiviswanathan 2019, thm. 9) with noise over the clip: " +
				"an exchange moves the sum by up to " + moved,
			func(noise float64) float64 {
				epsilon, _ := renyi.MomentsEpsilon(renyi.GaussianSample(scheme.Rate, noise), rounds, delta,
					accountant.FixedLambdas)
				return epsilon
			}})
	case event.Poisson:
		all = append(all, formula{"ma16",
			"moments accountant (Abadi et al. 2016, thm. 2, λ of lemma 3) with noise over the clip",
			func(noise float64) float64 {
				curve := func(order float64) float64 { return renyi.PoissonGaussian(scheme.Rate, noise, order) }
				epsilon, _ := renyi.MomentsEpsilon(curve, rounds, delta, renyi.MomentsLambda(scheme.Rate, noise))
				return epsilon
			}})
	default:
		return nil
	}
	account := recipe{Rate: scheme.Rate, Rounds: rounds, Delta: delta, RoundDelta: roundDelta}
	const by = "rounds by the classical Gaussian (Dwork, Roth 2014, thm. A.1, proven for ε < 1), amplified: "
	return append(all,
		formula{"zcdp16", by + "taken for zCDP, which has no proof", account.ZCDP},
		formula{"zcdp16-strong", by + "strong composition (ibid., thm. 3.20)", account.Strong},
		formula{"zcdp16-linear", by + "linear composition (ibid., thm. 3.16)", account.Linear})
}

// Claims returns the papers' claims for noise over the clip at a δ, none without sampling. moved says how far an
// exchange moves a sum.
func Claims(scheme event.Scheme, noise, delta float64, moved string) (all []Claim) {
	for _, f := range formulas(scheme, delta, RoundDelta, moved) {
		all = append(all, Claim{f.name, f.epsilon(math.Nextafter(noise, 0)), f.theorem})
	}
	return all
}

// ClaimedNoise looks for noise over the clip in the range from leastClaimed to mostClaimed.
const leastClaimed, mostClaimed = 0.05, 1e6

// ClaimedNoise returns the least noise over the clip that gives at most ε at δ by a paper's formula, and the claim at
// this noise. printed rounds a noise up to one that can be printed.
func ClaimedNoise(
	name string, scheme event.Scheme, epsilon, delta, roundDelta float64, moved string, printed func(float64) float64,
) (noise float64, claim Claim, err error) {
	f, err := named(name, formulas(scheme, delta, roundDelta, moved))
	if err != nil {
		return 0, Claim{}, err
	}
	holds := func(noise float64) bool { return f.epsilon(noise) <= epsilon }
	// Take small steps: ma16's ε jumps when another λ is admitted, and is +Inf for large noise.
	const step = 1.02
	high := leastClaimed
	for !holds(high) {
		if high *= step; high > mostClaimed {
			return 0, Claim{}, exit.Errorf(exit.Refused, "no noise over the clip up to %v has ε %v at δ %v by %s",
				mostClaimed, epsilon, delta, name)
		}
	}
	noise = printed(search.Bisect(max(leastClaimed, high/step), high, holds))
	return noise, Claim{name, f.epsilon(noise), f.theorem}, nil
}

func named(name string, all []formula) (formula, error) {
	if len(all) == 0 {
		return formula{}, exit.Errorf(exit.Usage,
			"--claim is for --poisson or --fixed: the papers' formulas are about sampled rounds")
	}
	if name == "vips20-strong" { // both names are for the same formula
		name = "zcdp16-strong"
	}
	for _, f := range all {
		if f.name == name {
			return f, nil
		}
	}
	return formula{}, exit.Errorf(exit.Usage, "--claim %s: vips20 accounts for --fixed, ma16 for --poisson", name)
}
