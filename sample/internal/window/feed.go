package window

import (
	"context"
	"io"
	"time"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// A Source is a stream of documents that come in the order of their arrival.
type Source interface {
	Next() (*wire.Record, error) // waits for the next document; io.EOF behind the last
	Arrived() time.Time          // when the last one arrived; zero if it arrives as it is read
	// Drained is a time up to which Next has returned all that arrived, if the source can tell. It is called while Next waits.
	Drained() (until time.Time, tells bool)
}

// A feed is what a Windows knows of one of its sources.
type feed struct {
	source Source
	asked  time.Time // since when the source owes its next document
	resume chan struct{}
	ahead  *offer // it arrived when the open window was over: it waits for its own
	ended  bool
}

// An offer is what comes next from a source.
type offer struct {
	from     int
	document *wire.Document
	arrived  time.Time
	err      error
}

// read offers what comes from a source, one document after the other, each when the one before was taken.
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

// passed says whether nothing of a window is on its way from the source: what it brought last arrived when the window was
// over, or it has ended. If not, it says from when on that is so if the source brings nothing until then: when the window is
// over, and the source has had as long as the grace. A source that can tell has to say itself that it has no more: as long as
// a broker is away, nobody knows what it has taken.
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

// look is how often a source that can tell is asked.
const look = 250 * time.Millisecond

// take notes an offer. It says whether its document is for the open window, or the next, and not further ahead.
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
