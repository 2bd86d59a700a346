// Package compose turns the charges of a ledger into the Rényi curve of all of them together.
package compose

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// A Composition is the loss of all charges of a ledger.
type Composition struct {
	Adjacency, Unit string // what all charges state
	Releases        int
	None            bool // a release without noise: no guarantee

	terms map[term]int // how many charges of each kind: their losses add up
	// Rounds of one throw, each unit in one of them: only the worst counts. Charges of one round of it add up.
	disjoint map[throw]map[int][]float64
}

// term is a kind of charge.
type term struct {
	rate       float64 // by which sampling amplifies; 1: it does not
	multiplier float64 // noise over sensitivity
}

// throw names rounds that share no unit.
type throw struct {
	dataset, run, grant string
	scheme              event.Scheme
}

// New returns the composition of charges. It refuses those that it cannot compose soundly: of different neighbouring
// relations or units.
func New(charges []*event.Charge) (*Composition, error) {
	c := &Composition{terms: make(map[term]int), disjoint: make(map[throw]map[int][]float64)}
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
	if charge.Scheme.Disjoint() {
		t := throw{charge.Dataset, charge.Run, charge.Grant, charge.Scheme}
		if c.disjoint[t] == nil {
			c.disjoint[t] = make(map[int][]float64)
		}
		c.disjoint[t][charge.Round] = append(c.disjoint[t][charge.Round], charge.NoiseMultiplier())
		return nil
	}
	c.terms[term{Rate(charge.Scheme, charge.Adjacency), charge.NoiseMultiplier()}]++
	return nil
}

// Plan adds the charges that all releases of a grant would make with a noise multiplier.
func (c *Composition) Plan(g *event.Grant, multiplier float64) error {
	if err := c.take(g.Adjacency, g.Unit, g.Releases); err != nil {
		return err
	}
	kind := term{Rate(g.Scheme, g.Adjacency), multiplier / float64(event.SensitivityFactor(g.Adjacency))}
	if g.Scheme.Disjoint() {
		c.terms[kind]++ // of rounds without a common unit one counts
	} else {
		c.terms[kind] += g.Releases
	}
	return nil
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
	return func(alpha float64) float64 {
		if c.None {
			return math.Inf(1)
		}
		sum := 0.0
		for t, count := range c.terms {
			sum += float64(count) * renyi.PoissonGaussian(t.rate, t.multiplier, alpha)
		}
		for _, rounds := range c.disjoint {
			worst := 0.0
			for _, multipliers := range rounds {
				loss := 0.0
				for _, m := range multipliers {
					loss += renyi.PoissonGaussian(1, m, alpha)
				}
				worst = max(worst, loss)
			}
			sum += worst
		}
		return sum
	}
}
