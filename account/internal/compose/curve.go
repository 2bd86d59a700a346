package compose

import (
	"maps"
	"math"
	"slices"
	"strings"

	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// Loss returns what all charges cost.
func (c *Composition) Loss() renyi.Loss {
	loss := c.loss
	loss.Curve = c.curve(c.all())
	return loss
}

// Plan returns the loss of the composition and of the charges that all releases of a grant will make, in the very
// numbers of the grid. Where the grant leaves the sensitivity to the vocabulary it counts the most: all words of two
// documents differ.
func (c *Composition) Plan(g *event.Grant) (renyi.Loss, error) {
	if err := c.fits(g.Adjacency, g.Unit); err != nil {
		return renyi.Loss{}, err
	}
	charge := g.Charge(1, g.Scheme)
	if g.Mechanism == event.RandomizedResponse {
		charge.Sensitivity = 2 * uint64(g.MaxWords)
	}
	if charge.Scheme.Method == event.Allocate {
		charge.Scheme.Coins = "planned" // the throw will have a name: the privatizer refuses one without
	}
	planned, err := New([]*event.Charge{charge})
	if err != nil {
		return renyi.Loss{}, err
	}
	kinds := maps.Clone(c.all())
	for name, one := range planned.all() {
		if !g.Scheme.Disjoint() { // of rounds without a common unit one counts
			one.count *= g.Releases
		}
		if before, ok := kinds[name]; ok {
			one = kind{before.curve, before.count + one.count}
		}
		kinds[name] = one
	}
	return renyi.Loss{
		Curve: c.curve(kinds), Failure: c.loss.Failure + planned.loss.Failure, Excess: c.loss.Excess + planned.loss.Excess,
	}, nil
}

// curve returns the sum over kinds, in one order, so that a plan and the report behind it give the same digits.
func (c *Composition) curve(kinds map[string]kind) renyi.Curve {
	if c.None {
		return func(float64) float64 { return math.Inf(1) }
	}
	var ordered []kind
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		ordered = append(ordered, kinds[name])
	}
	return renyi.Remember(func(alpha float64) float64 {
		sum := 0.0
		for _, k := range ordered {
			sum += float64(k.count) * k.curve(alpha)
		}
		return sum
	})
}

// all returns the kinds of all charges by their names.
func (c *Composition) all() map[string]kind {
	if c.kinds != nil {
		return c.kinds
	}
	c.kinds = make(map[string]kind)
	count := func(n int, name string, curve renyi.Curve) {
		k, ok := c.kinds[name]
		if !ok {
			k.curve = renyi.Remember(curve)
		}
		c.kinds[name] = kind{k.curve, k.count + n}
	}
	for n, times := range c.alone {
		name, curve := joint(1, []noise{n})
		count(times, name, curve)
	}
	for b, noises := range c.batches {
		name, curve := joint(c.rates[b], noises)
		count(1, name, curve)
	}
	for _, rounds := range c.disjoint {
		name, curve := worst(rounds)
		count(1, name, curve)
	}
	return c.kinds
}

// worst returns the curve of rounds of one throw, and its name.
//
// The rounds are disjoint: whatever the throw, a unit is in one of them, so its addition or removal changes what is
// released of one round only, and ρ is the largest of theirs, at each order (parallel composition; for a secret throw,
// Rényi divergence is quasi-convex and the bound holds for each throw). What is released of one round adds up.
func worst(rounds map[int][]noise) (string, renyi.Curve) {
	curves := make(map[string]renyi.Curve)
	for _, noises := range rounds {
		name, curve := joint(1, noises)
		curves[name] = curve
	}
	names := slices.Sorted(maps.Keys(curves))
	return "one of " + strings.Join(names, ", "), func(alpha float64) float64 {
		most := 0.0
		for _, name := range names {
			most = max(most, curves[name](alpha))
		}
		return most
	}
}
