package window

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// A delivery is a document that a source hands over.
type delivery struct {
	id, user string
	arrived  time.Duration // after the start of window 1
	at       time.Duration // time of delivery after the start of window 1; later if Next is called later
}

// live are documents that are handed over as they arrive.
func live(ids string, arrivals ...time.Duration) (all []delivery) {
	for i, id := range strings.Fields(ids) {
		all = append(all, delivery{id: id, arrived: arrivals[i], at: arrivals[i]})
	}
	return all
}

// A script is a source that hands over what it is told, in the clock of a bubble of testing/synctest.
type script struct {
	context.Context
	start   time.Time
	rest    []delivery
	ends    time.Duration // 0: it never does
	arrived time.Time
	tells   bool // the source says how far it is drained
	// after the start: the earliest arrival of a document that Next has not returned, or returned last
	owed atomic.Int64
}

// Drained is now, or when the first of the documents arrived that are not handed over.
func (s *script) Drained() (time.Time, bool) {
	until, owed := time.Now(), s.start.Add(time.Duration(s.owed.Load()))
	if owed.Before(until) {
		until = owed
	}
	return until, s.tells
}

// owe notes what Next has not returned when it is called.
func (s *script) owe() {
	owed := int64(math.MaxInt64)
	for _, d := range s.rest {
		owed = min(owed, int64(d.arrived))
	}
	s.owed.Store(owed)
}

func (s *script) until(at time.Duration) error {
	select {
	case <-time.After(time.Until(s.start.Add(at))):
		return nil
	case <-s.Done():
		return s.Err()
	}
}

func (s *script) Next() (*wire.Record, error) {
	s.owe()
	if len(s.rest) == 0 {
		if s.ends == 0 {
			<-s.Done()
			return nil, s.Err()
		}
		if err := s.until(s.ends); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	d := s.rest[0]
	s.rest = s.rest[1:]
	if err := s.until(d.at); err != nil {
		return nil, err
	}
	s.arrived = s.start.Add(d.arrived)
	return &wire.Record{Body: &wire.Record_Document{Document: &wire.Document{Id: d.id, User: d.user}}}, nil
}

func (s *script) Arrived() time.Time { return s.arrived }

// A life is one start of a run, up to its end.
type life struct {
	t       *testing.T
	plan    Plan
	unit    wire.Unit
	state   string // path
	sources [][]delivery
	ends    time.Duration              // of all sources
	tells   bool                       // the sources do
	each    func(*State, *Batch) error // in place of State.Done
}

func newLife(t *testing.T, plan Plan, sources ...[]delivery) *life {
	return &life{
		t: t, plan: plan, unit: wire.Unit_DOCUMENT, state: filepath.Join(t.TempDir(), "state"), sources: sources,
		each: func(s *State, b *Batch) error { return s.Done(b.Window) },
	}
}

// hourly has windows of an hour from the beginning of a bubble's time on, with a grace of a minute.
func hourly(rounds int) Plan {
	return Plan{Start: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), Length: time.Hour, Rounds: rounds,
		Grace: time.Minute}
}

// errCrash ends a life before its time.
var errCrash = errors.New("crash")

// run returns a line for each window that was returned: when, its number, and its documents in ascending order.
func (l *life) run() (lines []string, w *Windows) {
	l.t.Helper()
	ctx, cancel := context.WithCancel(l.t.Context())
	defer cancel()
	unit := map[wire.Unit]string{wire.Unit_DOCUMENT: event.Document, wire.Unit_USER: event.User}[l.unit]
	state, err := Open(ctx, l.state, "run", unit, nil, l.plan, time.Now())
	if err != nil {
		l.t.Fatal(err)
	}
	defer state.Close()
	var sources []Source
	for _, deliveries := range l.sources {
		sources = append(sources, &script{
			Context: ctx, start: l.plan.Start, rest: slices.Clone(deliveries), ends: l.ends, tells: l.tells,
		})
	}
	w = New(ctx, l.plan, state, l.unit, 1<<20, sources)
	defer w.Close()
	for {
		b, err := w.Next(ctx)
		if err == io.EOF {
			return lines, w
		}
		if err != nil {
			l.t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%v: %s", time.Since(l.plan.Start), describe(l.t, b)))
		if err := l.each(state, b); errors.Is(err, errCrash) {
			return lines, w
		} else if err != nil {
			l.t.Fatal(err)
		}
	}
}

// describe is a batch's window and documents.
func describe(t *testing.T, b *Batch) string {
	t.Helper()
	if b.Documents == nil {
		return fmt.Sprintf("%d left out", b.Window)
	}
	defer b.Documents.Close()
	var names []string
	for i := range b.Documents.Documents() {
		d, err := b.Documents.Document(i)
		if err != nil {
			t.Fatal(err)
		}
		if b.Units.Has(b.Documents.UnitOf(i)) {
			names = append(names, nameOf(b.Documents.Unit(), d))
		}
	}
	slices.Sort(names)
	return strings.TrimSpace(fmt.Sprintf("%d %s", b.Window, strings.Join(names, " ")))
}

// nameOf returns a name that tells a document from all others. The name is the id. Where users are the units, a user's
// document has the user in its name, too.
func nameOf(unit wire.Unit, d *wire.Document) string {
	if unit == wire.Unit_USER && d.User != "" {
		return d.User + "/" + d.Id
	}
	return d.Id
}

// want compares the lines of a life.
func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
