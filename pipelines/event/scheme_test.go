package event

import (
	"math"
	"strings"
	"testing"
)

// schemes has a valid scheme of each method.
func schemes() map[string]Scheme {
	return map[string]Scheme{
		All:      {Method: All, Rate: 1, Rounds: 8},
		Poisson:  {Method: Poisson, Rate: 0.25, Rounds: 8, Secret: true, Coins: "c1"},
		Fixed:    {Method: Fixed, Rate: 0.25, Size: 5, Population: 20, Rounds: 8, Secret: true},
		Allocate: {Method: Allocate, Rate: 0.125, Rounds: 8, Secret: true, Coins: "a1"},
		Epoch:    {Method: Epoch, Rate: 0.125, Rounds: 8},
	}
}

func TestSchemeCheck(t *testing.T) {
	for _, s := range schemes() {
		expect(t, s.Check(), "")
	}
	for _, c := range []struct {
		method string
		change func(*Scheme)
		rule   string
	}{
		{Poisson, func(s *Scheme) { s.Rate = 0 }, "sampling rate"},
		{Poisson, func(s *Scheme) { s.Rate = math.NaN() }, "sampling rate"},
		{Poisson, func(s *Scheme) { s.Rounds = 0 }, "number of rounds"},
		{Poisson, func(s *Scheme) { s.Size = 1 }, "fixed-size sampling only"},
		{Poisson, func(s *Scheme) { s.Population = 1 }, "fixed-size sampling only"},
		{All, func(s *Scheme) { s.Coins = "a1" }, "throws none"},
		{Poisson, func(s *Scheme) { s.Method = "Poisson" }, "unknown sampling method"},
		{Poisson, func(s *Scheme) { s.Method = "" }, "unknown sampling method"},
		{All, func(s *Scheme) { s.Rate = 0.5 }, "rate must be 1"},
		{Fixed, func(s *Scheme) { s.Size = 0 }, "size of a round"},
		{Fixed, func(s *Scheme) { s.Size = 21 }, "size of a round"},
		{Fixed, func(s *Scheme) { s.Rate = 0.3 }, "not size over population"},
		{Allocate, func(s *Scheme) { s.Rounds = 7 }, "not one over"},
		{Allocate, func(s *Scheme) { s.Coins = strings.Repeat("a", 65) }, "more than 64"},
		{Epoch, func(s *Scheme) { s.Rate = 0.5 }, "not one over"},
		{Epoch, func(s *Scheme) { s.Coins = "state" }, ""}, // by windows
		{Allocate, func(s *Scheme) { s.Epochs, s.Rate = 4, 0.5 }, ""},
		{Allocate, func(s *Scheme) { s.Epochs, s.Rate = 8, 1 }, ""},
		{Allocate, func(s *Scheme) { s.Epochs = 4 }, "not one over"}, // over all rounds
		{Allocate, func(s *Scheme) { s.Epochs = 1 }, "at least 2"},
		{Allocate, func(s *Scheme) { s.Epochs = -8 }, "at least 2"},
		{Allocate, func(s *Scheme) { s.Epochs = 3 }, "divide the 8 rounds"},
		{Allocate, func(s *Scheme) { s.Epochs = 16 }, "divide the 8 rounds"},
		// the same hash each time
		{Epoch, func(s *Scheme) { s.Epochs, s.Rate = 4, 0.5 }, "epochs belong to allocate only"},
		{Poisson, func(s *Scheme) { s.Epochs = 4 }, "epochs belong to allocate only"},
	} {
		s := schemes()[c.method]
		c.change(&s)
		expect(t, s.Check(), c.rule)
	}
}

// TestSchemeSame: of a grant's scheme a round may change the name of the throw, and nothing else.
func TestSchemeSame(t *testing.T) {
	planned := schemes()[Allocate]
	planned.Coins = ""
	if thrown := schemes()[Allocate]; !thrown.Same(planned) {
		t.Error("a throw of the planned allocation is not the same")
	}
	for name, change := range map[string]func(*Scheme){
		"method": func(s *Scheme) { s.Method = Epoch }, "rate": func(s *Scheme) { s.Rate = 0.5 },
		"size": func(s *Scheme) { s.Size = 1 }, "population": func(s *Scheme) { s.Population = 1 },
		"rounds": func(s *Scheme) { s.Rounds++ }, "epochs": func(s *Scheme) { s.Epochs = 2 },
		"secret": func(s *Scheme) { s.Secret = false },
	} {
		s := schemes()[Allocate]
		change(&s)
		if s.Same(planned) {
			t.Errorf("a scheme of another %s is the same", name)
		}
	}
}

// TestEpochs: rounds of an epoch follow one another.
func TestEpochs(t *testing.T) {
	once, twice := schemes()[Allocate], schemes()[Allocate]
	twice.Epochs, twice.Rate = 2, 0.25
	if once.EpochRounds() != 8 || twice.EpochRounds() != 4 {
		t.Errorf("%d and %d rounds of an epoch, want 8 and 4", once.EpochRounds(), twice.EpochRounds())
	}
	for i, want := range []int{0, 0, 0, 0, 1, 1, 1, 1} {
		if got := twice.EpochOf(i + 1); got != want || once.EpochOf(i+1) != 0 {
			t.Errorf("round %d is of epochs %d and %d, want 0 and %d", i+1, once.EpochOf(i+1), got, want)
		}
	}
}

func TestSchemeDisjoint(t *testing.T) {
	for method, s := range schemes() {
		if want := method == Allocate || method == Epoch; s.Disjoint() != want {
			t.Errorf("rounds of %s: disjoint is %v", method, s.Disjoint())
		}
	}
}

// TestSchemeString: whoever reads a message must see that the coins were known.
func TestSchemeString(t *testing.T) {
	for method, want := range map[string]string{
		All: "all × 8", Poisson: "poisson(0.25) × 8", Fixed: "fixed(5/20) × 8", Allocate: "allocate × 8",
		Epoch: "epoch × 8",
	} {
		if got := schemes()[method].String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	epochs := schemes()[Allocate]
	epochs.Epochs = 4
	if got := epochs.String(); got != "allocate × 2 × 4" {
		t.Errorf("epochs: %q", got)
	}
	seeded := schemes()[Poisson]
	seeded.Secret = false
	if got := seeded.String(); got != "poisson(0.25) from a seed × 8" {
		t.Errorf("seeded: %q", got)
	}
}
