package shares

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/wire"
)

// FollowCommand is mstep follow.
type FollowCommand struct {
	Start  string   `required:"" placeholder:"FILE" help:"Begin with the topics of this model, such as one of mstep topics or lda."`
	Decay  float64  `default:"0.9" placeholder:"X" help:"Give each window X times the weight of the window after it (default ${default}); 1: all windows weigh the same."`
	Risen  string   `output:"" placeholder:"FILE" group:"News" help:"Also write to FILE the words that a topic has more often than in the windows before, as CSV: a word was expected, and was released, so many times."`
	News   string   `output:"" placeholder:"FILE" group:"News" help:"Also write a line for each of these words to FILE, for people."`
	Rate   float64  `name:"alarm-rate" default:"0.05" placeholder:"P" group:"News" help:"Let a window with nothing new have such a word with at most the probability P (default ${default})."`
	Output string   `short:"o" placeholder:"FILE" help:"Write the model to FILE; standard output by default."`
	Inputs []string `arg:"" optional:"" help:"Releases of estep lda with all documents of a window, in the order of the windows; standard input by default."`
	filter.Compress
	filter.Cells
}

// Help is kong's hook.
func (*FollowCommand) Help() string {
	return `
The topics keep their numbers from window to window, and move to the words that the releases show. Words that noise
hides stay as they are in the start. For the next window, estep lda takes the model as --params.

    mstep follow --start topics.pp -o model.pp counts-W10.pp counts-W11.pp`
}

// Validate is kong's hook.
func (c *FollowCommand) Validate() error {
	if !(c.Decay > 0 && c.Decay <= 1) {
		return fmt.Errorf("--decay must be in (0, 1], is %v", c.Decay)
	}
	if !(c.Rate > 0 && c.Rate < 1) {
		return fmt.Errorf("--alarm-rate must be in (0, 1), is %v", c.Rate)
	}
	return nil
}

// Run is kong's hook.
func (c *FollowCommand) Run(r *filter.Run) error {
	if len(c.Inputs) == 0 {
		c.Inputs = []string{endpoint.Stdio}
	}
	if err := r.Check(append(c.Inputs, c.Start)...); err != nil {
		return err
	}
	if err := endpoint.Once(r, c.Inputs); err != nil {
		return err
	}
	if err := endpoint.Distinct(r, c.Output, append(c.Inputs, c.Start)...); err != nil {
		return err
	}
	start, err := modelfile.ReadTopics(r, c.Start, c.MaxCells)
	if err != nil {
		return err
	}
	if start.Header.Model != lda.Family.Name {
		return exit.Errorf(exit.Usage, "%s: a model of %s, must be of %s", c.Start, start.Header.Model, lda.Family.Name)
	}
	if r.DryRun() {
		return nil
	}
	named := names(start)
	f, err := c.follow(r, start)
	if err != nil {
		return err
	}
	r.Summarize("windows", f.windows)
	r.Summarize("risen", len(f.Risen))
	if c.Risen != "" {
		var b bytes.Buffer
		if err := writeRisen(&b, f.Risen, named, start.Words); err != nil {
			return err
		}
		if err := endpoint.WriteFile(r, c.Risen, wire.Side_PUBLIC, b.Bytes()); err != nil {
			return err
		}
	}
	if c.News != "" {
		lines := news(f.Risen, named, start.Words)
		if err := endpoint.WriteFile(r, c.News, wire.Side_PUBLIC, lines); err != nil {
			return err
		}
	}
	s := lda.Snapshot(model.Size{Words: f.Words, Components: f.Topics}, f.windows, f.Cells())
	for k, name := range start.Names {
		if name != "" {
			lda.Name(name).Put(s, float64(k))
		}
	}
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Model: lda.Family.Name,
		Vocabulary: start.Header.Vocabulary, VocabularySize: uint32(f.Words), Matrices: s.Matrices,
	}
	return modelfile.Write(r, c.Output, c.Compress.Compress, h, start.Words, 0, f.exact, s)
}

// follow reads the releases of all windows.
func (c *FollowCommand) follow(ctx context.Context, start *modelfile.Topics) (*Follower, error) {
	f := &Follower{Topics: start.Number, Words: len(start.Words), Start: slices.Clone(start.Cells), Decay: c.Decay}
	if c.Risen != "" || c.News != "" {
		f.Rate = c.Rate
	}
	for k := range f.Topics {
		row := f.row(f.Start, k)
		sum := floats.Sum(row)
		if math.IsInf(sum, 0) {
			return nil, exit.Errorf(exit.Malformed, "%s: topic %d has no finite sum", c.Start, k)
		}
		floats.Scale(1/sum, row)
	}
	var err error
	if f.exact, err = model.ExactOf(start.Set); err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", c.Start, err)
	}
	w := &windows{family: lda.Family, statistic: lda.Topics, take: f.Add, fits: func(h *wire.Header) error {
		m := h.Matrices[0]
		if int(m.Rows) != f.Topics || int(m.Columns) != f.Words || !bytes.Equal(h.Vocabulary, start.Header.Vocabulary) {
			return errors.New("releases of other topics or words than those of --start")
		}
		return nil
	}}
	return f, w.read(ctx, c.Inputs, c.MaxCells)
}
