package plan

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/account/internal/accountant"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/scheme"
	"privpipe/pipelines/testkit"
)

// planned makes a plan of random numbers in [0, 1): ε from 1e-9 to 100, δ from 1e-12 to 0.1, a mechanism with its
// units, and the number to solve for. By pld, and for a rate, ε is at least low: with less, a solution takes seconds.
func planned(random *rand.Rand, low float64) *Flags {
	between := func(low, high float64) float64 { return low * math.Pow(high/low, random.Float64()) }
	rounds := int(between(1, 100))
	c := &Flags{Budget: Budget{Epsilon: between(1e-9, 100), Delta: between(1e-12, 0.1),
		Accountant: []string{"pld", "renyi", "renyi", "renyi"}[random.IntN(4)]},
		Mechanism: event.Gaussian, Neighbours: Neighbours{Unit: event.Document}}
	if c.Accountant == "pld" {
		c.Epsilon = max(c.Epsilon, low, 1e-3)
	}
	switch random.IntN(6) {
	case 0:
		c.Mechanism, c.All = event.Laplace, true
	case 1:
		c.Mechanism, c.MaxWords = event.RandomizedResponse, 1+random.IntN(30)
		return c
	case 2:
		c.Mechanism, c.MaxWords = event.Select, 1+random.IntN(300)
		return c
	case 3:
		c.Fixed = scheme.Units{Size: uint64(1 + random.IntN(99)), Of: 100}
	case 4:
		c.Poisson = new(between(1e-4, 0.9))
	default:
		c.All = true
	}
	noise := between(0.5, 1e4)
	switch random.IntN(4) {
	case 0:
		c.Solve, c.NoiseMultiplier = "rounds", &noise
	case 1:
		if c.Mechanism == event.Gaussian {
			c.Solve, c.NoiseMultiplier, c.Rounds = "rate", &noise, &rounds
			c.Epsilon = max(c.Epsilon, low)
			c.Sampled = scheme.Sampled{}
		}
	default:
		c.Rounds = &rounds
	}
	return c
}

// TestSolvedIsWithin: what a plan solves for, read again from its grant, is within the budget to the last digit; and
// where nothing is, the exit code says that it is refused.
func TestSolvedIsWithin(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	solved := 0
	tried := testkit.Repeats(t, "accounting", 25, 200)
	low := 0.
	if tried < 200 {
		low = 0.1
	}
	for range tried {
		c := planned(random, low)
		if err := c.Validate(); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		problem, err := c.problem(t.Context(), c.grant())
		if err != nil {
			t.Fatal(err)
		}
		grant, err := problem.Solve()
		if err != nil {
			// A given threshold or rate may be at fault, which is a matter of usage.
			if code := exit.Code(err); code != exit.Refused && code != exit.Usage {
				t.Errorf("%+v: exit code %d: %v", c, code, err)
			}
			continue
		}
		text, err := json.Marshal(grant)
		again := new(event.Grant)
		if err = errors.Join(err, json.Unmarshal(text, again), again.Check()); err != nil {
			t.Fatalf("%+v: %s: %v", c, text, err)
		}
		nothing, err := accountant.Compose(nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := nothing.Plan(again)
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.accountant().Upper(list)
		if err != nil {
			t.Fatal(err)
		}
		if epsilon, err := p.Epsilon(c.Delta); !(epsilon <= c.Epsilon) || err != nil {
			t.Errorf("%+v: ε %v of %s (%v)", c, epsilon, text, err)
		}
		solved++
	}
	if solved < tried*2/5 {
		t.Errorf("%d of %d plans are solved", solved, tried)
	}
}
