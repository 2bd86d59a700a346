package command

import (
	"context"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/release"
	"privpipe/privatize/rounds"
)

// Combine is privatize combine. It makes partial sums. They stay private, so nothing is charged for them.
type Combine struct {
	Grant        string        `placeholder:"FILE" help:"Bound contributions as this grant says, under which the sums will be released. Without a grant the sums are for privatize none."`
	RoundTimeout time.Duration `placeholder:"TIME" help:"Give up if a round is not complete within this time after the round before it, or after the start. Default: no limit. Choose more than a round takes, or than a --window of sample."`
	Output       string        `short:"o" placeholder:"FILE" help:"Write the partial sums to this file or topic. Default: standard output."`
	Inputs       []string      `arg:"" optional:"" name:"input" default:"-" help:"Read streams of contributions or of partial sums. Default: standard input. Each of several streams holds other units of every round. Each partition of a topic is summed by itself."`
	filter.Compress
	filter.Cells
}

// Run is kong's hook.
func (c *Combine) Run(r *filter.Run) error {
	if err := r.Check(append(c.Inputs, c.Grant)...); err != nil {
		return err
	}
	var grant *event.Grant
	wanted := rounds.Wanted(c.RoundTimeout)
	if c.Grant == "" {
		wanted.MaxCells = c.MaxCells
	} else {
		f := grantFlag{c.Grant}
		var err error
		if grant, err = f.read(r, ""); err != nil {
			return err
		}
	}
	create := func(h *wire.Header) (*endpoint.StreamWriter, error) {
		return endpoint.CreateStream(r, c.Output, h, c.Compress.Compress)
	}
	if len(c.Inputs) == 1 && endpoint.IsTopic(c.Inputs[0]) && endpoint.IsTopic(c.Output) {
		if r.DryRun() {
			return nil
		}
		return endpoint.Share(r, c.Inputs[0], wanted, c.Output, func(_ context.Context, in *endpoint.Partition) error {
			create := func(h *wire.Header) (*endpoint.StreamWriter,
				error) {
				return in.CreateStream(r, h, c.Compress.Compress)
			}
			return c.combine(r, rounds.Of(in), grant, create)
		})
	}
	in, err := rounds.Open(r, c.RoundTimeout, c.Output, c.Inputs, wanted)
	if err != nil {
		return err
	}
	defer in.Close()
	return c.combine(r, in, grant, create)
}

// combine writes one partial sum for each round that the sources hold.
func (c *Combine) combine(r *filter.Run, in *rounds.Sources, grant *event.Grant,
	create func(*wire.Header) (*endpoint.StreamWriter, error)) error {
	if grant != nil && in.Header.Side == wire.Side_PUBLIC {
		return nothingToProtect(in.Name())
	}
	if _, err := in.Settle(grant); err != nil {
		return err
	}
	terms := newTerms(in.Header, grant)
	collector, err := release.NewCollector(terms)
	if err != nil || r.DryRun() {
		return err
	}
	h := releaseHeader(in.Header, in.Header.Run)
	h.Kind, h.Side, h.Settings = wire.Kind_SUMS, in.Header.Side, in.Header.Settings
	out, err := create(h)
	if err != nil {
		return err
	}
	defer out.Abort()
	p := &parts{collector, terms, in.Settings, out}
	if err := in.Take(c.RoundTimeout, p); err != nil {
		return err
	}
	return out.Commit()
}

// parts turns rounds of contributions into partial sums: see rounds.Taker.
type parts struct {
	collector *release.Collector
	terms     *release.Terms
	settings  []byte
	out       *endpoint.StreamWriter
}

func (p *parts) Begin(number uint32, open *wire.RoundOpen, _ event.Scheme) (*release.Collector, error) {
	if err := p.collector.CheckRound(open.Draws, open.Coupled); err != nil {
		return nil, err
	}
	p.collector.Open()
	return p.collector, p.out.Write(&wire.Record{Round: number, Body: &wire.Record_RoundOpen{RoundOpen: open}})
}

// Released is false: a partial sum is nobody's release.
func (p *parts) Released(uint32) bool { return false }

// membersBytes is the most bytes of unit keys in one record: a round's keys may take several records.
const membersBytes = wire.KeySize << 15

func (p *parts) End(number uint32, announced release.Announced) error {
	cells, members, err := p.collector.Sum(announced)
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
	end := &wire.RoundClose{Units: announced.Units, Records: announced.Records, UnitDigest: announced.Digest}
	if err := p.out.Write(&wire.Record{Round: number, Body: &wire.Record_RoundClose{RoundClose: end}}); err != nil {
		return err
	}
	return p.out.Flush()
}
