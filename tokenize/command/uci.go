package command

import (
	"io"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/bag"
	"privpipe/tokenize/internal/name"
	"privpipe/tokenize/streams"
)

// UCI reads bags of words in the format of the UCI repository.
type UCI struct {
	Vocab string `required:"" placeholder:"FILE" help:"Read the vocabulary of the docword file from FILE, a word a line. It must be public."`
	output
	naming
	Input string `arg:"" optional:"" default:"-" help:"The docword file; standard input by default."`
}

// Help is what --help adds for this command.
func (*UCI) Help() string {
	return "A document is named by a hash of its bag of words. Its number in the file is no name: it changes if an " +
		"earlier document " +
		"is removed, and privacy rests on names that other documents do not change. Equal documents have suffixes: " +
		"-2, -3 and so on. Names take 60 bytes of memory a document. Documents are written in the order of the file."
}

func (u *UCI) Run(r *filter.Run) error {
	if err := u.checkTopics(u.Input); err != nil {
		return err
	}
	if err := r.Check(u.Input, u.Vocab); err != nil {
		return err
	}
	words, err := vocabulary.Open(r, u.Vocab)
	if err != nil {
		return err
	}
	meter := newMeter()
	in, err := plain.OpenCounting(r, u.Input, &meter.Done)
	if err != nil {
		return err
	}
	defer in.Close()
	bags, err := newUCIReader(in, in.Name, len(words))
	if err != nil || r.DryRun() {
		return err
	}
	out, err := u.create(r, words, nil)
	if err != nil {
		return err
	}
	defer out.Abort()
	if size, known := endpoint.Size(r, u.Input); known {
		meter.Total.Store(size)
	}
	r.Show(u.Output, meter.Line)

	documents, empty, tokens := uint64(0), uint64(0), uint64(0)
	namer, hasher := name.NewNamer(u.Prefix), new(name.Hasher)
	for r.Err() == nil {
		d, err := bags.Next()
		if err == io.EOF && documents == 0 {
			return streams.ErrEmpty("a document", u.Input)
		}
		if err == io.EOF {
			r.SummarizePrivate("documents", documents)
			r.SummarizePrivate("empty", empty)
			// The file is over this vocabulary, so all its words are known.
			return out.Commit(append(streams.Coverage(bag.Words{All: tokens, Known: tokens}),
				&wire.Tally{Name: "empty", Value: empty})...)
		}
		if err != nil {
			return err
		}
		metrics.Documents(1)
		meter.Documents.Add(1)
		d.Id = namer.Name(hasher.Document(d))
		if documents++; len(d.Counts) == 0 {
			empty++
		}
		for _, count := range d.Counts {
			tokens += uint64(count)
		}
		if err := out.Write(&wire.Record{Body: &wire.Record_Document{Document: d}}); err != nil {
			return err
		}
	}
	return r.Err()
}
