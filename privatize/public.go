package main

import (
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/release"
)

// public releases exact sums of public contributions. Public contributions were nobody's secret: no ledger is charged,
// and none is needed.
func (c *sumsCommand) public(r *filter.Run, in *sources, terms *release.Terms, run string) error {
	if _, err := in.settle(nil); err != nil {
		return err
	}
	collector, err := release.NewCollector(terms)
	if err != nil || r.DryRun() {
		return err
	}
	out, err := endpoint.CreateStream(c.Output, releaseHeader(in.header, run), c.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	in.deadline = newDeadline(c.RoundTimeout)
	s := publicSums{sender: sender{r, nil, collector, out}}
	if err := in.deadline.within(func() error { return in.rounds(&s) }); err != nil {
		return err
	}
	return out.Commit()
}

// publicSums turns rounds of public contributions into releases: see rounder.
type publicSums struct {
	sender
	scheme event.Scheme // of the round under way
}

func (s *publicSums) begin(_ uint32, _ *wire.RoundOpen, scheme event.Scheme) (*release.Collector, error) {
	s.scheme = scheme
	s.collector.Open()
	return s.collector, nil
}

func (s *publicSums) end(number uint32, units, records, digest uint64) error {
	cells, _, err := s.collector.Sum(release.Announced{Units: units, Records: records, Digest: digest})
	if err != nil {
		return err
	}
	metrics.Units(int(units))
	return s.send(number, s.scheme, cells)
}

// released is false: publicSums keeps no record of its releases, and a round that comes again has the same sum.
func (s *publicSums) released(uint32) bool { return false }
