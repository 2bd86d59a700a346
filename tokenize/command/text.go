// Package command has the commands of tokenize that read texts, rows and images.
package command

import (
	"context"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/bag"
	"privpipe/tokenize/internal/name"
	"privpipe/tokenize/streams"
)

// output are the flags of the commands that write documents.
type output struct {
	Output string `short:"o" placeholder:"FILE" help:"Write the documents to FILE; standard output by default."`
	Public bool   `help:"Mark the output as public, so that stages outside the privacy wall read it. Only for public input; by default the output is private."`
	filter.Compress
}

// side is the documents' side of the wall.
func (o output) side() wire.Side {
	if o.Public {
		return wire.Side_PUBLIC
	}
	return wire.Side_PRIVATE
}

// checkTopics refuses a topic with a name that states another side of the wall. It checks the output. With --public it
// also checks the inputs.
func (o output) checkTopics(inputs ...string) error {
	if o.Public {
		if err := endpoint.CheckPublic(inputs...); err != nil {
			return err
		}
	}
	return endpoint.CheckOutput(o.Output, o.side())
}

// create begins the stream of documents. settings identify the rule that made the documents (words.Rule). They are nil
// if another program made them.
func (o output) create(ctx context.Context, words vocabulary.Words, settings []byte) (*endpoint.StreamWriter, error) {
	return endpoint.CreateStream(ctx, o.Output, o.header(words, settings), o.Compress.Compress)
}

func (o output) header(words vocabulary.Words, settings []byte) *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: o.side(),
		Vocabulary: words.Hash(), VocabularySize: uint32(len(words)), Settings: settings,
	}
}

// Text makes documents of texts.
type Text struct {
	Vocab string `placeholder:"FILE" help:"Read the vocabulary from FILE, a word a line; by default 12,000 English words without stop words; english-8000 names the default before December 2026. It must be public."`
	Stop  string `placeholder:"FILE" help:"Count the words of FILE, a PUBLIC list with a word a line, as stop words, of which the share of known words is not taken; by default 740 English stop words."`
	wording
	output
	streams.SizesOutput
	texts
}

// Help is what --help adds for this command.
func (*Text) Help() string { return formatsHelp + "\n\n" + namesHelp }

func (t *Text) Run(r *filter.Run) error {
	if err := t.checkTopics(t.names()...); err != nil {
		return err
	}
	if err := r.Check(append(t.names(), t.Vocab, t.Phrases, t.Stop)...); err != nil {
		return err
	}
	words, lines, err := t.words(r)
	if err != nil {
		return err
	}
	rule, err := t.rule(r)
	if err != nil {
		return err
	}
	stop := vocabulary.StopWords()
	if t.Stop != "" {
		if stop, err = vocabulary.Open(r, t.Stop); err != nil {
			return err
		}
	}
	in, err := t.open(r, t.files)
	if err != nil || r.DryRun() {
		return err
	}
	settings := withDates(rule.Settings(), t.kept)
	out, err := t.create(r, words, settings)
	if err != nil {
		return err
	}
	defer out.Abort()
	sizes, err := t.SizesOutput.Create(r, t.side(), settings, t.Compress.Compress)
	if err != nil {
		return err
	}
	defer sizes.Abort()

	t.spelling = rule.User
	index := bag.NewIndex(words, rule, stop...)
	counters := make([]recorder, t.N())
	for i := range counters {
		counters[i] = &bags{counter: bag.NewCounter(index, len(words), rule)}
	}
	total, err := t.convert(r, show(r, t.Output, in), in, out, counters, func(entries []entry) error {
		for _, e := range entries {
			if err := sizes.Add(e.record.GetDocument(), e.words.Coverage()); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && lines != nil {
		warnDead(r, []list{{t.Vocab, words, lines}}, rule, total.lists)
	}
	if err == nil {
		err = sizes.Commit()
	}
	if err != nil {
		return err
	}
	if total.documents > 0 && total.words.Coverage() < streams.LeastCoverage {
		r.Log.Warn("the vocabulary covers few of the words: is it of the same language? tokenize check gives details")
	}
	return total.commit(r, out, streams.Coverage(total.words)...)
}

// words reads the vocabulary. For a file it also returns each word's line number.
func (t *Text) words(ctx context.Context) (vocabulary.Words, []int, error) {
	if t.Vocab == "" || t.Vocab == vocabulary.Former {
		words, err := vocabulary.OpenOrDefault(ctx, t.Vocab)
		return words, nil, err
	}
	return vocabulary.OpenLines(ctx, t.Vocab)
}

// bags makes bags of words.
type bags struct {
	counter *bag.Counter
	hasher  name.Hasher
}

func (b *bags) record(of document) (e entry, err error) {
	d := of.names
	b.counter.Add(of.text)
	e.words, err = b.counter.Bag(d)
	if d.Id == "" {
		e.content = b.hasher.Document(d)
	}
	e.names, e.record, e.empty = d, &wire.Record{Body: &wire.Record_Document{Document: d}}, len(d.Counts) == 0
	return e, err
}
