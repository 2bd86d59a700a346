package window

import (
	"context"
	"io"
	"time"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// A Source is a stream of documents in the order of their arrival.
type Source interface {
	Next() (*wire.Record, error) // waits for the next document; io.EOF after the last
	Arrived() time.Time          // arrival time of the last document; zero if it arrives as it is read
	// Drained returns a time, if the source knows one. Next has returned all documents that arrived up to this time.
	// Drained is called while Next waits.
	Drained() (until time.Time, tells bool)
}

// A feed is the state of one source in a Windows.
type feed struct {
	source Source
	asked  time.Time // time of the last call of the source's Next
	resume chan struct{}
	ahead  *offer // the offer of a document for a later window; it waits for this window to open
	ended  bool
}

// An offer is a source's next document, or its end.
type offer struct {
	from     int
	document *wire.Document
	arrived  time.Time
	err      error
}

// read offers the source's documents in order. It offers each document after the previous one was taken.
func read(ctx context.Context, from int, source Source, offers chan<- offer, resume <-chan struct{}) {
	defer exit.Guard()
	for {
		record, err := source.Next()
		o := offer{from: from, err: err}
		if err == nil {
			o.document, o.arrived = record.GetDocument(), source.Arrived()
			if o.arrived.IsZero() {
				o.arrived = time.Now()
			}
		}
		select {
		case offers <- o:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
		select {
		case <-resume:
		case <-ctx.Done():
			return
		}
	}
}

// passed reports whether the source is done with window n: its last document arrived after the window was over, or the
// source has ended. If not, passed returns the time when the source will be done if it delivers nothing until then. At
// that time the window is over, and the grace period has passed since the last call of the source's Next. If Drained
// tells a time, only Drained decides: while a broker is unreachable, nobody knows which documents it has accepted.
func (f *feed) passed(p Plan, n int) (passed bool, from time.Time) {
	if f.ahead != nil || f.ended {
		return true, time.Time{}
	}
	over := p.over(n)
	if until, tells := f.source.Drained(); tells {
		return !until.Before(over), later(over, time.Now().Add(look))
	}
	return false, later(over, f.asked.Add(p.Grace))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// look is the interval at which a source's Drained is called.
const look = 250 * time.Millisecond

// take takes an offer. It reports whether the document belongs to the open window or to the next one, not to a later
// one.
func (f *feed) take(o offer, p Plan, open int) (ready bool, err error) {
	switch {
	case o.err == io.EOF:
		f.ended = true
	case o.err != nil:
		return false, o.err
	case !o.arrived.Before(p.over(open)):
		f.ahead = &o
	default:
		return true, nil
	}
	return false, nil
}
