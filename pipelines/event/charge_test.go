package event

import (
	"strings"
	"testing"
)

func validCharge(round int) *Charge {
	return &Charge{
		Dataset: "d", Run: "r", Round: round, Grant: "g1", Mechanism: Gaussian, Adjacency: AddRemove, Unit: Document,
		Sensitivity: 1 << 20, Scale: 3 << 19, Scheme: schemes()[Poisson],
		Settings: strings.Repeat("5", 64), Release: strings.Repeat("e", 64),
	}
}

// validSelect and validResponse are charges of the mechanisms without rounds.
func validSelect() *Charge {
	c := validCharge(1)
	c.Mechanism, c.Threshold, c.MaxWords, c.Scheme = Select, 5<<20, 16, Scheme{Method: All, Rate: 1, Rounds: 1}
	return c
}

func validResponse() *Charge {
	c := validCharge(1)
	c.Mechanism, c.Adjacency, c.Sensitivity, c.Scale = RandomizedResponse, ReplaceOne, 32, FlipSteps/2
	c.Scheme = Scheme{Method: All, Rate: 1, Rounds: 1}
	return c
}

func TestChargeCheck(t *testing.T) {
	type change = func(*Charge)
	for valid, broken := range map[*Charge]map[string][]change{
		validCharge(1): {
			"unknown mechanism": {func(c *Charge) { c.Mechanism = "cauchy" },
				func(c *Charge) { c.Mechanism = "" }},
			"unknown adjacency":             {func(c *Charge) { c.Adjacency = "one-word" }},
			"unknown unit":                  {func(c *Charge) { c.Unit = "" }},
			"make the population public":    {func(c *Charge) { c.Scheme = schemes()[Fixed] }},
			"round:":                        {func(c *Charge) { c.Round = 0 }},
			"attempt must be 0":             {func(c *Charge) { c.Attempt = 1 }, func(c *Charge) { c.Attempt = -1 }},
			"needs a scale":                 {func(c *Charge) { c.Scale = 0 }, func(c *Charge) { c.Sensitivity = 0 }},
			"mechanism none has neither":    {func(c *Charge) { c.Mechanism = None }},
			"unknown clipping for gaussian": {func(c *Charge) { c.Clipping = "word" }},
			"unknown clipping for laplace": {
				func(c *Charge) { c.Mechanism, c.Clipping = Laplace, ClipUnit },
				func(c *Charge) { c.Mechanism, c.Clipping = Laplace, ClipBatch },
			},
			"belong to select": {
				func(c *Charge) { c.Threshold = 1 }, func(c *Charge) { c.MaxWords = 1 },
				func(c *Charge) { c.MaxWords = -1 },
			},
			"at most 2^62, one is 4611686018427387905": {
				func(c *Charge) { c.Sensitivity = 1<<62 + 1 }, func(c *Charge) { c.Scale = 1<<62 + 1 },
				func(c *Charge) { c.Claimed = 1<<62 + 1 }, func(c *Charge) { c.Threshold = 1<<62 + 1 },
			},
			"one is 18446744073709551615": {func(c *Charge) { c.Scale = 1<<64 - 1 }},
			"sampling rate":               {func(c *Charge) { c.Scheme.Rate = 2 }},
			"": {
				func(*Charge) {},
				func(c *Charge) { c.Mechanism, c.Sensitivity, c.Scale = None, 0, 0 },
				func(c *Charge) { c.Adjacency = ReplaceNull },
				func(c *Charge) { c.Adjacency, c.Scheme = ReplaceNull, schemes()[Fixed] },
				func(c *Charge) { c.Clipping, c.Claimed, c.Attempt = ClipBatch, 1, 2 },
				func(c *Charge) { c.Mechanism, c.Claimed = Laplace, 1 },
				func(c *Charge) { c.Sensitivity, c.Scale, c.Claimed = 1<<62, 1<<62, 1<<62 },
				func(c *Charge) { c.Mechanism, c.Clipping = Laplace, ClipProved },
			},
		},
		validSelect(): {
			"at most 2^62":    {func(c *Charge) { c.Threshold = 1<<62 + 1 }},
			"needs adjacency": {func(c *Charge) { c.Adjacency = ReplaceOne }},
			"most words of a unit": {func(c *Charge) { c.MaxWords = -1 },
				func(c *Charge) { c.MaxWords = MaxWordsLimit + 1 }},
			"needs both":                  {func(c *Charge) { c.MaxWords = 0 }, func(c *Charge) { c.Threshold = 0 }},
			"unknown clipping for select": {func(c *Charge) { c.Clipping = ClipUnit }},
			"claimed_sensitivity":         {func(c *Charge) { c.Claimed = 1 }},
			"releases once": {
				func(c *Charge) { c.Round = 2 }, func(c *Charge) { c.Scheme = schemes()[All] },
				func(c *Charge) { c.Scheme = schemes()[Poisson] },
			},
			"": {func(*Charge) {}, func(c *Charge) { c.Unit, c.Attempt = User, 2 },
				func(c *Charge) { c.Adjacency = ReplaceNull }},
		},
		validResponse(): {
			"needs adjacency": {
				func(c *Charge) { c.Adjacency = AddRemove }, func(c *Charge) { c.Adjacency = ReplaceNull },
				func(c *Charge) { c.Unit = User },
			},
			"at most half of":  {func(c *Charge) { c.Scale++ }},
			"unknown clipping": {func(c *Charge) { c.Clipping = ClipProved }},
			"releases once":    {func(c *Charge) { c.Scheme = schemes()[All] }},
			"belong to select": {func(c *Charge) { c.MaxWords = 16 }},
			"":                 {func(*Charge) {}, func(c *Charge) { c.Scale = 1 }},
		},
	} {
		for rule, changes := range broken {
			for _, change := range changes {
				charge := *valid
				change(&charge)
				expect(t, charge.Check(), rule)
			}
		}
	}
}

func TestNoiseMultiplier(t *testing.T) {
	if got := validCharge(1).NoiseMultiplier(); got != 1.5 {
		t.Errorf("noise multiplier %v, want 1.5", got)
	}
	if got := (&Charge{Mechanism: None}).NoiseMultiplier(); got != 0 {
		t.Errorf("no noise has multiplier %v", got)
	}
}

// TestNoCharge: exact sums are charged under the relation that their sampling allows.
func TestNoCharge(t *testing.T) {
	for method, scheme := range schemes() {
		c := NoCharge(2, User, scheme)
		want := AddRemove
		if method == Fixed {
			want = ReplaceOne
		}
		if c.Adjacency != want || c.Mechanism != None || c.Round != 2 || c.Unit != User || c.Scheme != scheme {
			t.Errorf("%s: charge %+v", method, c)
		}
		expect(t, c.Check(), "")
	}
}
