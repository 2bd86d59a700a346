package scheme

import (
	"strings"
	"testing"

	"privpipe/pipelines/event"
)

func TestUnits(t *testing.T) {
	for text, want := range map[string]Units{"20/400": {20, 400}, "20": {Size: 20}, "0/4": {Of: 4}} {
		var u Units
		if err := u.UnmarshalText([]byte(text)); err != nil || u != want {
			t.Errorf("%s is %v, %v", text, u, err)
		}
		if again, err := u.MarshalText(); err != nil || string(again) != text {
			t.Errorf("%s is written as %s, %v", text, again, err)
		}
		if err := u.CheckPopulation(); (err == nil) != (u.Of != 0) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"", "/", "20/", "/400", "20/0", "-1/4", "1/4/5", "0.5/4", "1 /4", "1/18446744073709551616",
		"18446744073709551616", "-1",
	} {
		if err := new(Units).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestScheme: each flag is the scheme of its name, and only coins that are thrown are secret.
func TestScheme(t *testing.T) {
	for _, c := range []struct {
		flags Flags
		given int
		want  event.Scheme
	}{
		{Flags{Sampled: Sampled{Poisson: new(0.1)}}, 1, event.Scheme{Method: event.Poisson, Rate: 0.1, Secret: true}},
		// refused, not all units
		{Flags{Sampled: Sampled{Poisson: new(0.0)}}, 0, event.Scheme{Method: event.Poisson, Secret: true}},
		{Flags{Sampled: Sampled{Fixed: Units{5, 20}}}, 1,
			event.Scheme{Method: event.Fixed, Rate: 0.25, Size: 5, Population: 20, Secret: true}},
		{Flags{Sampled: Sampled{All: true}}, 1, event.Scheme{Method: event.All, Rate: 1}},
		{Flags{}, 0, event.Scheme{Method: event.All, Rate: 1}},
		{Flags{Allocate: true}, 1, event.Scheme{Method: event.Allocate, Rate: 0.25, Secret: true}},
		{Flags{Allocate: true, Epochs: new(1)}, 1, event.Scheme{Method: event.Allocate, Rate: 0.25, Secret: true}},
		{Flags{Epoch: true}, 1, event.Scheme{Method: event.Epoch, Rate: 0.25}},
		{Flags{Sampled: Sampled{All: true}, Epoch: true}, 2, event.Scheme{Method: event.Epoch, Rate: 0.25}},
	} {
		c.want.Rounds = 4
		if got := c.flags.Scheme(4, true); got != c.want || c.flags.Given() != c.given {
			t.Errorf("%+v is %+v, want %+v; %d are given", c.flags, got, c.want, c.flags.Given())
		}
		if got := c.flags.Scheme(4, false); got.Secret {
			t.Errorf("%+v: coins that are known are secret", c.flags)
		}
	}
}

// TestSchemeOfEpochs: rounds are those of an epoch in the flags, and of all epochs in the scheme. A scheme of one epoch
// does not say so.
func TestSchemeOfEpochs(t *testing.T) {
	flags := Flags{Allocate: true, Epochs: new(8)}
	want := event.Scheme{Method: event.Allocate, Rate: 0.1, Rounds: 80, Epochs: 8, Secret: true}
	if got := flags.Scheme(10, true); got != want || got.Check() != nil || flags.AllRounds(10) != 80 {
		t.Errorf("got %+v, %d rounds, want %+v", got, flags.AllRounds(10), want)
	}
}

// TestCheckEpochs: what may be given, and the rule that anything else breaks.
func TestCheckEpochs(t *testing.T) {
	for _, c := range []struct {
		flags  Flags
		rounds int
		rule   string // "" for what may be given
	}{
		{Flags{Allocate: true}, 10, ""},
		{Flags{Allocate: true, Epochs: new(8)}, 10, ""},
		{Flags{Allocate: true, Epochs: new(1 << 20)}, 1 << 11, ""},
		{Flags{Epoch: true, Epochs: new(1)}, 10, ""},
		{Flags{Epoch: true, Epochs: new(2)}, 10, "--epochs belongs to --allocate"},
		{Flags{Allocate: true, Epochs: new(0)}, 10, "--epochs must be in [1, 1e9], is 0"},
		{Flags{Allocate: true, Epochs: new(1_000_000_001)}, 1, "--epochs must be in [1, 1e9], is 1000000001"},
		{Flags{Allocate: true, Epochs: new(1 << 20)}, 1<<11 + 1,
			"--rounds times --epochs must be at most 2147483648, is 2148532224"},
		{Flags{Allocate: true, Epochs: new(2)}, 0, "--rounds: number of rounds must be in [1, 2147483648], is 0"},
		// their product overflows
		{Flags{Allocate: true, Epochs: new(1 << 29)}, 1 << 36, "--rounds: number of rounds must be in"},
	} {
		err := c.flags.CheckEpochs(c.rounds)
		if (err == nil) != (c.rule == "") || err != nil && !strings.Contains(err.Error(), c.rule) {
			t.Errorf("%+v of %d rounds: %v, want %q", c.flags, c.rounds, err, c.rule)
		}
	}
}
