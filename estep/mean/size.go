package mean

import (
	"privpipe/estep/job"
	"privpipe/estep/row"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// SizeCommand is estep size.
type SizeCommand struct{ job.Job }

// Run is kong's hook.
func (c *SizeCommand) Run(r *filter.Run) error {
	return c.Do(r, job.Work{Family: families.Size, New: func() model.EStep { return NewSize() }})
}

// Size implements model.EStep for text sizes. A document contributes half of its features (families.Size).
type Size struct{}

// NewSize returns a model. It has no parameters.
func NewSize() Size { return Size{} }

// Settings implements model.EStep. There are none.
func (Size) Settings() any { return nil }

// SetParameters implements model.EStep. It ignores the model, because contributions depend on no earlier round.
func (Size) SetParameters(*stream.Set, model.Size) error { return nil }

// NewWorker implements model.EStep.
func (Size) NewWorker() model.Worker { return new(sizeWorker) }

type sizeWorker struct{ row row.Row }

// Contribute implements model.Worker. It returns half of the features, so that the contribution has norm at most 1:
// four features in [0, 1] have norm at most 2.
func (w *sizeWorker) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	w.row.Read(d)
	if len(w.row.IDs) == 0 {
		return nil, nil
	}
	values := make([]float32, len(w.row.X))
	for i, x := range w.row.X {
		values[i] = row.TowardsZero(x / 2)
	}
	return model.AppendParts(nil, 0, []uint32{0}, w.row.IDs, values), nil
}
