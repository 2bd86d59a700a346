package reconstruct

import (
	"io"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// reports are those of one batch, each author's once.
type reports struct {
	*batch
	numbers map[string]int // of the reports, by their ids
}

func newReports(words int) *reports { return &reports{newBatch(words), make(map[string]int)} }

// take adds a report, unless it came before. in is where it came from.
func (r *reports) take(in *endpoint.StreamReader, d *wire.Document) error {
	for _, count := range d.Counts {
		if count != 1 {
			return exit.Errorf(exit.Malformed, "%s: document %q counts a word more than once, so it is no report of randomized response", in.Name(), d.Id)
		}
	}
	before, again := r.numbers[d.Id]
	if !again {
		r.numbers[d.Id] = len(r.reports)
		r.add(d)
		return nil
	}
	if !slices.Equal(r.document(before).WordGaps, d.WordGaps) {
		return exit.Errorf(exit.Malformed, "%s: a second report has the id %q and other bits", in.Name(), d.Id).
			WithHint("older programs numbered the reports of each stream: such reports of several authors cannot be told apart")
	}
	return nil
}

// readAll takes all reports of an input without rounds, or after an error none.
func (r *reports) readAll(streams []*endpoint.StreamReader) error {
	before := len(r.reports)
	for _, in := range streams {
		if err := r.read(in); err != nil {
			for _, d := range r.reports[before:] {
				delete(r.numbers, d.Id)
			}
			r.truncate(before)
			return err
		}
	}
	return nil
}

// read takes all reports of a stream.
func (r *reports) read(in *endpoint.StreamReader) error {
	for {
		record, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.take(in, record.GetDocument()); err != nil {
			return err
		}
	}
}
