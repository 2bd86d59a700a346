package command

import (
	"context"
	"errors"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/release"
	"privpipe/privatize/rounds"
)

// sumFlags are the flags of the mechanisms that add noise to sums of contributions.
type sumFlags struct {
	charged
	Claims       string        `placeholder:"TOPIC" help:"Claim (reserve) each round in this topic of one partition, which privatizers with separate ledgers share. Only one of them then releases each round. Default: no claims."`
	RoundTimeout time.Duration `placeholder:"TIME" help:"Give up if a round is not complete within this time after the round before it, or after the start. Default: no limit. Nothing of the round is then released. Choose more than a round takes, or than a --window of sample."`
	KeepReleases int           `placeholder:"N" help:"Keep the stored releases of only the last N rounds of the run. Default: all. They are removed after a later release is out: flushed to a pipe or a topic, or with a file as output when the file is whole. An older round cannot be replayed and is refused."`
	AllowRespend bool          `help:"Release a round again, for a second charge, if its sum differs from the sum that was released. By default such a round is refused."`
	Output       string        `short:"o" placeholder:"FILE" help:"Write the releases to this file or topic. Default: standard output."`
	Inputs       []string      `arg:"" optional:"" name:"input" default:"-" help:"Read streams of contributions, or of partial sums from privatize combine. Default: standard input. Each of several streams holds other units of every round."`
	filter.Compress
}

// Validate is kong's hook.
func (c *sumFlags) Validate() error {
	if c.KeepReleases < 0 {
		return exit.Errorf(exit.Usage, "--keep-releases must be at least 1, is %d", c.KeepReleases)
	}
	return nil
}

func (c *sumFlags) granted(r *filter.Run, f grantFlag, mechanism string) error {
	if err := c.need(); err != nil {
		return err
	}
	grant, err := f.read(r, mechanism)
	if err != nil {
		return err
	}
	return c.privatize(r, grant, grant.ID, 0) // the grant names the matrices
}

// privatize reads contributions and writes releases. This file only carries records to and from internal/release.
func (c *sumFlags) privatize(r *filter.Run, grant *event.Grant, run string, maxCells uint64) error {
	if err := r.Check(append(c.Inputs, c.Ledger, c.Claims)...); err != nil {
		return err
	}
	wanted := rounds.Wanted(c.RoundTimeout)
	wanted.MaxCells = maxCells
	wanted.Whole = true // one partition holds only a part of each round
	in, err := rounds.Open(r, c.RoundTimeout, c.Output, c.Inputs, wanted)
	if err != nil {
		return err
	}
	defer in.Close()
	if run, err = c.name(in.Header.Run, run); err != nil {
		return err
	}
	public := in.Header.Side == wire.Side_PUBLIC
	if public && grant != nil {
		return nothingToProtect(in.Name())
	}
	terms := newTerms(in.Header, grant)
	if public {
		return c.public(r, in, terms, run)
	}
	if err := c.need(); err != nil {
		return err
	}
	terms.Dataset, terms.Run, terms.AllowRespend = c.Dataset, run, c.AllowRespend
	if terms.Settings, err = in.Settle(grant); err != nil || r.DryRun() {
		return err
	}
	if c.Claims != "" {
		journal, err := endpoint.OpenJournal(c.Claims)
		if err != nil {
			return err
		}
		defer journal.Close()
		terms.Claims = journal
	}
	privatizer, err := release.Open(c.Ledger, *terms)
	if err != nil {
		return err
	}
	defer privatizer.Close()
	out, err := endpoint.CreateStream(r, c.Output, releaseHeader(in.Header, run), c.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	sent, err := sentBefore(r, c.Output)
	if err != nil {
		return err
	}
	if err := privatizer.Resume(sent); err != nil {
		return err
	}
	if grant == nil {
		r.Log.Warn("no privacy: releases are exact sums, and the ledger's epsilon is infinite from now on")
	}
	s := sums{sender: sender{r, grant, privatizer.Collector, out}, privatizer: privatizer, keep: c.KeepReleases}
	in.Fresh = endpoint.IsTopic(c.Inputs[0]) && endpoint.IsTopic(c.Output) && len(sent) == 0
	in.Unspent = !privatizer.Begun()
	if err := in.Take(c.RoundTimeout, &s); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	return s.prune()
}

// sentBefore returns the releases that an output holds already. Only a topic holds any.
func sentBefore(ctx context.Context, output string) (sent []release.Sent, err error) {
	if !endpoint.IsTopic(output) {
		return nil, nil
	}
	_, all, err := endpoint.Releases(ctx, output)
	if err != nil && !errors.Is(err, stream.ErrEmpty) {
		return nil, err
	}
	for _, r := range all {
		sent = append(sent, release.Sent{Round: int(r.Round), Digest: r.Digest})
	}
	return sent, nil
}

// newTerms returns a run's terms from a stream's header and a grant.
func newTerms(h *wire.Header, grant *event.Grant) *release.Terms {
	terms := &release.Terms{Unit: event.Document, Grant: grant, Subject: rounds.SubjectOf(h)}
	if h.Unit == wire.Unit_USER {
		terms.Unit = event.User
	}
	return terms
}

func releaseHeader(h *wire.Header, run string) *wire.Header {
	out := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_RELEASES, Side: wire.Side_PUBLIC, Run: run, Model: h.Model, Unit: h.Unit,
		Vocabulary: h.Vocabulary, VocabularySize: h.VocabularySize,
	}
	for _, m := range h.Matrices {
		out.Matrices = append(out.Matrices, &wire.Matrix{
			Name: m.Name, Rows: m.Rows, Columns: m.Columns, Element: wire.Element_INT64, Symmetric: m.Symmetric,
		})
	}
	return out
}

// sums turns rounds of contributions into releases: see rounds.Taker.
type sums struct {
	sender
	privatizer *release.Privatizer
	keep       int    // the number of stored releases to keep, 0 for all
	last       uint32 // the last round that was sent
}

func (s *sums) Begin(number uint32, open *wire.RoundOpen, scheme event.Scheme) (*release.Collector, error) {
	if err := s.privatizer.CheckRound(open.Draws, open.Coupled); err != nil {
		return nil, err
	}
	stored, err := s.privatizer.Begin(int(number), scheme)
	if err != nil {
		return nil, err
	}
	if stored != nil {
		s.replayed(number)
		s.last = number
		return nil, s.send(number, s.privatizer.Scheme(), stored)
	}
	return s.privatizer.Collector, nil
}

func (s *sums) End(number uint32, announced release.Announced) error {
	cells, replayed, err := s.privatizer.Release(announced)
	if err != nil {
		return err
	}
	metrics.Units(int(announced.Units))
	if replayed {
		s.replayed(number)
	}
	s.last = number
	if err := s.send(number, s.privatizer.Scheme(), cells); err != nil || !s.out.Sends() {
		return err
	}
	return s.prune()
}

// prune removes the stored releases before the last s.keep rounds. The caller knows that the last release is out. If
// the output is a file that is dropped, all its releases go with it: had they been pruned, their charges would have
// bought nothing.
func (s *sums) prune() error {
	if s.keep == 0 {
		return nil
	}
	return s.privatizer.Prune(int(s.last) - s.keep)
}

func (s *sums) Released(number uint32) bool { return s.privatizer.Charged(int(number)) }

func (s *sums) replayed(number uint32) {
	s.run.Log.Info("round was released before: sending its stored release again", "round", number)
}

// A sender writes releases.
type sender struct {
	run       *filter.Run
	grant     *event.Grant // nil: no privacy
	collector *release.Collector
	out       *endpoint.StreamWriter
}

// send writes a round's release and flushes, so that the next stage can go on. If the contributions were private, the
// ledger has charged the release by then.
func (s *sender) send(number uint32, scheme event.Scheme, cells []int64) error {
	sampled, err := wire.SchemeOf(scheme)
	if err != nil {
		return err
	}
	head := &wire.Release{
		Mechanism: event.None, Grid: s.collector.Step(), Bounds: s.collector.Bounds(), Clip: s.collector.Bound(),
		Scheme: sampled,
	}
	if g := s.grant; g != nil {
		head.Mechanism, head.Grant = g.Mechanism, g.ID
		_, head.Scale = g.Steps()
	}
	record := &wire.Record{Round: number, Body: &wire.Record_Release{Release: head}}
	if err := s.out.WriteSet(record, matrices(s.collector.Layout(), cells)...); err != nil {
		return err
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	s.run.Round(int(number), scheme.Rounds)
	return nil
}

// matrices returns the cells of each matrix.
func matrices(layout *fixed.Layout, cells []int64) []stream.Rows {
	each := make([]stream.Rows, layout.Matrices())
	for i := range each {
		from, to := layout.Span(i)
		each[i] = stream.RowsOf(cells[from:to])
	}
	return each
}
