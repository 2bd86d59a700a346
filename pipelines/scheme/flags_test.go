package scheme

import (
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
		"", "/", "20/", "/400", "20/0", "-1/4", "1/4/5", "0.5/4", "1 /4", "1/18446744073709551616", "18446744073709551616", "-1",
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
		{Flags{Sampled: Sampled{Poisson: new(0.0)}}, 0, event.Scheme{Method: event.Poisson, Secret: true}}, // refused, not all units
		{Flags{Sampled: Sampled{Fixed: Units{5, 20}}}, 1,
			event.Scheme{Method: event.Fixed, Rate: 0.25, Size: 5, Population: 20, Secret: true}},
		{Flags{Sampled: Sampled{All: true}}, 1, event.Scheme{Method: event.All, Rate: 1}},
		{Flags{}, 0, event.Scheme{Method: event.All, Rate: 1}},
		{Flags{Allocate: true}, 1, event.Scheme{Method: event.Allocate, Rate: 0.25, Secret: true}},
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
