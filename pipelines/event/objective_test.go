package event

import (
	"math"
	"testing"
)

// objectiveGrant is a valid grant for Objective.
func objectiveGrant() *Grant {
	g := validGrant()
	g.Version, g.Mechanism, g.Adjacency, g.Clipping, g.Claim = 3, Objective, ReplaceOne, ClipUnbounded, PaperClaim
	g.Clip, g.NoiseMultiplier, g.Budget, g.Model, g.Matrices = 0, 0, Budget{}, "", nil
	g.Regularisation, g.ClaimedEpsilon = 1e-4, 1
	g.Scheme, g.Releases = Scheme{Method: All, Rate: 1, Rounds: 1}, 1
	return g
}

func objectiveCharge() *Charge {
	c := validCharge(1)
	c.Mechanism, c.Adjacency, c.Clipping, c.Scheme = Objective, ReplaceOne, ClipUnbounded,
		Scheme{Method: All, Rate: 1, Rounds: 1}
	c.Sensitivity, c.Scale, c.Claimed = 0, EpsilonSteps, EpsilonSteps/2
	return c
}

// TestObjectiveGrant breaks one rule each of a grant for Objective.
func TestObjectiveGrant(t *testing.T) {
	nan := math.NaN()
	for rule, changes := range map[string][]func(*Grant){
		"": {
			func(*Grant) {}, func(g *Grant) { g.ClaimedEpsilon, g.Regularisation = 0x1p-20, 1e-12 },
			func(g *Grant) { g.ClaimedEpsilon, g.Regularisation = 512, 1e6 },
		},
		"do not belong to objective": {
			func(g *Grant) { g.Clip = 1 }, func(g *Grant) { g.NonNegative = true },
			func(g *Grant) { g.NoiseMultiplier = 1 },
			func(g *Grant) { g.Flip = 0.5 }, func(g *Grant) { g.MaxWords = 1 }, func(g *Grant) { g.Threshold = 1 },
			func(g *Grant) { g.Draws = 1 }, func(g *Grant) { g.Statistics = []Statistic{{"topics", 1}} },
			func(g *Grant) { g.Model = "blr" },
			func(g *Grant) { g.Matrices = []Matrix{{Name: "m", Rows: 1, Columns: 1}} },
		},
		"unknown clipping for objective": {func(g *Grant) { g.Clipping = "" },
			func(g *Grant) { g.Clipping = ClipProved }},
		`it needs claim "paper"`: {func(g *Grant) { g.Claim = "" }, func(g *Grant) { g.Cost = 1 },
			func(g *Grant) { g.Proved = 1 }, func(g *Grant) { g.Budget.Epsilon, g.Budget.Delta = 1, 1e-6 }},
		"needs adjacency": {func(g *Grant) { g.Adjacency = AddRemove }, func(g *Grant) { g.Unit = User },
			func(g *Grant) { g.Unit = Word }},
		"releases once": {func(g *Grant) { g.Releases = 2 },
			func(g *Grant) { g.Scheme = schemes()[All] }, func(g *Grant) { g.Scheme = schemes()[Poisson] }},
		"(claimed_epsilon) must be in": {func(g *Grant) { g.ClaimedEpsilon = 0 },
			func(g *Grant) { g.ClaimedEpsilon = nan }, func(g *Grant) { g.ClaimedEpsilon = 512.1 }},
		"regularisation must be in": {func(g *Grant) { g.Regularisation = 0 },
			func(g *Grant) { g.Regularisation = nan }, func(g *Grant) { g.Regularisation = 1e-13 },
			func(g *Grant) { g.Regularisation = 1.1e6 }},
		"a grant of version 2": {func(g *Grant) { g.Version = 2 }},
		"belong to gaussian": {func(g *Grant) { *g = *unboundedGrant(); g.Regularisation = 1 },
			func(g *Grant) { *g = *unboundedGrant(); g.ClaimedEpsilon = 1 }},
	} {
		for _, change := range changes {
			g := objectiveGrant()
			change(g)
			expect(t, g.Check(), rule)
		}
	}
	g := objectiveGrant()
	expect(t, g.Usable(), "")
	g.Vocabulary, g.VocabularySize = "", 0
	expect(t, g.Usable(), "names no vocabulary")
}

// TestObjectiveCharge breaks one rule each in a charge by Objective. Such a charge must have a claim and must not state
// a bound.
func TestObjectiveCharge(t *testing.T) {
	for rule, changes := range map[string][]func(*Charge){
		"":                            {func(*Charge) {}, func(c *Charge) { c.Claimed = 1 << 41 }},
		"a sensitivity unless":        {func(c *Charge) { c.Sensitivity = 1 }, func(c *Charge) { c.Scale = 0 }},
		"needs a claimed_sensitivity": {func(c *Charge) { c.Claimed = 0 }},
		"unknown clipping for objective": {func(c *Charge) { c.Clipping = "" },
			func(c *Charge) { c.Clipping = ClipUnit }},
		"needs adjacency":            {func(c *Charge) { c.Adjacency = AddRemove }, func(c *Charge) { c.Unit = User }},
		"scale of objective must be": {func(c *Charge) { c.Scale++ }},
		"releases once":              {func(c *Charge) { c.Round = 2 }, func(c *Charge) { c.Scheme = schemes()[All] }},
		"draws belong to":            {func(c *Charge) { c.Draws = 1 }},
		"belong to select":           {func(c *Charge) { c.MaxWords = 1 }},
	} {
		for _, change := range changes {
			c := objectiveCharge()
			change(c)
			expect(t, c.Check(), rule)
		}
	}
}

// TestChargeOfObjective: the claimed ε is rounded up to steps, and no sensitivity is stated.
func TestChargeOfObjective(t *testing.T) {
	for epsilon, want := range map[float64]uint64{
		// ⌈2^32/10⌉
		1: 1 << 32, .5: 1 << 31, 512: 1 << 41, 0x1p-20: 1 << 12, math.Nextafter(1, 2): 1<<32 + 1, .1: 429496730,
	} {
		g := objectiveGrant()
		g.ClaimedEpsilon = epsilon
		c := g.Charge(1, g.Scheme)
		if c.Claimed != want || c.Scale != EpsilonSteps || c.Sensitivity != 0 || c.Clipping != ClipUnbounded ||
			c.NoiseMultiplier() != 0 {
			t.Errorf("ε %v: charge %+v", epsilon, c)
		}
	}
}
