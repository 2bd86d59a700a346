package command

import (
	"context"
	"errors"
	"io"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/window"
)

// plan returns the windows that the flags ask for.
func (w *windows) plan(rounds int, start time.Time) window.Plan {
	return window.Plan{Start: start, Length: w.Window, Rounds: rounds, Grace: min(w.WindowGrace, w.Window)}
}

// live cuts a live stream of documents into rounds by windows of time.
func (s *Command) live(r *filter.Run) error {
	plan := s.plan(s.Rounds, s.WindowStart)
	sources, h, err := s.sources(r)
	if err != nil {
		return err
	}
	header := s.header(h)
	state, err := window.Open(r, s.WindowState, s.RunName, s.Unit, h.Settings, plan, time.Now())
	if err != nil {
		return err
	}
	defer state.Close()
	done, err := s.done(r, header)
	if err != nil || done.ended {
		return err
	}
	if done.reached > state.Begun() {
		return exit.Errorf(exit.Usage, "%s: is not the state of the windows that %s holds as rounds", s.WindowState,
			s.Output).
			WithHint("without that state a unit could be in a second round")
	}
	planned := s.scheme(0)
	planned.Coins = state.Name()
	scheme, err := wire.SchemeOf(planned)
	if err != nil {
		return exit.Errorf(exit.Usage, "%w", err)
	}
	out, err := s.create(r, header)
	if err != nil {
		return err
	}
	defer out.abort()
	r.Show(s.Output, out.meter.Line)
	w := window.New(r, plan, state, s.unit(), int64(s.Memory), sources)
	defer w.Close()
	for {
		r.Round(min(state.Open(), s.Rounds), s.Rounds)
		batch, err := w.Next(r)
		if errors.Is(err, window.ErrEmpty) {
			return errEmpty(s.inputs())
		}
		if errors.Is(err, io.EOF) {
			if state.Open() == 1 {
				r.Log.Warn("the input ended before the first window began: no round is written; see --window-start",
					"start", state.Start().Format(time.RFC3339))
			}
			return out.commit(&wire.Tally{Name: "late", Value: w.Late},
				&wire.Tally{Name: "repeated", Value: w.Repeated},
				&wire.Tally{Name: "outside", Value: w.Outside})
		}
		if err != nil {
			return err
		}
		if batch.Documents == nil {
			err = s.incomplete(r, batch.Window, done)
		} else {
			err = out.window(r, batch, scheme)
		}
		if err != nil {
			return err
		}
		if err := state.Done(batch.Window); err != nil {
			return err
		}
	}
}

// window writes the batch as one round.
func (p *parts) window(r *filter.Run, b *window.Batch, scheme *wire.Scheme) error {
	defer b.Documents.Close()
	return p.write(r, b.Documents, scheme, uint32(b.Window), b.Units)
}

// incomplete handles a window that an earlier run began, if not all of its documents came again. A topic may hold a
// part of the window's round, and no later round may follow such a part. A file or a pipe has nothing from an earlier
// run.
func (s *Command) incomplete(r *filter.Run, round int, there done) error {
	switch {
	case there.rounds >= round: // the round is whole, and only the state lacks it
		return nil
	case endpoint.IsTopic(s.Output):
		return exit.Errorf(exit.Malformed,
			"round %d was begun before the restart, and not all of its documents came again", round).
			WithHint("read the documents from further back: from=oldest, or from= a time before the round's window " +
				"began")
	}
	r.Log.Warn("round was begun before the restart, and not all of its documents came again: it is left out", "round",
		round)
	return nil
}

// sources opens all inputs for concurrent reading, and returns the header of their rounds.
func (s *Command) sources(ctx context.Context) ([]window.Source, *wire.Header, error) {
	var sources []window.Source
	var header *wire.Header
	for _, name := range s.inputs() {
		streams, h, err := s.open(ctx, name, header)
		if err != nil {
			return nil, nil, err
		}
		header = h
		for _, in := range streams {
			sources = append(sources, window.Source(in))
		}
	}
	return sources, header, nil
}
