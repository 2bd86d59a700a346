package window

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"privpipe/pipelines/wire"
)

// crashAt ends a life when a window was returned, before or after it is done.
func crashAt(window int, done bool) func(*State, *Batch) error {
	return func(s *State, b *Batch) error {
		if b.Window != window {
			return s.Done(b.Window)
		}
		if done {
			if err := s.Done(b.Window); err != nil {
				return err
			}
		}
		return errCrash
	}
}

// TestRestart: a run that is started again goes on with the first window that was not done. One that was begun is
// written again with the very documents, late ones among them, that it had.
func TestRestart(t *testing.T) {
	documents := append(live("a b", 10*m, h+10*m), delivery{id: "late", arrived: 20 * m, at: h + 30*m})
	documents = append(documents, live("c", 2*h+10*m)...)
	again := slices.Clone(documents)
	slices.SortFunc(again, func(a, b delivery) int { return int(a.arrived - b.arrived) })
	for done, lines := range map[bool][]string{
		false: {"2h10m0s: 2 b late", "3h1m0s: 3 c"}, // as c comes
		true:  {"3h1m0s: 3 c"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLife(t, hourly(3), documents)
			l.each = crashAt(2, done)
			got, _ := l.run()
			want(t, got, "1h1m0s: 1 a", "2h1m0s: 2 b late")
			time.Sleep(8*m + 30*s)
			l.sources, l.each = [][]delivery{again}, crashAt(0, false)
			got, w := l.run()
			want(t, got, lines...)
			if repeated := map[bool]uint64{false: 1, true: 3}[done]; w.Repeated != repeated {
				t.Errorf("got %d repeated, want %d", w.Repeated, repeated)
			}
		})
	}
}

// TestLeftOut: a window was begun, and not all of its documents come again. The window is left out, and so are its
// units for good. What came for later windows counts there.
func TestLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t, hourly(3), live("a b c", 10*m, 20*m, h+10*m))
		l.each = crashAt(1, false)
		got, _ := l.run()
		want(t, got, "1h1m0s: 1 a b")
		l.sources = [][]delivery{append(live("b new c", 20*m, 30*m, h+10*m), live("a", 2*h+10*m)...)}
		l.each = crashAt(0, false)
		got, w := l.run()
		want(t, got, "1h2m0s: 1 left out", "2h1m0s: 2 c new", "3h1m0s: 3")
		if w.Late != 1 || w.Repeated != 1 {
			t.Errorf("got %d late and %d repeated, want 1 and 1", w.Late, w.Repeated)
		}
	})
}

// TestAgainWithSharedIDs: a document that comes first after a restart, and has the id of one that a begun window holds,
// takes no part in it: neither that of a user who was in an earlier window, nor that of a new one.
func TestAgainWithSharedIDs(t *testing.T) {
	for user, lines := range map[string][]string{
		"vic": {"2h2m0s: 2 mal/x", "3h1m0s: 3 nan/z"},
		"new": {"2h2m0s: 2 mal/x", "3h1m0s: 3 nan/z new/x"}, // it comes late
		"":    {"2h2m0s: 2 mal/x", "3h1m0s: 3 nan/z x"},
	} {
		synctest.Test(t, func(t *testing.T) {
			documents := []delivery{
				{"v1", "vic", 10 * m, 10 * m}, {"x", "mal", h + 10*m, h + 10*m}, {"z", "nan", 2*h + 10*m, 2*h + 10*m},
			}
			l := newLife(t, hourly(3), documents)
			l.unit, l.each = wire.Unit_USER, crashAt(2, false)
			got, _ := l.run()
			want(t, got, "1h1m0s: 1 vic/v1", "2h1m0s: 2 mal/x")
			l.sources[0] = append([]delivery{{"x", user, h + 5*m, h + 5*m}}, documents...)
			l.each = crashAt(0, false)
			got, _ = l.run()
			want(t, got, lines...)
		})
	}
}

// TestEmptyWindowAgain: a window that was begun without units takes none when it is written again.
func TestEmptyWindowAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t, hourly(2), live("a", h+10*m))
		l.each = crashAt(1, false)
		got, _ := l.run()
		want(t, got, "1h1m0s: 1")
		l.sources[0], l.each = append(live("late", 10*m), l.sources[0]...), crashAt(0, false)
		got, _ = l.run()
		want(t, got, "1h2m0s: 1", "2h1m0s: 2 a late")
	})
}

// FuzzLives kills runs at random and starts them again with all documents delivered again. Whatever comes when: a unit
// is in one window, and a window that is written again is the same. If documents come in time, a unit is in the window
// that the first of its documents arrived in, with all its documents of that window, so that nothing depends on any
// other unit: users have ids in common, too.
func FuzzLives(f *testing.F) {
	for seed := range uint64(100) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			l := newLife(t, hourly(1+random.IntN(5)))
			l.unit = wire.Unit_DOCUMENT + wire.Unit(random.IntN(2))
			inTime := random.IntN(2) == 0
			l.tells = random.IntN(2) == 0
			l.sources = randomSources(random, inTime)
			windows := make(map[int]string)
			for lives := 0; ; lives++ {
				crashes := random.IntN(2*l.plan.Rounds) + lives/4
				l.each = func(s *State, b *Batch) error { return crashAt(crashes, random.IntN(2) == 0)(s, b) }
				if l.ends = 0; random.IntN(3) == 0 && crashes > l.plan.Rounds {
					l.ends = 24 * h
				}
				lines, _ := l.run()
				for _, line := range lines {
					_, batch, _ := strings.Cut(line, ": ")
					number, ids, _ := strings.Cut(batch, " ")
					n, err := strconv.Atoi(number)
					if err != nil {
						t.Fatal(line)
					}
					if before, again := windows[n]; again && before != ids {
						t.Errorf("window %d is first %q, then %q", n, before, ids)
					}
					windows[n] = ids
				}
				if crashes > l.plan.Rounds {
					break
				}
			}
			units, first, names := l.units()
			in := make(map[string]int)
			for n, ids := range windows {
				for unit := range unitsOf(strings.Fields(ids), units) {
					if in[unit] != 0 {
						t.Errorf("unit %s is in the windows %d and %d", unit, in[unit], n)
					}
					in[unit] = n
				}
			}
			for unit, arrived := range first {
				if n := l.plan.Of(l.plan.Start.Add(arrived)); inTime && in[unit] != n%(l.plan.Rounds+1) {
					t.Errorf("unit %s is in window %d, want %d", unit, in[unit], n)
				}
			}
			for n := 1; inTime && n <= l.plan.Rounds; n++ {
				if want := strings.Join(names[n], " "); windows[n] != want {
					t.Errorf("window %d has %q, want %q", n, windows[n], want)
				}
			}
		})
	})
}

// randomSources returns documents in the order that sources hand them over. A source hands its documents over in the
// order of their arrival, or some of them late.
func randomSources(random *rand.Rand, inTime bool) [][]delivery {
	sources := make([][]delivery, 1+random.IntN(3))
	ids := 1 + random.IntN(50)
	for range 1 + random.IntN(40) {
		d := delivery{id: strconv.Itoa(random.IntN(ids)), arrived: time.Duration(random.Int64N(int64(6 * h)))}
		if random.IntN(2) == 0 {
			d.user = strconv.Itoa(random.IntN(5))
		}
		d.at = d.arrived
		if random.IntN(2) == 0 {
			d.at += time.Duration(random.Int64N(int64(m)))
		}
		if !inTime && random.IntN(4) == 0 {
			d.at += time.Duration(random.Int64N(int64(3 * h)))
		}
		i := random.IntN(len(sources))
		sources[i] = append(sources[i], d)
	}
	for _, documents := range sources {
		slices.SortFunc(documents, func(a, b delivery) int {
			if inTime {
				return int(a.arrived - b.arrived)
			}
			return int(a.at - b.at)
		})
	}
	return slices.DeleteFunc(sources, func(documents []delivery) bool { return len(documents) == 0 })
}

// units returns the unit of each document by its name, when the first document of each unit arrived, and the names of
// the documents of each window, in ascending order, if all come in time.
func (l *life) units() (units map[string]string, first map[string]time.Duration, names map[int][]string) {
	units, first, names = make(map[string]string), make(map[string]time.Duration), make(map[int][]string)
	window := func(arrived time.Duration) int { return l.plan.Of(l.plan.Start.Add(arrived)) }
	all := slices.Concat(l.sources...)
	for _, d := range all {
		document := &wire.Document{Id: d.id, User: d.user}
		unit := wire.UnitName(l.unit, document)
		units[nameOf(l.unit, document)] = unit
		if at, ok := first[unit]; !ok || d.arrived < at {
			first[unit] = d.arrived
		}
	}
	for _, d := range all {
		name := nameOf(l.unit, &wire.Document{Id: d.id, User: d.user})
		n := window(d.arrived)
		if n == window(first[units[name]]) && !slices.Contains(names[n], name) {
			names[n] = append(names[n], name)
		}
	}
	for _, of := range names {
		slices.Sort(of)
	}
	return units, first, names
}

func unitsOf(names []string, units map[string]string) map[string]bool {
	of := make(map[string]bool)
	for _, name := range names {
		of[units[name]] = true
	}
	return of
}
