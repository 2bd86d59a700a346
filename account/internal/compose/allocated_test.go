package compose

import (
	"math"
	"testing"

	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
)

// epsilonOf is ε at δ = 1e-6 of charges, by pairs.
func epsilonOf(t *testing.T, charges ...*event.Charge) (upper, lower float64) {
	t.Helper()
	c, err := New(charges)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.List().Distribution(pld.Options{Tolerance: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	bound, err := p.Epsilon(1e-6)
	if err != nil {
		t.Fatal(err)
	}
	return bound.Upper, bound.Lower
}

// throwOfFour has one charge for each of so many rounds, of four.
func throwOfFour(rounds int, changes ...func(*event.Charge)) (charges []*event.Charge) {
	scheme := event.Scheme{Method: event.Allocate, Rate: 0.25, Rounds: 4, Secret: true, Coins: "throw1"}
	for round := range rounds {
		charges = append(charges, charge(round+1, scheme, 1, changes...))
	}
	return charges
}

// TestAllocated: rounds of a throw by secret coins lose what the allocation does, from the first round on.
func TestAllocated(t *testing.T) {
	of := func(sigma float64, count int) float64 {
		pair, err := pld.GaussianAllocation(4, sigma)
		if err != nil {
			t.Fatal(err)
		}
		d, err := pld.New([]pld.Event{{Pair: pair, Count: count}}, pld.Options{Tolerance: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		epsilon, _, err := d.Epsilon(1e-6)
		if err != nil {
			t.Fatal(err)
		}
		return epsilon
	}
	want := func(count int) float64 { return of(1, count) }
	again := append(throwOfFour(4, func(c *event.Charge) { c.Scale *= 2 }), throwOfFour(3, func(c *event.Charge) { c.Scale *= 2 })[2])
	for range 2 { // four times of twice the noise are once
		again = append(again, again[4])
	}
	louder := append(throwOfFour(3), charge(4, throwOfFour(1)[0].Scheme, 5)) // a round with more noise is no worse
	for what, c := range map[string]struct {
		charges []*event.Charge
		want    float64
		whole   bool // all rounds, so that there is a lower bound
	}{
		"one round":            {throwOfFour(1), want(1), false},
		"all rounds":           {throwOfFour(4), want(1), true},
		"more noise":           {louder, want(1), false},
		"one round four times": {again, want(1), false},
		"two throws":           {append(throwOfFour(4), throwOfFour(4, run("s"), coins("throw2"))...), want(2), true},
		"by two grants":        {append(throwOfFour(2), throwOfFour(4, grant("h"))[2:]...), want(1), true},
		"twice by two grants":  {append(throwOfFour(4), throwOfFour(4, grant("h"))...), of(1/math.Sqrt2, 1), true},
		"other coins":          {append(throwOfFour(2), throwOfFour(2, coins("throw2"))...), want(2), false},
	} {
		upper, lower := epsilonOf(t, c.charges...)
		if math.Abs(upper/c.want-1) > 1e-6 || c.whole != (lower > 0.998*upper && lower <= upper) || !c.whole && lower != 0 {
			t.Errorf("%s: ε from %v to %v, want %v", what, lower, upper, c.want)
		}
	}
}

// TestNotAllocated: nothing is taken off where the coins are known, or serve twice, or where no theorem says so: units lose what they
// lose in one round, or in two.
func TestNotAllocated(t *testing.T) {
	const once, twice = 4.8865541174, 7.286080966 // of σ 1 and 1/√2 at δ 1e-6 (Balle and Wang 2018, theorem 8)
	exchange := func(c *event.Charge) { c.Adjacency = event.ReplaceOne }
	public := func(c *event.Charge) { c.Scheme.Secret = false }
	both := func(changes ...func(*event.Charge)) []*event.Charge {
		return append(throwOfFour(4), throwOfFour(4, changes...)...)
	}
	poissonOfThrow := poisson(0.1)
	poissonOfThrow.Coins = "throw1"
	for what, c := range map[string]struct {
		charges   []*event.Charge
		least     float64
		amplified bool
	}{
		"a seed":            {throwOfFour(4, public), once, false},
		"an exchange":       {throwOfFour(4, exchange), once, false},
		"the public epoch":  {throwOfFour(4, func(c *event.Charge) { c.Scheme.Method, c.Scheme.Secret = event.Epoch, false }), once, false},
		"again in a run":    {both(run("s")), twice, false},
		"again in a data":   {both(func(c *event.Charge) { c.Dataset = "e" }), twice, false},
		"of other numbers":  {both(func(c *event.Charge) { c.Scheme.Rounds, c.Scheme.Rate = 8, 0.125 }), twice, false},
		"of another scheme": {append(throwOfFour(4), charge(9, poissonOfThrow, 50)), once, false},
		"of Laplace, too":   {append(throwOfFour(4), charge(3, throwOfFour(1)[0].Scheme, 50, ofMechanism(event.Laplace))), once, false},
	} {
		upper, lower := epsilonOf(t, c.charges...)
		if upper < c.least || lower > upper {
			t.Errorf("%s: ε %v, must be at least %v", what, upper, c.least)
		}
		composition, err := New(c.charges)
		if err != nil {
			t.Fatal(err)
		}
		if amplified := composition.Amplified(c.charges[0]); amplified != c.amplified {
			t.Errorf("%s: amplified is %v", what, amplified)
		}
	}
}
