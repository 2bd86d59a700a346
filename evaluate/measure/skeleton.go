package measure

import (
	"context"
	"fmt"
	"slices"

	"privpipe/evaluate/internal/result"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

// An Input is an open stream. Its progress line counts the documents that were read.
type Input struct {
	*endpoint.StreamReader
	Header *wire.Header
	meter  progress.Meter
}

// Open opens a stream.
func Open(ctx context.Context, name string, wanted endpoint.Wanted) (*Input, error) {
	in, h, err := endpoint.OpenStream(ctx, name, wanted)
	return &Input{StreamReader: in, Header: h, meter: progress.Meter{Name: "evaluate"}}, err
}

// counted counts a document.
func (in *Input) counted() { in.meter.Documents.Add(1) }

// ofStream has the flags of a measure of a stream. The measure names what the stream has with set:"stream=scores".
type ofStream struct {
	result.Flags
	Input string `arg:"" optional:"" default:"-" help:"Stream of ${stream}; standard input by default."`
}

// run prints what find finds in the stream, which must be of the given kind. If the stream is private, a warning names
// the measure: "a perplexity".
func (c *ofStream) run(r *filter.Run, kind wire.Kind, measure string, find func(*Input) (*result.Result, error)) error {
	in, err := Open(r, c.Input, endpoint.Wanted{Kinds: []wire.Kind{kind}})
	if err != nil {
		return err
	}
	defer in.Close()
	warn(r, in.Header.Side, "held-out documents", measure)
	r.Show(c.Output, in.meter.Line)
	found, err := find(in)
	if err != nil || r.DryRun() {
		return err
	}
	return c.Print(r, in.Header.Side, found)
}

// warn warns if a measure is computed from private data.
func warn(r *filter.Run, side wire.Side, data, measure string) {
	if side == wire.Side_PRIVATE {
		r.Log.Warn(fmt.Sprintf("the %s are private: no budget covers %s computed from them", data, measure))
	}
}

// ofModel has the flags of a measure of a model's topics.
type ofModel struct {
	result.Flags
	Model string `arg:"" help:"Model file of mstep lda."`
	filter.Cells
}

// run prints what find finds in the topics, the largest first. Each has its top words by relevance with λ.
func (c *ofModel) run(r *filter.Run, top int, lambda float64, find func([]topic) *result.Result) error {
	topics, _, err := ReadTopics(r, c.Model, lambda, top, c.MaxCells)
	if err != nil || r.DryRun() {
		return err
	}
	return c.Print(r, wire.Side_PUBLIC, find(topics))
}

// ofModels has the flags of a measure of two models' topics.
type ofModels struct {
	result.Flags
	A string `arg:"" help:"Model file of mstep lda."`
	B string `arg:"" help:"Another, over the same vocabulary. It may have another number of topics; the larger model's rest is left without a partner."`
	filter.Cells
}

// run prints what find finds in the topics.
func (c *ofModels) run(r *filter.Run, find func(a, b *modelfile.Topics) *result.Result) error {
	if err := r.Check(c.A, c.B); err != nil {
		return err
	}
	a, err := modelfile.ReadTopics(r, c.A, c.MaxCells)
	if err != nil {
		return err
	}
	b, err := modelfile.ReadTopics(r, c.B, c.MaxCells)
	if err != nil {
		return err
	}
	if !slices.Equal(a.Words, b.Words) {
		return exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", c.A, c.B)
	}
	if r.DryRun() {
		return nil
	}
	return c.Print(r, wire.Side_PUBLIC, find(a, b))
}

// checkTop checks --top, a number of words.
func checkTop(top, least int) error {
	if top < least {
		return fmt.Errorf("--top must be at least %d, is %d", least, top)
	}
	return nil
}
