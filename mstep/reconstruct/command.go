// Package reconstruct rebuilds documents from reports of randomized response. It is the server side of LP-LDA and
// OLP-LDA (Zhao et al. 2020).
package reconstruct

import (
	"context"
	"encoding/hex"
	"errors"
	"math"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Command is mstep reconstruct.
type Command struct {
	Grant          string   `required:"" placeholder:"FILE" help:"Read from this grant how the reports were made."`
	Seed           uint64   `zero:"" default:"1" help:"Choose the documents whose bits change by this public seed, 1 by default."`
	Prior          string   `group:"Prior" placeholder:"FILE" help:"Mix the estimates with what public documents in FILE say, and then with the batches before; by default the reports alone count. FILE is a stream of tokenize --public."`
	Omega          *float64 `zero:"" group:"Prior" placeholder:"W" help:"Give the prior this weight in [0, 1]; by default the weight follows from --prior-deviation."`
	PriorDeviation float64  `group:"Prior" placeholder:"S" help:"State the prior's standard deviation, as a share of the documents; by default it is estimated from each batch, as one number for all words."`
	SkipMalformed  bool     `help:"Leave out inputs that are malformed, such as a stream that was cut off, with a warning; by default they end the run. The reports of an input count all or not at all. Of a topic, which then needs until=end, malformed messages are left out, each by itself, and their number is said."`
	Output         string   `short:"o" placeholder:"FILE" help:"Write the documents to FILE or to a topic; standard output by default."`
	Inputs         []string `arg:"" optional:"" help:"Read reports of privatize randomized-response from these files or topics, or one stream of rounds of reports, each of which is a batch of its own; standard input by default. A report that comes again counts once."`
	filter.Compress
}

// Help is the text that --help adds for this command.
func (*Command) Help() string {
	return `
The documents are public, and train a model without privatize's noise. --grant is the grant of the reports.

    tokenize text docs.jsonl |
      privatize randomized-response --grant grant.json --ledger author.ledger |
      mstep reconstruct --grant grant.json -o rebuilt.pp`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	switch {
	case c.Prior == "" && (c.Omega != nil || c.PriorDeviation != 0):
		return errors.New("--omega and --prior-deviation belong to --prior")
	case c.Omega != nil && c.PriorDeviation != 0:
		return errors.New("--omega and --prior-deviation exclude each other")
	case c.Omega != nil && !(*c.Omega >= 0 && *c.Omega <= 1):
		return errors.New("--omega must be in [0, 1]")
	case !(c.PriorDeviation >= 0 && c.PriorDeviation <= 1):
		return errors.New("--prior-deviation must be in (0, 1]")
	}
	return nil
}

func (c *Command) inputs() []string {
	if len(c.Inputs) == 0 {
		return []string{endpoint.Stdio}
	}
	return c.Inputs
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	if err := r.Check(append(c.inputs(), c.Grant, c.Prior)...); err != nil {
		return err
	}
	if err := errors.Join(endpoint.Once(r, c.inputs()),
		endpoint.Distinct(r, c.Output, append(c.inputs(), c.Prior)...)); err != nil {
		return err
	}
	grant, err := c.grant(r)
	if err != nil || r.DryRun() {
		return err
	}
	m := &mender{Command: c, run: r, grant: grant, response: responseOf(grant), share: 1}
	if grant.ReportWords > 0 {
		m.share = m.response.True
	}
	if c.Prior != "" {
		if m.prior, err = c.publicPrior(r, grant); err != nil {
			return err
		}
	}
	return m.mend()
}

// grant reads the grant. It refuses a flip of 1/2, because such reports say nothing.
func (c *Command) grant(ctx context.Context) (*event.Grant, error) {
	b, err := endpoint.ReadFile(ctx, c.Grant, 1<<20)
	if err != nil {
		return nil, err
	}
	g, err := event.ParseGrant(b)
	if err == nil && g.Mechanism != event.RandomizedResponse {
		err = errors.New("a grant for " + g.Mechanism + ", must be for randomized-response")
	}
	if err == nil {
		err = g.Usable()
	}
	if err == nil && math.Ceil(g.Flip*event.FlipSteps) == event.FlipSteps/2 {
		err = errors.New("flip is 1/2, so reports say nothing")
	}
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", c.Grant, err)
	}
	return g, nil
}

// fits refuses a stream over another vocabulary than the grant's.
func fits(h *wire.Header, g *event.Grant) error {
	of := event.Subject{Vocabulary: hex.EncodeToString(h.Vocabulary), VocabularySize: int(h.VocabularySize)}
	if of.Vocabulary != g.Vocabulary || of.VocabularySize != g.VocabularySize {
		return errors.New("documents over another vocabulary than that of the grant")
	}
	return nil
}

// open opens an input. It must be public and over the grant's vocabulary.
func open(ctx context.Context, name string, g *event.Grant,
	kinds ...wire.Kind) ([]*endpoint.StreamReader, *wire.Header, error) {
	streams, h, err := endpoint.OpenStreams(ctx, name, endpoint.Wanted{Kinds: kinds, Side: wire.Side_PUBLIC})
	if err != nil {
		return nil, nil, err
	}
	if err := fits(h, g); err != nil {
		err = streams[0].Errorf("%w", err)
		closeAll(streams)
		return nil, nil, err
	}
	return streams, h, nil
}

func closeAll(streams []*endpoint.StreamReader) {
	for _, in := range streams {
		in.Close()
	}
}
