package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Sharing are the flags of a command that contributes each document's shares of topics.
type Sharing struct {
	Shares      bool   `xor:"job" group:"Job" help:"Answer rounds with the share of each topic of --model in each document, for mstep shares. The contributions have the norm 1, so none is clipped. A user contributes the mean of her documents of the round."`
	Groups      string `placeholder:"FILE" group:"Job" help:"With --shares: count the topics in each group of documents. FILE lists the labels that have a group, one a line, and must be public. Documents with another label, or none, are in the group \"other\". The sum over G groups has √G times the noise."`
	PublicModel bool   `group:"Job" help:"With --shares: accept a model from privatize none. You state that it was learned from public text, or was released under another guarantee."`
}

// unused refuses flags that belong to --shares.
func (s *Sharing) unused() error {
	if s != nil && (s.Groups != "" || s.PublicModel) {
		return exit.Errorf(exit.Usage, "--groups and --public-model belong to --shares")
	}
	return nil
}

// Released is a model that was released before, for contributions that are made with its components.
type Released struct {
	Header     *wire.Header
	Components int
	Step       model.EStep
	digest     [sha256.Size]byte
}

// Settings identify the model and its inference, for model.EStep.
func (m *Released) Settings() map[string]any {
	return map[string]any{"model": hex.EncodeToString(m.digest[:]), "inference": m.Step.Settings()}
}

// share answers rounds with the shares of a released model's topics.
func (j *Job) share(r *filter.Run, w Work) error {
	switch {
	case j.Params != "" || j.Stale != 0:
		return exit.Errorf(exit.Usage, "--shares takes --model, not --params: the topics are the same in every round")
	case j.Model == "" || isFolder(j.Model):
		return exit.Errorf(exit.Usage, "--shares needs --model, one model file")
	}
	if err := r.Check(j.Model, w.Sharing.Groups); err != nil {
		return err
	}
	groups, err := modelfile.ReadGroups(r, w.Sharing.Groups)
	if err != nil {
		return err
	}
	m, err := OpenReleased(r, j.Model, j.ParametersWanted(), w, w.Sharing.PublicModel)
	if err != nil {
		return err
	}
	if _, ok := m.Step.NewWorker().(model.Inferrer); !ok {
		return exit.Errorf(exit.Usage, "this model has no topics to share")
	}
	step := &sharing{Released: m, groups: groups, rows: groups.Numbers()}
	family := families.SharesOf(m.Components, groups.Rows())
	family.Values = w.Family.Values
	return j.train(r, Work{Family: family, New: func() model.EStep { return step }, Public: m.Header, Mean: true})
}

// OpenReleased opens a model file of the work's family. It refuses a private one, also one from exact sums unless it is
// said to be public: a document's contribution would then depend on others.
func OpenReleased(ctx context.Context, name string, wanted endpoint.Wanted, w Work, public bool) (*Released, error) {
	in, h, err := endpoint.OpenStream(ctx, name, wanted)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	size, err := w.Family.Size(h)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", in.Name(), err)
	}
	set, err := in.ReadOne(nil)
	if err != nil {
		return nil, err
	}
	if model.Exact.In(set) && !public {
		return nil, exit.Errorf(exit.Refused, "%s: learned from exact sums of privatize none, so it may be private",
			in.Name()).WithHint("--public-model states that it was learned from public text")
	}
	m := &Released{Header: h, Components: size.Components, Step: w.New(), digest: set.Digest()}
	if err := m.Step.SetParameters(set, size); err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", in.Name(), err)
	}
	return m, nil
}

// sharing is the E-step that contributes shares of topics. The parameters are the same in every round.
type sharing struct {
	*Released
	groups modelfile.Groups
	rows   map[string]uint32 // of groups
}

// Settings implements model.EStep.
func (s *sharing) Settings() any {
	settings := s.Released.Settings()
	if s.groups != nil {
		settings["groups"] = s.groups
	}
	return settings
}

// SetParameters implements model.EStep.
func (s *sharing) SetParameters(*stream.Set, model.Size) error { return nil }

// NewWorker implements model.EStep.
func (s *sharing) NewWorker() model.Worker {
	columns := make([]uint32, s.Components+1)
	for i := range columns {
		columns[i] = uint32(i)
	}
	return &sharer{sharing: s, inferrer: s.Step.NewWorker().(model.Inferrer), columns: columns}
}

type sharer struct {
	*sharing
	inferrer model.Inferrer
	columns  []uint32
	cells    []float32
}

// Contribute implements model.Worker.
func (w *sharer) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	row, shares, err := w.share(d)
	if err != nil {
		return nil, err
	}
	return w.part(nil, row, shares), nil
}

// part appends one row of shares to parts.
func (w *sharer) part(parts []*wire.Part, row uint32, shares []float64) []*wire.Part {
	w.cells = w.cells[:0]
	for _, x := range shares {
		w.cells = append(w.cells, float32(x))
	}
	return model.AppendParts(parts, 0, []uint32{row}, w.columns, w.cells)
}

// share returns a document's row, and its shares of topics. The last share is 1 for a document without a known word,
// else 0.
func (w *sharer) share(d *wire.Document) (row uint32, cells []float64, err error) {
	row, listed := w.rows[d.Label]
	if !listed {
		row = w.rows[modelfile.Other] // 0 without groups
	}
	if len(d.WordGaps) == 0 {
		cells = make([]float64, w.Components+1)
		cells[w.Components] = 1
		return row, cells, nil
	}
	theta, err := w.inferrer.Infer(d)
	return row, append(theta, 0), err
}
