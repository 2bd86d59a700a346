package shares

import (
	"context"
	"fmt"
	"io"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// inputs are the releases of all windows.
type inputs struct {
	windows []Window
	matrix  *wire.Matrix // of the first stream, and of all others
	unit    wire.Unit
	groups  []string
	known   map[string]bool // names of windows
}

// read reads the releases of all windows.
func (c *Command) read(ctx context.Context) (*inputs, error) {
	groups, err := modelfile.ReadGroups(ctx, c.Groups)
	if err != nil {
		return nil, err
	}
	in := &inputs{groups: groups, known: make(map[string]bool)}
	for _, name := range c.Inputs {
		if err := in.read(ctx, name, c.MaxCells); err != nil {
			return nil, err
		}
	}
	if in.groups == nil {
		in.groups = []string{""}
	}
	return in, nil
}

// read reads one stream of releases.
func (in *inputs) read(ctx context.Context, name string, maxCells uint64) error {
	from, h, err := endpoint.OpenStream(ctx, name, endpoint.Wanted{
		Kinds: []wire.Kind{wire.Kind_RELEASES}, Side: wire.Side_PUBLIC, MaxCells: maxCells,
	})
	if err != nil {
		return err
	}
	defer from.Close()
	if err := in.fits(h); err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", from.Name(), err)
	}
	before := len(in.windows)
	for {
		set, err := stream.OpenSet(from.Reader, nil)
		if err == io.EOF && len(in.windows) > before {
			return from.Complete()
		}
		if err == io.EOF {
			return exit.Errorf(exit.Malformed, "%s: no release", from.Name())
		}
		if err != nil {
			return err
		}
		if err := in.add(h.Run, set); err != nil {
			return exit.Errorf(exit.Malformed, "%s: %w", from.Name(), err)
		}
	}
}

// fits refuses releases of another model, or of other topics and groups than the streams before.
func (in *inputs) fits(h *wire.Header) error {
	if h.Model != families.Shares.Name || len(h.Matrices) != 1 || h.Matrices[0].Name != families.ShareCounts {
		return fmt.Errorf("releases are of model %q, must be of %q", h.Model, families.Shares.Name)
	}
	m := h.Matrices[0]
	if in.matrix == nil {
		in.matrix, in.unit = m, h.Unit
		rows := max(1, len(in.groups))
		if m.Columns < 2 || int(m.Rows) != rows {
			return fmt.Errorf("releases of %d groups, and --groups has %d", m.Rows, rows)
		}
	}
	if m.Rows != in.matrix.Rows || m.Columns != in.matrix.Columns || h.Unit != in.unit {
		return fmt.Errorf("releases of other topics, groups or units than those before")
	}
	return nil
}

// add adds one release. Its sums are of the documents of the window, so a release of a sample is refused. Rounds by
// time have all documents of their time: their statistics are scaled to all rounds, and are scaled back.
func (in *inputs) add(run string, set *stream.Set) error {
	scheme := set.Release.Scheme
	scale := 1.
	switch scheme.Method {
	case wire.Scheme_ALL:
	case wire.Scheme_EPOCH:
		scale = scheme.Rate
	default:
		return fmt.Errorf("round %d is a sample, and a window wants all documents (sample --all)", set.Round)
	}
	r, err := model.NewRelease(set)
	if err != nil {
		return err
	}
	sums, err := r.Statistic(families.ShareCounts)
	if err != nil {
		return err
	}
	w := Window{Name: run, Sums: sums.Values, Deviation: scale * sums.Deviation}
	for i := range w.Sums {
		w.Sums[i] *= scale
	}
	if scheme.Rounds > 1 {
		w.Name = fmt.Sprintf("%s/%d", run, set.Round)
	}
	if in.known[w.Name] {
		return fmt.Errorf("a second release of the window %s", w.Name)
	}
	in.known[w.Name], in.windows = true, append(in.windows, w)
	return nil
}
