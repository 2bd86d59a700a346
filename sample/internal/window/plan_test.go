package window

import (
	"math"
	"testing"
	"time"
)

func TestPlanOf(t *testing.T) {
	p := Plan{Start: noon, Length: time.Hour, Rounds: 3, Grace: time.Minute}
	for at, want := range map[time.Duration]int{
		-1: 0, -100 * 365 * 24 * time.Hour: 0, 0: 1, time.Hour - 1: 1, time.Hour: 2, 3*time.Hour - 1: 3,
		3 * time.Hour: 4,
		math.MaxInt64: 4,
	} {
		if got := p.Of(noon.Add(at)); got != want {
			t.Errorf("%v: got window %d, want %d", at, got, want)
		}
	}
	if got := p.Of(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)); got != 4 {
		t.Errorf("got window %d, want 4", got)
	}
	if got := p.over(2); got != noon.Add(2*time.Hour+time.Minute) {
		t.Errorf("window 2 is over at %v", got)
	}
}

func TestPlanAt(t *testing.T) {
	zone := time.FixedZone("", 5400)
	for _, c := range []struct {
		now    time.Time
		length time.Duration
		want   time.Time
	}{
		{noon, time.Hour, noon},
		{noon.Add(1), time.Hour, noon.Add(time.Hour)},
		{noon.In(zone), time.Hour, noon},
		{noon.Add(time.Minute), 24 * time.Hour, noon.Add(12 * time.Hour)},
		{noon.Add(time.Minute), 200 * time.Millisecond, noon.Add(time.Minute)},
	} {
		if got := (Plan{Length: c.length}).At(c.now).Start; got != c.want {
			t.Errorf("%v from %v: got %v, want %v", c.length, c.now, got, c.want)
		}
	}
	if got := (Plan{Start: noon, Length: time.Hour}).At(noon.Add(9 * time.Hour)).Start; got != noon {
		t.Errorf("got %v, want the start that was given", got)
	}
}

func TestPlanCheck(t *testing.T) {
	for _, c := range []struct {
		plan Plan
		ok   bool
	}{
		{Plan{Length: time.Hour, Rounds: 9, Grace: time.Minute}, true},
		{Plan{Length: 1, Rounds: 1 << 31, Grace: 0}, true},
		{Plan{Length: time.Hour, Rounds: 2562047, Grace: time.Hour}, true}, // 2^63 ns are 2562047.8 hours
		{Plan{Length: time.Hour, Rounds: 2562048}, false},
		{Plan{Length: 0, Rounds: 9}, false},
		{Plan{Length: -time.Hour, Rounds: 9}, false},
		{Plan{Length: time.Hour, Rounds: 9, Grace: -1}, false},
		{Plan{Length: time.Hour, Rounds: 9, Grace: time.Hour + 1}, false},
	} {
		if err := c.plan.Check(); (err == nil) != c.ok {
			t.Errorf("%+v: got %v", c.plan, err)
		}
	}
}
