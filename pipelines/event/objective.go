package event

import (
	"errors"
	"fmt"
	"math"
)

// EpsilonSteps is the number of steps in an ε of 1. A charge of Objective has it as its scale. The charge's claimed
// sensitivity is the claimed ε in these steps, rounded up. As for Laplace, the quotient of the two is the pure ε.
const EpsilonSteps = 1 << 32

// The limits for an Objective grant. Within them weights are far from overflow.
const (
	leastEpsilon, mostEpsilon               = 0x1p-20, 512.0
	leastRegularisation, mostRegularisation = 1e-12, 1e6
)

// checkObjective checks a grant for Objective. Only old grants are: estep erm makes the weights now, and privatize none
// releases them. The theorem behind Objective is for the exact minimiser and for noise of real numbers. No program has
// either, so a charge is unbounded, and ε is only claimed.
func (g *Grant) checkObjective() error {
	if g.Clip != 0 || g.NonNegative || len(g.Statistics) > 0 || g.NoiseMultiplier != 0 || g.Flip != 0 ||
		g.MaxWords != 0 ||
		g.Threshold != 0 || g.Draws != 0 {
		return errors.New("clip, non_negative, statistics, noise_multiplier, flip, max_words, threshold and draws do " +
			"not belong to objective")
	}
	if err := checkClipping(g.Mechanism, g.Clipping); err != nil {
		return err
	}
	if err := g.checkBound(); err != nil {
		return err
	}
	if err := checkObjective(g.Adjacency, g.Unit); err != nil {
		return err
	}
	if err := checkOnce(g.Mechanism, g.Scheme, g.Releases); err != nil {
		return err
	}
	if !(g.ClaimedEpsilon >= leastEpsilon && g.ClaimedEpsilon <= mostEpsilon) {
		return fmt.Errorf("the ε that objective claims (claimed_epsilon) must be in [2^-20, %v], is %v", mostEpsilon,
			g.ClaimedEpsilon)
	}
	return checkRegularisation(g.Regularisation)
}

// checkRegularisation checks Λ of the objective (1/n)·Σ loss + ½·Λ·|w|².
func checkRegularisation(lambda float64) error {
	if !(lambda >= leastRegularisation && lambda <= mostRegularisation) {
		return fmt.Errorf("regularisation must be in [%v, %v], is %v", leastRegularisation, mostRegularisation, lambda)
	}
	return nil
}

// checkObjective checks that the paper has a theorem for the relation: the number of units is public.
func checkObjective(adjacency, unit string) error {
	if adjacency != ReplaceOne || unit != Document {
		return fmt.Errorf("objective needs adjacency %q and unit %q", ReplaceOne, Document)
	}
	return nil
}

// claimedSteps returns ε in steps, rounded up. The product is exact.
func claimedSteps(epsilon float64) uint64 { return uint64(math.Ceil(epsilon * EpsilonSteps)) }
