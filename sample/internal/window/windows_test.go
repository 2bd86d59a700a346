package window

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"privpipe/pipelines/wire"
)

const (
	h = time.Hour
	m = time.Minute
	s = time.Second
)

// TestLive: documents count in the window that they arrived in; a window is over a grace after its end, or when nothing
// came for as long, and the end of all input ends the current window.
func TestLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t, hourly(9), live("a b c d e f", 10*m, h-1, h, h+20*s, 2*h+30*m, 4*h+10*m))
		l.ends = 4*h + 20*m
		got, _ := l.run()
		want(t, got,
			"1h1m20s: 1 a b", // a minute after d, which came while the window was kept open
			"2h1m0s: 2 c d", "3h1m0s: 3 e", "4h1m0s: 4", "4h20m0s: 5 f")
	})
}

// TestLaterArrivalEndsAWindow: what arrived when the window was over says that nothing of it is on its way, and waits.
func TestLaterArrivalEndsAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t, hourly(3), live("a b c x d", 10*m, h+30*s, h+m+1*s, 3*h+30*s, 5*h))
		got, w := l.run()
		want(t, got, "1h1m1s: 1 a", "2h1m0s: 2 b c", "3h1m30s: 3")
		if w.Late+w.Repeated != 0 || w.Outside != 1 { // x
			t.Errorf("got %d late, %d repeated, %d outside", w.Late, w.Repeated, w.Outside)
		}
	})
}

// TestCatchUp: a run that lags, over two sources, one of them slow, cuts only by arrival. A source that is ahead
// waits, and windows that are long over cost no time.
func TestCatchUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(100 * h)
		now := 100 * h
		fast := []delivery{
			{id: "a", arrived: m}, {id: "b", arrived: h + m}, {id: "c", arrived: 7*h + m}, {id: "z", arrived: 12 * h},
		}
		slow := []delivery{
			{id: "d", arrived: 2 * m, at: now + 50*s}, {id: "e", arrived: 2*h + m, at: now + 100*s},
			{id: "f", arrived: 9*h + m, at: now + 101*s}, {id: "early", arrived: -1, at: now + 102*s},
		}
		l := newLife(t, hourly(10), fast, slow)
		l.ends = now + 103*s
		got, w := l.run()
		want(t, got, "100h1m40s: 1 a d", "100h1m40s: 2 b", "100h1m41s: 3 e", "100h1m41s: 4", "100h1m41s: 5",
			"100h1m41s: 6",
			"100h1m41s: 7", "100h1m41s: 8 c", "100h1m41s: 9", "100h1m43s: 10 f")
		if w.Late+w.Repeated != 0 || w.Outside != 1 { // z is after the last window and is never taken
			t.Errorf("got %d late, %d repeated, %d outside", w.Late, w.Repeated, w.Outside)
		}
	})
}

// TestLate: a document that comes after its window was closed counts in the window that is open then, and moves nothing
// else.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		documents := append(live("a", 10*m), delivery{id: "b", arrived: 20 * m, at: h + 30*m})
		documents = append(documents, live("c", h+31*m)...)
		got, w := newLife(t, hourly(2), documents).run()
		want(t, got, "1h1m0s: 1 a", "2h1m0s: 2 b c")
		if w.Late != 1 {
			t.Errorf("got %d late, want 1", w.Late)
		}
	})
}

// TestRepeated: a document counts once, wherever it comes again.
func TestRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t, hourly(4), []delivery{
			{id: "a", arrived: 10 * m, at: 10 * m}, {id: "a", arrived: 10 * m, at: 11 * m},
			{id: "b", arrived: 12 * m, at: 12 * m},
			{id: "a", arrived: h + 10*s, at: h + 10*s}, // when its window is kept open
			{id: "c", arrived: h + 11*s, at: h + 11*s}, {id: "c", arrived: 50 * m, at: h + 12*s},
			{id: "b", arrived: 12 * m, at: 3*h + 30*s}, {id: "c", arrived: 3*h + 40*s, at: 3*h + 40*s},
		})
		got, w := l.run()
		want(t, got, "1h1m12s: 1 a b c", "2h1m0s: 2", "3h1m40s: 3", "4h1m0s: 4")
		if w.Repeated != 4 || w.Late != 0 { // c in window 2 is left out when that ends
			t.Errorf("got %d repeated and %d late, want 4 and 0", w.Repeated, w.Late)
		}
	})
}

// TestUsers: a user is in the window of the first of his documents to count, with all of that window and no others.
func TestUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t, hourly(3), []delivery{
			{"a1", "ann", 10 * m, 10 * m}, {"b1", "bob", 11 * m, 11 * m}, {"a2", "ann", 12 * m, 12 * m},
			{"x", "", 13 * m, 13 * m},
			{"c1", "cyd", h + 10*s, h + 10*s}, {"b2", "bob", h + 11*s, h + 11*s}, {"c2", "cyd", 59 * m, h + 12*s},
			{"d1", "dan", h + 13*s, h + 13*s}, {"a3", "ann", h + 30*m, h + 30*m}, {"ann", "", h + 31*m, h + 31*m},
			{"d2", "dan", h + 32*m, h + 32*m}, {"d3", "dan", 2*h + 30*m, 2*h + 30*m},
			{"e1", "eve", 2*h + 31*m, 2*h + 31*m},
		})
		l.unit = wire.Unit_USER
		got, _ := l.run()
		want(t, got, "1h1m13s: 1 ann/a1 ann/a2 bob/b1 cyd/c2 x", "2h1m0s: 2 ann dan/d1 dan/d2", "3h1m0s: 3 eve/e1")
	})
}

// TestSharedIDs: users may choose ids. A user's document neither hides another user's document with its id nor keeps
// that document from its window. Without the first document, the second is where it was. A user's id counts once, and
// so does an id where documents are the units.
func TestSharedIDs(t *testing.T) {
	mal := delivery{"x", "mal", 10 * m, 10 * m}
	others := []delivery{
		{"v", "vic", 9 * m, 9 * m}, {"x", "vic", 11 * m, 11 * m}, {"x", "", 12 * m, 12 * m},
		{"x", "vic", 13 * m, 13 * m},
		{"x", "wes", h + 10*m, h + 10*m}, {"y", "wes", h + 11*m, h + 11*m},
	}
	for _, c := range []struct {
		unit   wire.Unit
		first  delivery
		first1 string // in window 1
		rest1  string
		rest2  string // in window 2
	}{
		{wire.Unit_USER, mal, "mal/x ", "vic/v vic/x x", "wes/x wes/y"},
		{wire.Unit_DOCUMENT, mal, "", "v x", "y"},
		{wire.Unit_USER, delivery{"x", "document/x", 10 * m, 10 * m}, "document/x/x ", "vic/v vic/x x", "wes/x wes/y"},
	} {
		for _, with := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				documents, first := others, ""
				if with {
					documents, first = append([]delivery{others[0], c.first}, others[1:]...), c.first1
				}
				l := newLife(t, hourly(2), documents)
				l.unit = c.unit
				got, _ := l.run()
				want(t, got, "1h1m0s: 1 "+first+c.rest1, "2h1m0s: 2 "+c.rest2)
			})
		}
	}
}

// TestOutage: while a broker is away no window is over by the clock, however long that is: what it took in time counts
// in its window, and only then is the window closed. Each of several sources has to say that it has no more.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := []delivery{{id: "b", arrived: 55 * m, at: 3*h + 20*m}, {id: "c", arrived: h + 10*m, at: 3*h + 20*m}}
		l := newLife(t, hourly(2), append(live("a", 10*m), held...), live("d e", 20*m, 2*h+30*m))
		l.tells = true
		got, w := l.run()
		got[1] = strings.Replace(got[1], "3h20m0.25s", "3h20m0s", 1) // the source may be asked just before it can tell
		want(t, got, "3h20m0s: 1 a b d", "3h20m0s: 2 c")
		if w.Late != 0 {
			t.Errorf("got %d late, want 0", w.Late)
		}
	})
}

// TestSourceFails: an input that breaks ends the run, and no window is closed by it.
func TestSourceFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t, hourly(2))
		state, err := Open(t.Context(), l.state, "run", "document", nil, l.plan, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		defer state.Close()
		broken := &failing{script{Context: t.Context(), start: l.plan.Start, rest: live("a", 10*m)}}
		w := New(t.Context(), l.plan, state, l.unit, 1<<20, []Source{broken})
		defer w.Close()
		if b, err := w.Next(t.Context()); err != errCrash || b != nil {
			t.Errorf("got %v, %v", b, err)
		}
	})
}

type failing struct{ script }

func (f *failing) Next() (*wire.Record, error) {
	if len(f.rest) == 0 {
		return nil, errCrash
	}
	return f.script.Next()
}
