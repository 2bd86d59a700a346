package reconstruct

import (
	"fmt"
	"io"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// reports are one batch of reports, with each author's report once.
type reports struct {
	*batch
	most    int            // largest number of words in a report
	numbers map[string]int // the reports' numbers by their ids
}

// newReports begins a batch of reports under a grant.
func newReports(g *event.Grant) *reports {
	most := g.ReportWords
	if most == 0 {
		most = g.VocabularySize
	}
	return &reports{newBatch(g.VocabularySize), most, make(map[string]int)}
}

// take adds a report, unless it came before.
func (r *reports) take(d *wire.Document) error {
	for _, count := range d.Counts {
		if count != 1 {
			return fmt.Errorf("document %q counts a word more than once, so it is no report of randomized response",
				d.Id)
		}
	}
	if len(d.WordGaps) > r.most {
		return fmt.Errorf("document %q has %d words, but reports under the grant have at most %d", d.Id,
			len(d.WordGaps), r.most)
	}
	before, again := r.numbers[d.Id]
	if !again {
		r.numbers[d.Id] = len(r.reports)
		r.add(d)
		return nil
	}
	if !slices.Equal(r.document(before).WordGaps, d.WordGaps) {
		return exit.Errorf(exit.Malformed, "a second report has the id %q and other bits", d.Id).
			WithHint("older programs numbered the reports of each stream: such reports of several authors cannot be " +
				"told apart")
	}
	return nil
}

// undo forgets the reports after the first n.
func (r *reports) undo(n int) {
	for _, d := range r.reports[n:] {
		delete(r.numbers, d.Id)
	}
	r.truncate(n)
}

// readAll takes all reports from an input without rounds. After an error it takes none.
func (r *reports) readAll(streams []*endpoint.StreamReader) error {
	before := len(r.reports)
	for _, in := range streams {
		if err := r.read(in); err != nil {
			r.undo(before)
			return err
		}
	}
	return nil
}

// takeAll takes all reports in one message. After an error it takes none.
func (r *reports) takeAll(records []*wire.Record) error {
	before := len(r.reports)
	for _, record := range records {
		if err := r.take(record.GetDocument()); err != nil {
			r.undo(before)
			return err
		}
	}
	return nil
}

// read takes all reports from a stream.
func (r *reports) read(in *endpoint.StreamReader) error {
	for {
		record, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.take(record.GetDocument()); err != nil {
			return in.Errorf("%w", err)
		}
	}
}
