package window

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"privpipe/pipelines/wire"
	"privpipe/sample/internal/corpus"
)

// A Windows cuts the documents of its sources into windows. It is not safe for concurrent use.
type Windows struct {
	plan   Plan
	state  *State
	unit   wire.Unit
	memory int64

	feeds  []*feed
	offers chan offer
	open   int
	again  *again     // content of the open window, if an earlier run began it; else nil
	now    *gathering // of the open window
	next   *gathering // of the next window, from documents that came while the open window was not over
	seen   bool       // a document came

	// Counts of documents. They are private.
	Late     uint64 // documents that count in a later window than their arrival's
	Repeated uint64 // documents left out: their unit is in an earlier window, or they are duplicates
	Outside  uint64 // documents in no window
}

// New returns the windows of plan that are not done in state. It reads the sources until ctx ends. It keeps at most
// memory bytes of one window's documents in memory.
func New(ctx context.Context, plan Plan, state *State, unit wire.Unit, memory int64, sources []Source) *Windows {
	plan.Start = state.Start()
	w := &Windows{
		plan: plan, state: state, unit: unit, memory: memory, offers: make(chan offer),
		open: state.Open(), again: state.again, now: gather(unit, memory), next: gather(unit, memory),
	}
	for i, source := range sources {
		f := &feed{source: source, asked: time.Now(), resume: make(chan struct{}, 1)}
		w.feeds = append(w.feeds, f)
		go read(ctx, i, source, w.offers, f.resume)
	}
	return w
}

// ErrEmpty means that all sources ended without a document before the second window.
var ErrEmpty = errors.New("no document")

// Next returns the next window after it is over and its units are in the state. It returns io.EOF after the last
// window, or if the sources ended before the next window began.
func (w *Windows) Next(ctx context.Context) (*Batch, error) {
	for w.open <= w.plan.Rounds {
		// Take all offers that have arrived before deciding that a source is drained.
		select {
		case o := <-w.offers:
			if err := w.take(o); err != nil {
				return nil, err
			}
			continue
		default:
		}
		over, from := w.over()
		switch {
		case over && w.open == 1 && w.nobody():
			return nil, ErrEmpty
		case over && w.unbegun():
			return nil, io.EOF
		case over || !from.After(time.Now()):
			return w.close()
		}
		timer := time.NewTimer(time.Until(from))
		var err error
		select {
		case o := <-w.offers:
			err = w.take(o)
		case <-timer.C:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		timer.Stop()
		if err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// over reports whether all sources are done with the open window. If not, it returns the time when they will be, if no
// document comes until then.
func (w *Windows) over() (over bool, from time.Time) {
	over = true
	for _, f := range w.feeds {
		passed, at := f.passed(w.plan, w.open)
		if over = over && passed; !passed && at.After(from) {
			from = at
		}
	}
	return over, from
}

// nobody reports whether all sources have ended without a document, now or before a restart.
func (w *Windows) nobody() bool {
	return !w.seen && w.again == nil && !slices.ContainsFunc(w.feeds, func(f *feed) bool { return !f.ended })
}

// unbegun reports whether all sources have ended before the open window began, so that it has no document.
func (w *Windows) unbegun() bool {
	for _, f := range w.feeds {
		if !f.ended {
			return false
		}
	}
	return len(w.now.documents)+len(w.next.documents) == 0 && time.Now().Before(w.plan.begin(w.open))
}

func (w *Windows) take(o offer) error {
	f := w.feeds[o.from]
	w.seen = w.seen || o.document != nil
	ready, err := f.take(o, w.plan, w.open)
	if err != nil || !ready {
		return err
	}
	if err := w.add(o.document, o.arrived); err != nil {
		return err
	}
	f.asked = time.Now()
	f.resume <- struct{}{}
	return nil
}

// add adds a document to the open window or to the next window, or leaves it out.
func (w *Windows) add(d *wire.Document, arrived time.Time) error {
	n := w.plan.Of(arrived)
	if n < 1 || n > w.plan.Rounds {
		w.Outside++
		return nil
	}
	document, unit := w.now.keysOf(d)
	to, again := w.now, w.again.has(document, unit)
	switch {
	case again: // the document was in the open window when that was begun, so its unit is in no earlier window
	case w.state.Has(unit), n > w.open && w.now.has(unit):
		w.Repeated++
		return nil
	case n > w.open, w.again != nil:
		to = w.next
	}
	fresh, err := to.add(d)
	switch {
	case !fresh:
		w.Repeated++
	case to == w.next && n <= w.open, n < w.open && !again:
		w.Late++
	}
	return err
}

// close closes the open window.
func (w *Windows) close() (*Batch, error) {
	b, err := w.end()
	if err != nil {
		return nil, err
	}
	w.open++
	w.now, w.next = w.next, gather(w.unit, w.memory)
	for _, f := range w.feeds {
		if o := f.ahead; o != nil && w.open <= w.plan.Rounds {
			f.ahead = nil
			if err := w.take(*o); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// end returns the batch of the open window, and puts its units into the state.
func (w *Windows) end() (*Batch, error) {
	if again := w.again; again != nil {
		w.again = nil
		if len(w.now.documents) < len(again.documents) {
			return &Batch{Window: w.open}, w.now.corpus.Close()
		}
		return w.now.batch(w.open, func(corpus.Key) bool { return true })
	}
	// A document that came early for this window is left out if its unit was in the previous window.
	b, err := w.now.batch(w.open, func(unit corpus.Key) bool { return !w.state.Has(unit) })
	if err != nil {
		return nil, err
	}
	units, documents := w.now.keys(b)
	return b, w.state.Begin(w.open, units, documents)
}

// Close frees the documents of windows that Next has not returned.
func (w *Windows) Close() error { return errors.Join(w.now.corpus.Close(), w.next.corpus.Close()) }
