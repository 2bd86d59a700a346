package shares

import (
	"context"
	"fmt"
	"io"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// windows reads the releases of windows, stream after stream. All have the same statistic of one family.
type windows struct {
	family    *model.Family
	statistic string
	// fits returns an error if the first stream cannot be used. All others must be like the first.
	fits func(*wire.Header) error
	take func(Window)

	first *wire.Header    // of the first stream
	known map[string]bool // names of windows
}

// read passes the windows of all streams to take.
func (w *windows) read(ctx context.Context, names []string, maxCells uint64) error {
	w.known = make(map[string]bool)
	for _, name := range names {
		if err := w.readOne(ctx, name, maxCells); err != nil {
			return err
		}
	}
	return nil
}

func (w *windows) readOne(ctx context.Context, name string, maxCells uint64) error {
	from, h, err := endpoint.OpenStream(ctx, name, endpoint.Wanted{
		Kinds: []wire.Kind{wire.Kind_RELEASES}, Side: wire.Side_PUBLIC, MaxCells: maxCells,
	})
	if err != nil {
		return err
	}
	defer from.Close()
	if err := w.check(h); err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", from.Name(), err)
	}
	for n := 0; ; n++ {
		set, err := stream.OpenSet(from.Reader, nil)
		if err == io.EOF && n > 0 {
			return from.Complete()
		}
		if err == io.EOF {
			return exit.Errorf(exit.Malformed, "%s: no release", from.Name())
		}
		if err != nil {
			return err
		}
		if err := w.add(h.Run, set); err != nil {
			return exit.Errorf(exit.Malformed, "%s: %w", from.Name(), err)
		}
	}
}

// check refuses releases of another model, or of another size than in the streams before.
func (w *windows) check(h *wire.Header) error {
	if h.Model != w.family.Name || len(h.Matrices) != 1 || h.Matrices[0].Name != w.statistic {
		return fmt.Errorf("releases are of model %q, must be of %q", h.Model, w.family.Name)
	}
	if w.first == nil {
		w.first = h
		return w.fits(h)
	}
	m, first := h.Matrices[0], w.first.Matrices[0]
	if m.Rows != first.Rows || m.Columns != first.Columns || h.Unit != w.first.Unit {
		return fmt.Errorf("releases of other topics, groups or units than those before")
	}
	return nil
}

// add takes one release. A window's sums need all its documents, so a sample's release is refused. Rounds by
// time have all documents of their time: their statistics are scaled to all rounds, and are scaled back.
func (w *windows) add(run string, set *stream.Set) error {
	scheme := set.Release.Scheme
	scale := 1.
	switch scheme.Method {
	case wire.Scheme_ALL:
	case wire.Scheme_EPOCH:
		scale = scheme.Rate
	default:
		return fmt.Errorf("round %d is a sample, and a window wants all documents (sample --all)", set.Round)
	}
	if m := set.Release.Mechanism; m != event.Gaussian && m != event.None {
		return fmt.Errorf("round %d has %s noise, and bands are of Gaussian noise", set.Round, m)
	}
	r, err := model.NewRelease(set)
	if err != nil {
		return err
	}
	sums, err := r.Statistic(w.statistic)
	if err != nil {
		return err
	}
	window := Window{Name: run, Sums: sums.Values, Deviation: scale * sums.Deviation}
	for i := range window.Sums {
		window.Sums[i] *= scale
	}
	if scheme.Rounds > 1 {
		window.Name = fmt.Sprintf("%s/%d", run, set.Round)
	}
	if w.known[window.Name] {
		return fmt.Errorf("a second release of the window %s", window.Name)
	}
	w.known[window.Name] = true
	w.take(window)
	return nil
}
