package accountant

import (
	"fmt"
	"math"
	"testing"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
)

// epsilonOf is ε at δ = 1e-6 of charges, by pairs.
func epsilonOf(t *testing.T, charges ...*event.Charge) (upper, lower float64) {
	t.Helper()
	c, err := Compose(charges)
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
	again := append(throwOfFour(4, func(c *event.Charge) { c.Scale *= 2 }),
		throwOfFour(3, func(c *event.Charge) { c.Scale *= 2 })[2])
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
		if math.Abs(upper/c.want-1) > 1e-6 || c.whole != (lower > 0.998*upper && lower <= upper) || !c.whole &&
			lower != 0 {
			t.Errorf("%s: ε from %v to %v, want %v", what, lower, upper, c.want)
		}
	}
}

// epochsOfFour has one charge for each of so many rounds of two epochs, of four rounds each.
func epochsOfFour(rounds int, changes ...func(*event.Charge)) (charges []*event.Charge) {
	scheme := event.Scheme{Method: event.Allocate, Rate: 0.25, Rounds: 8, Epochs: 2, Secret: true, Coins: "throw1"}
	for round := range rounds {
		charges = append(charges, charge(round+1, scheme, 1, changes...))
	}
	return charges
}

// TestAllocatedEpochs: each epoch of a run loses as much as a separate allocation with coins of its own, from its first
// round on. The losses of the epochs add up.
func TestAllocatedEpochs(t *testing.T) {
	other := coins("throw2")
	throws := func(rounds ...int) (charges []*event.Charge) { // of one epoch each, of runs of their own
		for i, n := range rounds {
			charges = append(charges, throwOfFour(n, run(fmt.Sprint("r", i)), coins(fmt.Sprint("throw", i)))...)
		}
		return charges
	}
	laplace := epochsOfFour(8, ofMechanism(event.Laplace))[6]
	loudIn := func(round int) []*event.Charge {
		charges := epochsOfFour(8)
		charges[round-1].Scale *= 5
		return charges
	}
	for what, c := range map[string]struct{ charges, alike []*event.Charge }{
		"one round":               {epochsOfFour(1), throws(1)},
		"one epoch":               {epochsOfFour(4), throws(4)},
		"a round more":            {epochsOfFour(5), throws(4, 1)},
		"both epochs":             {epochsOfFour(8), throws(4, 4)},
		"more noise in the first": {loudIn(2), append(loudIn(2)[:4:4], throws(4)...)},
		"the second epoch only":   {epochsOfFour(8)[4:], throws(4)},
		"a round of each":         {[]*event.Charge{epochsOfFour(3)[2], epochsOfFour(8)[7]}, throws(1, 1)},
		"another grant goes on":   {append(epochsOfFour(6), epochsOfFour(8, grant("h"))[6:]...), throws(4, 4)},
		"two runs of coins each":  {append(epochsOfFour(8), epochsOfFour(8, run("s"), other)...), throws(4, 4, 4, 4)},
		"the second epoch, Laplace": {append(epochsOfFour(8), laplace),
			append(throws(4), append(epochsOfFour(8)[4:], laplace)...)},
	} {
		upper, lower := epsilonOf(t, c.charges...)
		wantUpper, wantLower := epsilonOf(t, c.alike...)
		if math.Abs(upper/wantUpper-1) > 1e-9 || math.Abs(lower-wantLower) > 1e-9 {
			t.Errorf("%s: ε from %v to %v, want %v to %v", what, lower, upper, wantLower, wantUpper)
		}
	}
	one, _ := epsilonOf(t, epochsOfFour(4)...)
	two, _ := epsilonOf(t, epochsOfFour(8)...)
	if !(two > 1.2*one) {
		t.Errorf("one epoch has ε %v, two have %v", one, two)
	}
}

// TestEpochsNotAllocated: where coins take nothing off, each epoch loses what one round does, and two epochs what two
// rounds do.
func TestEpochsNotAllocated(t *testing.T) {
	// of σ 1, 1/√2 and ½ at δ 1e-6 (Balle and Wang 2018, theorem 8)
	const once, twice, four = 4.8865541174, 7.286080966, 10.9971512142
	public := func(c *event.Charge) { c.Scheme.Secret = false }
	exchange := func(c *event.Charge) { c.Adjacency = event.ReplaceOne }
	for what, c := range map[string]struct {
		charges []*event.Charge
		want    float64
	}{
		"a seed, one epoch":     {epochsOfFour(4, public), once},
		"a seed":                {epochsOfFour(8, public), twice},
		"an exchange":           {epochsOfFour(8, exchange), twice},
		"the second epoch only": {epochsOfFour(8, exchange)[4:], once},
		"again in a run":        {append(epochsOfFour(8), epochsOfFour(8, run("s"))...), four},
		// one name, so nothing is known of the coins
		"epochs in two runs": {append(epochsOfFour(4), epochsOfFour(8, run("s"))[4:]...), twice},
	} {
		if upper, _ := epsilonOf(t, c.charges...); math.Abs(upper/c.want-1) > 1e-4 {
			t.Errorf("%s: ε %v, want %v", what, upper, c.want)
		}
	}
}

// TestPlannedEpochs: a grant's plan counts every epoch, as the calculator and the charges of all its rounds do. VIPS'
// setting with one epoch, and a setting with eight, have the ε that package pld finds by integration
// (TestAllocationAsIntegrated).
func TestPlannedEpochs(t *testing.T) {
	for what, c := range map[string]struct {
		noise, delta float64
		scheme       event.Scheme
		least, most  float64
	}{
		"VIPS": {1.24, 1e-4, event.Scheme{Method: event.Allocate, Rate: 0.05, Rounds: 20, Secret: true}, 0.7335,
			0.7337},
		"eight epochs": {4.032, 1e-6,
			event.Scheme{Method: event.Allocate, Rate: 0.1, Rounds: 80, Epochs: 8, Secret: true}, 0.9475, 0.9477},
	} {
		g := &event.Grant{
			Version: event.GrantVersion, ID: "g", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
			Unit: event.Document,
			Clip: 1, NoiseMultiplier: c.noise, Scheme: c.scheme, Releases: c.scheme.Rounds,
		}
		var charges []*event.Charge
		for round := 1; round <= g.Releases; round++ {
			scheme := g.Scheme
			scheme.Coins = "throw"
			charges = append(charges, g.Charge(round, scheme))
		}
		charged, err := Compose(charges)
		if err != nil {
			t.Fatal(err)
		}
		none, err := Compose(nil)
		if err != nil {
			t.Fatal(err)
		}
		planned, err := none.Plan(g)
		if err != nil {
			t.Fatal(err)
		}
		upper := func(l *loss.List) loss.Bound {
			p, err := l.Distribution(pld.Options{Tolerance: 1e-4})
			if err != nil {
				t.Fatal(err)
			}
			bound, err := p.Epsilon(c.delta)
			if err != nil {
				t.Fatal(err)
			}
			return bound
		}
		plan, all := upper(planned), upper(charged.List())
		if plan.Upper != all.Upper || !(all.Lower >= c.least && all.Upper <= c.most) {
			t.Errorf("%s: planned ε %v, charged %v to %v, want %v to %v", what, plan.Upper, all.Lower, all.Upper,
				c.least, c.most)
		}
	}
}

// TestNotAllocated: nothing is taken off where the coins are known, or serve twice, or where no theorem says so: units
// lose what they lose in one round, or in two.
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
		"a seed":      {throwOfFour(4, public), once, false},
		"an exchange": {throwOfFour(4, exchange), once, false},
		"the public epoch": {throwOfFour(4,
			func(c *event.Charge) { c.Scheme.Method, c.Scheme.Secret = event.Epoch, false }), once, false},
		"again in a run":    {both(run("s")), twice, false},
		"again in a data":   {both(func(c *event.Charge) { c.Dataset = "e" }), twice, false},
		"of other numbers":  {both(func(c *event.Charge) { c.Scheme.Rounds, c.Scheme.Rate = 8, 0.125 }), twice, false},
		"of another scheme": {append(throwOfFour(4), charge(9, poissonOfThrow, 50)), once, false},
		"of Laplace, too": {append(throwOfFour(4),
			charge(3, throwOfFour(1)[0].Scheme, 50, ofMechanism(event.Laplace))), once, false},
	} {
		upper, lower := epsilonOf(t, c.charges...)
		if upper < c.least || lower > upper {
			t.Errorf("%s: ε %v, must be at least %v", what, upper, c.least)
		}
		composition, err := Compose(c.charges)
		if err != nil {
			t.Fatal(err)
		}
		if amplified := composition.Amplified(c.charges[0]); amplified != c.amplified {
			t.Errorf("%s: amplified is %v", what, amplified)
		}
	}
}
