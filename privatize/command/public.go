package command

import (
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/release"
	"privpipe/privatize/rounds"
)

// public releases exact sums of public contributions. Public contributions were nobody's secret: no ledger is charged,
// and none is needed.
func (c *sumFlags) public(r *filter.Run, in *rounds.Sources, terms *release.Terms, run string) error {
	if _, err := in.Settle(nil); err != nil {
		return err
	}
	collector, err := release.NewCollector(terms)
	if err != nil || r.DryRun() {
		return err
	}
	out, err := endpoint.CreateStream(r, c.Output, releaseHeader(in.Header, run), c.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	s := publicSums{sender: sender{r, nil, collector, out}}
	if err := in.Take(c.RoundTimeout, &s); err != nil {
		return err
	}
	return out.Commit()
}

// publicSums turns rounds of public contributions into releases: see rounds.Taker.
type publicSums struct {
	sender
	scheme event.Scheme // of the round under way
}

func (s *publicSums) Begin(_ uint32, _ *wire.RoundOpen, scheme event.Scheme) (*release.Collector, error) {
	s.scheme = scheme
	s.collector.Open()
	return s.collector, nil
}

func (s *publicSums) End(number uint32, announced release.Announced) error {
	cells, _, err := s.collector.Sum(announced)
	if err != nil {
		return err
	}
	metrics.Units(int(announced.Units))
	return s.send(number, s.scheme, cells)
}

// Released is false: publicSums keeps no record of its releases, and a round that comes again has the same sum.
func (s *publicSums) Released(uint32) bool { return false }
