package main

import (
	"errors"
	"unicode/utf8"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/ordered"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/tokenize/internal/bag"
	"privpipe/tokenize/internal/source"
)

// output are the flags of the commands that write documents.
type output struct {
	Vocab  string `required:"" placeholder:"FILE" help:"Vocabulary: a word a line; must be public."`
	Output string `short:"o" placeholder:"FILE" help:"Where the documents go; standard output by default."`
	Public bool   `help:"The text is public, not private: the output may be read outside the privacy wall."`
	filter.Compress
}

// create begins the stream of documents.
func (o output) create(words vocabulary.Words) (*endpoint.StreamWriter, error) {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE,
		Vocabulary: words.Hash(), VocabularySize: uint32(len(words)),
	}
	if o.Public {
		h.Side = wire.Side_PUBLIC
	}
	return endpoint.CreateStream(o.Output, h, o.Compress.Compress)
}

type text struct {
	output
	filter.Workers
	OnError     string   `enum:"stop,skip" default:"stop" help:"What to do at a malformed document: ${enum}. Skipped ones are counted in the output's end record."`
	MaxDocument int      `default:"67108864" placeholder:"BYTES" help:"A larger document is malformed (default 64 MiB)."`
	Inputs      []string `arg:"" optional:"" help:"Files and folders; standard input (JSON Lines) by default."`
}

func (t *text) Validate() error {
	if t.MaxDocument < 1 {
		return exit.Errorf(exit.Usage, "--max-document must be at least 1, is %d", t.MaxDocument)
	}
	return nil
}

// counted is what a worker made of a chunk.
type counted struct {
	batches                   []*stream.Batch
	documents, empty, skipped uint64
}

func (t *text) Run(r *filter.Run) error {
	words, err := vocabulary.Open(t.Vocab)
	if err != nil {
		return err
	}
	if err := endpoint.Distinct(t.Output, append(t.Inputs, t.Vocab)...); err != nil {
		return err
	}
	in, err := source.NewReader(t.Inputs, t.MaxDocument)
	if err != nil || r.DryRun() {
		return err
	}
	out, err := t.create(words)
	if err != nil {
		return err
	}
	defer out.Abort()

	index := bag.NewIndex(words)
	counters := make([]*bag.Counter, t.N())
	for i := range counters {
		counters[i] = bag.NewCounter(index, len(words))
	}
	var total counted
	work := func(worker int, chunk source.Chunk) (counted, error) {
		return t.count(out.Framer(), counters[worker], chunk)
	}
	err = ordered.Map(r, t.N(), in.Next, work, func(c counted) error {
		total.documents += c.documents
		total.empty += c.empty
		total.skipped += c.skipped
		for _, b := range c.batches {
			if err := out.WriteBatch(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case total.documents == 0 && total.skipped > 0:
		return exit.Errorf(exit.Malformed, "every document is malformed").WithHint("--on-error stop says how")
	case total.documents > 0 && total.documents == total.empty:
		r.Log.Warn("no document has a word of the vocabulary: is it theirs?")
	}
	r.SummarizePrivate("documents", total.documents)
	r.SummarizePrivate("empty", total.empty)
	r.SummarizePrivate("skipped", total.skipped)
	return out.Commit(&wire.Tally{Name: "empty", Value: total.empty}, &wire.Tally{Name: "skipped", Value: total.skipped})
}

// count turns a chunk into batches of documents.
func (t *text) count(framer *stream.Framer, counter *bag.Counter, chunk source.Chunk) (c counted, err error) {
	var records []*wire.Record
	add := func(line int, parse func() (*wire.Document, error)) error {
		d, err := parse()
		if err != nil {
			if t.OnError == "skip" {
				c.skipped++
				return nil
			}
			return t.malformed(chunk, line, err)
		}
		if c.documents++; len(d.Counts) == 0 {
			c.empty++
		}
		records = append(records, &wire.Record{Body: &wire.Record_Document{Document: d}})
		return nil
	}
	tooLong := exit.Errorf(exit.Malformed, "document larger than --max-document %d", t.MaxDocument)
	if chunk.Line == 0 {
		err = add(0, func() (*wire.Document, error) {
			if chunk.TooLong {
				return nil, tooLong
			}
			return textDocument(counter, chunk)
		})
	} else {
		for number, line := range chunk.Lines(t.MaxDocument) {
			err = add(number, func() (*wire.Document, error) {
				if line == nil {
					return nil, tooLong
				}
				return lineDocument(counter, line)
			})
			if err != nil {
				break
			}
		}
	}
	if err == nil {
		c.batches, err = framer.Batches(records)
	}
	return c, err
}

// malformed says where the document is. The file and the line are the caller's own; the message quotes no content.
func (t *text) malformed(chunk source.Chunk, line int, err error) error {
	where := exit.Errorf(exit.Malformed, "%s: %w", chunk.Name, err)
	if line > 0 {
		where = exit.Errorf(exit.Malformed, "%s: line %d: %w", chunk.Name, line, err)
	}
	return where.WithHint("--on-error skip leaves malformed documents out and counts them")
}

func lineDocument(counter *bag.Counter, line []byte) (*wire.Document, error) {
	fields, err := source.ParseLine(line)
	if err != nil {
		return nil, err
	}
	d := &wire.Document{Id: string(fields.ID), User: string(fields.User), Label: string(fields.Label)}
	counter.Add(*fields.Text)
	return d, finish(counter, d)
}

func textDocument(counter *bag.Counter, chunk source.Chunk) (*wire.Document, error) {
	if err := source.CheckText(chunk.Content); err != nil {
		return nil, err
	}
	if source.IsBag(chunk.Content) {
		return nil, errors.New("a UCI bag of words, not a text: tokenize uci reads it")
	}
	if !utf8.ValidString(chunk.ID) {
		return nil, errors.New("the path, which is the document's id, is not UTF-8")
	}
	d := &wire.Document{Id: chunk.ID}
	counter.Add(chunk.Content)
	return d, finish(counter, d)
}

// finish moves the counted words into d, and checks d here, where the line is known, not when it is written.
func finish(counter *bag.Counter, d *wire.Document) error {
	if err := counter.Bag(d); err != nil {
		return err
	}
	return wire.CheckDocumentNames(d)
}
