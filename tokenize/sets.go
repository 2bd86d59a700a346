package main

import (
	"io"
	"maps"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire"
)

// sets makes each word of a document count once.
type sets struct {
	Output string `short:"o" placeholder:"FILE" help:"Write the documents to FILE; standard output by default."`
	Input  string `arg:"" optional:"" default:"-" help:"Stream of documents; standard input by default."`
	filter.Compress
}

// Help is what --help adds for this command.
func (*sets) Help() string {
	return "All else of a document stays as it is, its name among it. Reports of privatize randomized-response are such sets, " +
		"and a model of them is compared on sets only."
}

// Run is kong's hook.
func (s *sets) Run(r *filter.Run) error {
	if err := endpoint.Distinct(s.Output, s.Input); err != nil {
		return err
	}
	wanted := endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Whole: true, Ended: true}
	if r.DryRun() {
		return endpoint.CheckStream(r, s.Input, wanted)
	}
	in, h, err := endpoint.OpenStream(s.Input, wanted)
	if err != nil {
		return err
	}
	defer in.Close()
	h.Version = wire.Version // the output is written anew
	out, err := endpoint.CreateStream(s.Output, h, s.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	for documents := 0; r.Err() == nil; documents++ {
		record, err := in.Next()
		if err == io.EOF && documents == 0 {
			return errEmpty("a document", s.Input)
		}
		if err == io.EOF {
			return out.Commit(tallies(in.Tallies())...)
		}
		if err != nil {
			return err
		}
		metrics.Documents(1)
		d := record.GetDocument()
		for i := range d.Counts {
			d.Counts[i] = 1
		}
		if err := out.Write(record); err != nil {
			return exit.Errorf(exit.Code(err), "%s: %w", in.Name(), err)
		}
	}
	return r.Err()
}

// tallies are those of the input, which are of the text: its coverage stays known.
func tallies(values map[string]uint64) (all []*wire.Tally) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, &wire.Tally{Name: name, Value: values[name]})
	}
	return all
}
