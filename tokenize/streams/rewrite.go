// Package streams has the commands of tokenize that read streams of documents.
package streams

import (
	"io"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire"
)

// rewriting has the flags of commands that make one stream of documents from another.
type rewriting struct {
	Output string `short:"o" placeholder:"FILE" help:"Write the documents to FILE; standard output by default."`
	Input  string `arg:"" optional:"" default:"-" help:"Stream of documents; standard input by default."`
	filter.Compress
}

// A rewriter makes documents from documents, one by one.
type rewriter struct {
	values  bool                                                  // it also takes documents with values
	header  func(in *endpoint.StreamReader, h *wire.Header) error // makes the output's header from the input's
	record  func(*wire.Record) *wire.Record
	tallies func(of map[string]uint64) map[string]uint64 // makes the output's tallies from the input's
}

// rewrite writes the documents that the rewriter makes. An input without documents is an error.
func (w *rewriting) rewrite(r *filter.Run, by rewriter) error {
	wanted := endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Whole: true, Ended: true, Values: by.values}
	if r.DryRun() {
		return endpoint.CheckStream(r, w.Input, wanted)
	}
	in, h, err := endpoint.OpenStream(r, w.Input, wanted)
	if err != nil {
		return err
	}
	defer in.Close()
	h = proto.CloneOf(h) // the reader checks documents by its own header
	h.Version = wire.Version
	if err := by.header(in, h); err != nil {
		return err
	}
	out, err := endpoint.CreateStream(r, w.Output, h, w.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	for documents := 0; r.Err() == nil; documents++ {
		record, err := in.Next()
		if err == io.EOF && documents == 0 {
			return ErrEmpty("a document", w.Input)
		}
		if err == io.EOF {
			return out.Commit(tallies(by.tallies(in.Tallies()))...)
		}
		if err != nil {
			return err
		}
		metrics.Documents(1)
		if err := out.Write(by.record(record)); err != nil {
			return exit.Errorf(exit.Code(err), "%s: %w", in.Name(), err)
		}
	}
	return r.Err()
}

// tallies returns values as tallies, sorted by name.
func tallies(values map[string]uint64) (all []*wire.Tally) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, &wire.Tally{Name: name, Value: values[name]})
	}
	return all
}

// ErrEmpty is the error for inputs without a record. A later stage would spend a budget on rounds that hold nobody.
func ErrEmpty(record string, inputs ...string) error {
	names := strings.Join(inputs, ", ")
	if names != endpoint.Stdio {
		return exit.Errorf(exit.Malformed, "%s: empty, must have %s", names, record)
	}
	return exit.Errorf(exit.Malformed, "standard input: empty, must have %s", record).
		WithHint("if a command before this one failed, it says why")
}
