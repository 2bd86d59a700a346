package main

import (
	"context"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/release"
)

// combineCommand makes partial sums. They stay private, so nothing is charged for them.
type combineCommand struct {
	Grant        string        `placeholder:"FILE" help:"Bound contributions as this grant says, under which the sums will be released. Without a grant the sums are for privatize none."`
	RoundTimeout time.Duration `placeholder:"TIME" help:"Give up if a round is not complete within this time after the round before it, or after the start. Default: no limit. Choose more than a round takes, or than a --window of sample."`
	Output       string        `short:"o" placeholder:"FILE" help:"Write the partial sums to this file or topic. Default: standard output."`
	Inputs       []string      `arg:"" optional:"" name:"input" default:"-" help:"Read streams of contributions or of partial sums. Default: standard input. Each of several streams holds other units of every round. Each partition of a topic is summed by itself."`
	filter.Compress
	filter.Cells
}

// Run is kong's hook.
func (c *combineCommand) Run(r *filter.Run) error {
	if err := r.Check(append(c.Inputs, c.Grant)...); err != nil {
		return err
	}
	var grant *event.Grant
	wanted := within(c.RoundTimeout)
	if c.Grant == "" {
		wanted.MaxCells = c.MaxCells
	} else {
		l := leave{c.Grant}
		var err error
		if grant, err = l.read(""); err != nil {
			return err
		}
	}
	create := func(h *wire.Header) (*endpoint.StreamWriter, error) {
		return endpoint.CreateStream(c.Output, h, c.Compress.Compress)
	}
	if len(c.Inputs) == 1 && endpoint.IsTopic(c.Inputs[0]) && endpoint.IsTopic(c.Output) {
		if r.DryRun() {
			return nil
		}
		return endpoint.Share(r, c.Inputs[0], wanted, c.Output, func(_ context.Context, in *endpoint.Partition) error {
			create := func(h *wire.Header) (*endpoint.StreamWriter,
				error) {
				return in.CreateStream(h, c.Compress.Compress)
			}
			return c.combine(r, partitionSource(in), grant, create)
		})
	}
	in, err := openWithin(c.RoundTimeout, c.Output, c.Inputs, wanted)
	if err != nil {
		return err
	}
	defer in.close()
	return c.combine(r, in, grant, create)
}

// combine writes one partial sum for each round that the sources hold.
func (c *combineCommand) combine(r *filter.Run, in *sources, grant *event.Grant,
	create func(*wire.Header) (*endpoint.StreamWriter, error)) error {
	if grant != nil && in.header.Side == wire.Side_PUBLIC {
		return nothingToProtect(in.streams[0].Name())
	}
	if _, err := in.settle(grant); err != nil {
		return err
	}
	terms := newTerms(in.header, grant)
	collector, err := release.NewCollector(terms)
	if err != nil || r.DryRun() {
		return err
	}
	h := releaseHeader(in.header, in.header.Run)
	h.Kind, h.Side, h.Settings = wire.Kind_SUMS, in.header.Side, in.header.Settings
	out, err := create(h)
	if err != nil {
		return err
	}
	defer out.Abort()
	in.deadline = newDeadline(c.RoundTimeout)
	p := &parts{collector, terms, in.settings, out}
	if err := in.deadline.within(func() error { return in.rounds(p) }); err != nil {
		return err
	}
	return out.Commit()
}

// parts turns rounds of contributions into partial sums: see rounder.
type parts struct {
	collector *release.Collector
	terms     *release.Terms
	settings  []byte
	out       *endpoint.StreamWriter
}

func (p *parts) begin(number uint32, open *wire.RoundOpen, _ event.Scheme) (*release.Collector, error) {
	if err := p.collector.CheckRound(open.Draws, open.Coupled); err != nil {
		return nil, err
	}
	p.collector.Open()
	return p.collector, p.out.Write(&wire.Record{Round: number, Body: &wire.Record_RoundOpen{RoundOpen: open}})
}

// released is false: a partial sum is nobody's release.
func (p *parts) released(uint32) bool { return false }

// membersBytes is the most bytes of unit keys in one record: a round's keys may take several records.
const membersBytes = wire.KeySize << 15

func (p *parts) end(number uint32, units, records, digest uint64) error {
	cells, members, err := p.collector.Sum(release.Announced{Units: units, Records: records, Digest: digest})
	if err != nil {
		return err
	}
	for keys := members.Keys(); len(keys) > 0; {
		n := min(len(keys), membersBytes)
		record := &wire.Record{Round: number, Body: &wire.Record_Members{Members: &wire.Members{Keys: keys[:n]}}}
		if err := p.out.Write(record); err != nil {
			return err
		}
		keys = keys[n:]
	}
	sum := &wire.Sum{
		Grid: p.collector.Step(), Bounds: p.collector.Bounds(), Clip: p.collector.Bound(), Settings: p.settings,
	}
	if p.terms.Grant != nil {
		sum.Grant = p.terms.Grant.ID
	}
	head := &wire.Record{Round: number, Body: &wire.Record_Sum{Sum: sum}}
	if err := p.out.WriteSet(head, matrices(p.collector.Layout(), cells)...); err != nil {
		return err
	}
	end := &wire.RoundClose{Units: units, Records: records, UnitDigest: digest}
	if err := p.out.Write(&wire.Record{Round: number, Body: &wire.Record_RoundClose{RoundClose: end}}); err != nil {
		return err
	}
	return p.out.Flush()
}
