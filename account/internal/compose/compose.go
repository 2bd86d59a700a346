// Package compose turns the charges of a ledger into the Rényi curve of all of them together.
package compose

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// A Composition is the loss of all charges of a ledger.
type Composition struct {
	Adjacency, Unit string // what all charges state
	Releases        int
	None            bool // a release without noise: no guarantee

	terms map[term]int // how many releases of each kind: their losses add up
	// batches are the rounds that sampling amplifies, by their coins: charges of one batch count as one release of all
	// their sums, whatever run or grant they belong to.
	batches map[batch]term
	// Rounds of one throw, each unit in one of them: only the worst counts. Charges of one round of it add up.
	disjoint map[throw]map[int][]float64

	curve renyi.Curve // nil before it is first asked for
}

// term is a kind of charge.
type term struct {
	rate       float64 // by which sampling amplifies; 1: it does not
	multiplier float64 // noise over sensitivity
}

// batch names the units of a round by the coins that chose them; coins without a name are those of all such rounds.
type batch struct {
	scheme event.Scheme
	round  int
}

// throw names rounds that share no unit.
type throw struct {
	dataset, run, grant string
	scheme              event.Scheme
}

// New returns the composition of charges. It refuses those that it cannot compose soundly: of different neighbouring
// relations or units.
func New(charges []*event.Charge) (*Composition, error) {
	c := &Composition{
		terms: make(map[term]int), batches: make(map[batch]term), disjoint: make(map[throw]map[int][]float64),
	}
	for _, charge := range charges {
		if err := c.add(charge); err != nil {
			return nil, fmt.Errorf("charge of round %d of run %s: %w", charge.Round, charge.Run, err)
		}
	}
	return c, nil
}

func (c *Composition) add(charge *event.Charge) error {
	if charge.Mechanism == event.None {
		c.Releases++
		c.None = true
		return nil
	}
	if err := c.take(charge.Adjacency, charge.Unit, 1); err != nil {
		return err
	}
	if s := charge.Scheme; s.Method == event.Epoch || s.Method == event.Allocate && s.Coins != "" {
		t := throw{charge.Dataset, charge.Run, charge.Grant, s}
		if c.disjoint[t] == nil {
			c.disjoint[t] = make(map[int][]float64)
		}
		c.disjoint[t][charge.Round] = append(c.disjoint[t][charge.Round], charge.NoiseMultiplier())
		return nil
	}
	// An allocation without a name may be of several throws: its rounds add up like any others.
	kind := term{Rate(charge.Scheme, charge.Adjacency), charge.NoiseMultiplier()}
	if kind.rate < 1 {
		c.addToBatch(batch{charge.Scheme, charge.Round}, kind)
		return nil
	}
	c.terms[kind]++
	return nil
}

// addToBatch counts a charge of a sampled batch. Two sums over one batch, each divided by its noise, are one sum whose
// squared sensitivity is that of both together. Amplified one by one as if each had coins of its own, they would seem to
// lose less than they do. It holds too where the second sum depends on the first release: given the coin, the moment is
// convex in the ratio of densities of each release, and ratios of normal densities grow in convex order with the shift, so
// from the last release back the worst is a shift by the whole bound.
//
// To take two batches for one, where their coins have no name, only adds to the loss. Let X and Y be 1−q+qL for the ratios
// of densities L of the two releases of a unit that takes part: independent, of mean 1. With one coin the ratio of both is
// XY + (X−1)(Y−1)(1−q)/q, and t^α lies above its tangent at XY, so the moment is at least that of two coins plus
// α·E[X^(α−1)(X−1)]·E[Y^(α−1)(Y−1)]·(1−q)/q. Neither mean is negative, since x^(α−1)(x−1) ≥ x−1.
func (c *Composition) addToBatch(b batch, kind term) {
	if before, again := c.batches[b]; again {
		c.terms[before]--
		kind.multiplier = 1 / math.Hypot(1/before.multiplier, 1/kind.multiplier)
	}
	c.batches[b] = kind
	c.terms[kind]++
}

// Plan returns ρ(α) of the composition and of the charges that all releases of a grant would make with a noise
// multiplier.
func (c *Composition) Plan(g *event.Grant, multiplier float64) (renyi.Curve, error) {
	if err := c.take(g.Adjacency, g.Unit, 0); err != nil {
		return nil, err
	}
	before := c.Curve()
	kind := term{Rate(g.Scheme, g.Adjacency), multiplier / float64(event.SensitivityFactor(g.Adjacency))}
	releases := float64(g.Releases)
	if g.Scheme.Disjoint() {
		releases = 1 // of rounds without a common unit one counts
	}
	return func(alpha float64) float64 {
		return before(alpha) + releases*renyi.PoissonGaussian(kind.rate, kind.multiplier, alpha)
	}, nil
}

// take counts releases of a neighbouring relation and unit, which must be those of all others.
func (c *Composition) take(adjacency, unit string, releases int) error {
	if c.Adjacency == "" {
		c.Adjacency, c.Unit = adjacency, unit
	}
	if adjacency != c.Adjacency || unit != c.Unit {
		return errors.New("a ledger of several neighbouring relations or privacy units cannot be composed")
	}
	c.Releases += releases
	return nil
}

// Rate is the rate by which sampling amplifies under a neighbouring relation, 1 where it does not or where this
// accountant has no theorem for it: coins that are not secret, sampling without replacement, and the exchange of a unit.
func Rate(s event.Scheme, adjacency string) float64 {
	if s.Method == event.Poisson && s.Secret && adjacency == event.AddRemove {
		return s.Rate
	}
	return 1
}

// Curve returns ρ(α) of the composition.
//
// Rounds of one throw are disjoint: whatever the throw, a unit is in one of them, so its addition or removal changes one
// release only, and ρ is the largest of theirs (parallel composition; for a secret throw, Rényi divergence is quasi-convex
// and the bound holds for each throw).
func (c *Composition) Curve() renyi.Curve {
	if c.curve != nil {
		return c.curve
	}
	terms := maps.Clone(c.terms)
	for _, rounds := range c.disjoint {
		terms[term{1, leastMultiplier(rounds)}]++
	}
	// In one order, so that the same ledger gives the same digits.
	kinds := slices.SortedFunc(maps.Keys(terms), func(a, b term) int {
		return cmp.Or(cmp.Compare(a.rate, b.rate), cmp.Compare(a.multiplier, b.multiplier))
	})
	c.curve = renyi.Remember(func(alpha float64) float64 {
		if c.None {
			return math.Inf(1)
		}
		sum := 0.0
		for _, kind := range kinds {
			if count := terms[kind]; count > 0 {
				sum += float64(count) * renyi.PoissonGaussian(kind.rate, kind.multiplier, alpha)
			}
		}
		return sum
	})
	return c.curve
}

// leastMultiplier is that of the worst of disjoint rounds. Charges of a round count as one of all their sums: the squares
// of sensitivity over noise add up.
func leastMultiplier(rounds map[int][]float64) float64 {
	worst := 0.0
	for _, multipliers := range rounds {
		squares := 0.0
		for _, m := range multipliers {
			squares += 1 / (m * m)
		}
		worst = max(worst, squares)
	}
	return 1 / math.Sqrt(worst)
}
