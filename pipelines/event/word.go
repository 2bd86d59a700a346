package event

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// checkWord checks that the sensitivity covers the exchange of one word, on the grid. A word adds 1 to one cell of
// counts, so the exchange changes two cells. An increment is a difference of two counts, so the exchange changes four
// cells. See claim.md. A symmetric matrix is refused for Gaussian: its cells off the diagonal count twice in the norm,
// and have less noise.
func (g *Grant) checkWord() error {
	if len(g.Statistics) > 0 {
		return fmt.Errorf("statistics do not belong to unit %s, where a word adds 1 to one cell", Word)
	}
	if g.Mechanism == Gaussian && slices.ContainsFunc(g.Matrices, func(m Matrix) bool { return m.Symmetric }) {
		return fmt.Errorf("unit %s under %s does not go with a symmetric matrix, where a word counts twice off the "+
			"diagonal", Word, Gaussian)
	}
	bound, _ := g.Steps()
	cells := 4.0
	if g.Counts() {
		cells = 2
	}
	perUnit := float64(bound) / g.Clip
	least := math.Ceil(perUnit) // the most steps that a change by 1 can make
	if least != perUnit {
		least++ // products on the two sides of a power of two are rounded differently
	}
	if g.Mechanism == Laplace {
		least *= cells
	} else {
		least *= math.Sqrt(cells)
	}
	if float64(g.Sensitivity(bound)) < least {
		return fmt.Errorf("the exchange of a word moves sums by up to %v times the clip, the sensitivity is %v",
			least/float64(bound), g.Proved)
	}
	return nil
}

// Counts says whether contributions under unit Word are counts: whole numbers, at least 0. Otherwise they are
// increments of counts.
func (g *Grant) Counts() bool { return g.Clip == 1 }

// checkDraws checks the loss of the draws that give one token its topic in a round.
func checkDraws(unit string, loss float64) error {
	if loss != 0 && unit != Word {
		return fmt.Errorf("draws belong to unit %s", Word)
	}
	return CheckDraws(loss)
}

// drawn refuses a charge with draws unless the round before it is charged, with draws of its own. A round's topics
// depend on the draws of all rounds before, so a release costs the draws of those rounds, too. The round before was
// charged under the same rule, so all rounds from the first on are charged. A second release of one round is refused:
// under the same key of estep the draws repeat, and are not independent of the first.
func (t *Tally) drawn(c *Charge) error {
	if c.Attempt > 0 {
		return errors.New("a grant with draws allows one release of a round")
	}
	if c.Round == 1 {
		return nil
	}
	if !t.draws[terms{run: c.Run, dataset: c.Dataset}].has(c.Round - 1) {
		return fmt.Errorf("round %d depends on the draws of all rounds before it, and round %d of run %s is not "+
			"charged: under a grant with draws, each round is released, from round 1 on", c.Round, c.Round-1, c.Run)
	}
	return nil
}
