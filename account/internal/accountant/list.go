package accountant

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// noiseOf returns the mechanism that bounds a charge's loss for a unit that is known to take part. It refuses a
// mechanism that has no theorem here.
func noiseOf(c *event.Charge) (loss.Mechanism, error) {
	switch c.Mechanism {
	case event.Laplace:
		return loss.Laplace{Scale: float64(c.Scale), Sensitivity: float64(c.Sensitivity), Discrete: true}, nil
	case event.RandomizedResponse:
		return loss.Pure{Epsilon: bitEpsilon(c.Scale)}, nil
	case event.Objective: // the paper's claim; without it the charge is unbounded, and has no sensitivity
		return loss.Pure{Epsilon: float64(c.Sensitivity) / float64(c.Scale)}, nil
	case event.Gaussian, event.Select: // the threshold of event.Select is post-processing
		g := loss.Gaussian{Noise: float64(c.Scale), Sensitivity: float64(c.Sensitivity), Discrete: true}
		if byExchangedCoin(c) {
			norm, nonNegative, _ := c.ExchangedNorm()
			g.Norm, g.NonNegative = float64(norm), nonNegative
		}
		return g, nil
	}
	return nil, fmt.Errorf("no theorem bounds the loss of mechanism %q", c.Mechanism)
}

// bitEpsilon returns the pure ε of one bit that is reported wrong with probability p = scale/2^32: log((1−p)/p),
// rounded up.
func bitEpsilon(scale uint64) float64 {
	if scale > event.FlipSteps/4 { // the difference is exact
		return math.Log1p(float64(event.FlipSteps-2*scale)/float64(scale)) * (1 + 1e-15)
	}
	return math.Log(float64(event.FlipSteps-scale)/float64(scale)) * (1 + 1e-15)
}

// List returns all charges as releases. All that is released from one batch is one loss.Release.
func (c *Composition) List() *loss.List {
	if c.list != nil {
		return c.list
	}
	c.list = c.unamplified.Clone()
	c.list.Adjacency, c.list.NoNoise = c.Adjacency, c.None
	for b, released := range c.batches {
		e := loss.Release{Released: ordered(released), Count: 1}
		if c.rates[b] < 1 {
			e.Sampling, e.Rate = loss.Poisson, c.rates[b]
			if c.fixed[b] {
				e.Sampling = loss.Fixed
			}
			e.Apart = b.scheme.Rounds > 0 && len(released) > 1
		}
		c.list.Add(e)
	}
	for t, rounds := range c.disjoint {
		e := worst(rounds)
		e.Thrown = c.byOwnCoin(t)
		e.Complete = e.Thrown > 0 && len(rounds) == e.Thrown && e.Instead == nil
		c.list.Add(e)
	}
	return c.list
}

// ordered sorts the mechanisms of one batch, so that the same ledger gives the same digits.
func ordered(released []loss.Mechanism) []loss.Mechanism {
	return slices.SortedFunc(slices.Values(released),
		func(a, b loss.Mechanism) int { return cmp.Compare(a.String(), b.String()) })
}

// worst returns the release that stands for the rounds of one throw. Each unit is in one of the rounds.
func worst(rounds map[int][]loss.Mechanism) loss.Release {
	batches := make(map[string][]loss.Mechanism)
	for _, released := range rounds {
		released = ordered(released)
		batches[loss.Release{Released: released}.Name()] = released
	}
	e := loss.Release{Disjoint: true, Count: 1}
	for i, name := range slices.Sorted(maps.Keys(batches)) {
		if i == 0 {
			e.Released = batches[name]
		} else {
			e.Instead = append(e.Instead, batches[name])
		}
	}
	return e
}

// Plan returns the charges of the composition and the future charges of all releases that a grant allows, on the very
// grid of the releases. If the grant leaves the sensitivity to the vocabulary, Plan counts the most: all words of two
// documents differ.
func (c *Composition) Plan(g *event.Grant) (*loss.List, error) {
	if err := c.fits(g.Adjacency, g.Unit); err != nil {
		return nil, err
	}
	planned, err := OneRelease(g)
	if err != nil {
		return nil, err
	}
	list := c.List().Clone()
	list.Adjacency = g.Adjacency
	list.AddAll(planned.Times(releases(g)))
	return list, nil
}

// After returns the composition of c and of all releases that a grant allows.
func (c *Composition) After(g *event.Grant) (*Composition, error) {
	list, err := c.Plan(g)
	if err != nil {
		return nil, err
	}
	return &Composition{Adjacency: g.Adjacency, Unit: g.Unit, Releases: c.Releases, None: c.None, list: list}, nil
}

// OneRelease returns the list that each release of the grant will be charged.
func OneRelease(g *event.Grant) (*loss.List, error) {
	charge := g.Charge(1, g.Scheme)
	if g.Mechanism == event.RandomizedResponse && g.VocabularySize == 0 && g.ReportWords == 0 {
		charge.Sensitivity = 2 * uint64(g.MaxWords)
	}
	if charge.Scheme.Method == event.Allocate {
		charge.Scheme.Coins = "planned" // the throw will have a name, since the privatizer insists
	}
	planned, err := Compose([]*event.Charge{charge})
	if err != nil {
		return nil, err
	}
	return planned.List(), nil
}

// releases returns how many of the grant's releases count for one unit.
func releases(g *event.Grant) int {
	if g.Scheme.Disjoint() {
		return max(1, g.Scheme.Epochs) // one round of each epoch
	}
	return g.Releases
}
