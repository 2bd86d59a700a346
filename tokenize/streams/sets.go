package streams

import (
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Sets makes each word count once per document.
type Sets struct{ rewriting }

// Help is what --help adds for this command.
func (*Sets) Help() string {
	return "All else of a document stays as it is, its name among it. Reports of privatize randomized-response are " +
		"such sets, and a model of them is compared on sets only."
}

// Run is kong's hook.
func (s *Sets) Run(r *filter.Run) error {
	if err := endpoint.Distinct(r, s.Output, s.Input); err != nil {
		return err
	}
	return s.rewrite(r, rewriter{
		header: func(*endpoint.StreamReader, *wire.Header) error { return nil },
		record: func(record *wire.Record) *wire.Record {
			d := record.GetDocument()
			for i := range d.Counts {
				d.Counts[i] = 1
			}
			return record
		},
		// The tallies are about the text: its coverage stays known.
		tallies: func(of map[string]uint64) map[string]uint64 { return of },
	})
}
