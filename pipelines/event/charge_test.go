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

func TestChargeCheck(t *testing.T) {
	for _, c := range []struct {
		rule   string // "" for a valid charge
		change func(*Charge)
	}{
		{"", func(c *Charge) {}},
		{"", func(c *Charge) { c.Mechanism, c.Sensitivity, c.Scale = None, 0, 0 }},
		{"unknown mechanism", func(c *Charge) { c.Mechanism = "laplace" }},
		{"unknown adjacency", func(c *Charge) { c.Adjacency = "one-word" }},
		{"unknown unit", func(c *Charge) { c.Unit = "" }},
		{"makes the population public", func(c *Charge) { c.Scheme = schemes()[Fixed] }},
		{"round:", func(c *Charge) { c.Round = 0 }},
		{"needs a scale", func(c *Charge) { c.Scale = 0 }},
		{"needs a scale", func(c *Charge) { c.Sensitivity = 0 }},
		{"none has neither", func(c *Charge) { c.Mechanism = None }},
		{"sampling rate", func(c *Charge) { c.Scheme.Rate = 2 }},
	} {
		charge := validCharge(1)
		c.change(charge)
		expect(t, charge.Check(), c.rule)
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
