package command

import (
	"bytes"
	"fmt"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/parallel"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/bag"
	"privpipe/tokenize/internal/source"
	"privpipe/tokenize/internal/words"
	"privpipe/tokenize/streams"
)

// Phrases makes a list of phrases.
type Phrases struct {
	filter.Workers
	public
	MinCount  uint64  `default:"5" help:"Leave out pairs with fewer occurrences, and subtract as many in the score (default ${default})."`
	Threshold float64 `zero:"" default:"10" help:"Leave out pairs with a lower score (default ${default}). A higher one leaves fewer pairs."`
	Output    string  `short:"o" placeholder:"FILE" help:"Write the phrases to FILE; standard output by default."`
	wording
	inputs
}

// Help is what --help adds for this command.
func (*Phrases) Help() string {
	return "The text must be PUBLIC: phrases of private text are a release that no budget covers. The list has the " +
		"pairs of neighbouring " +
		"words that occur together more often than the words suggest, the best first. Score and defaults are those " +
		"of gensim's Phrases " +
		"(Mikolov et al. 2013, equation 6): (pairs − min-count) · different words and pairs / (first word · second " +
		"word). With --phrases, " +
		"words of the pairs may be phrases, so a second pass finds phrases of up to four words; give both lists, one " +
		"after the other " +
		"in one file, to the other commands. A different pair takes some 40 bytes of memory.\n\n" + formatsHelp
}

func (p *Phrases) Validate() error {
	switch {
	case p.MinCount < 1:
		return fmt.Errorf("--min-count must be at least 1, is %d", p.MinCount)
	case !(p.Threshold >= 0): // also NaN
		return fmt.Errorf("--threshold must be at least 0, is %v", p.Threshold)
	}
	return p.inputs.Validate()
}

func (p *Phrases) Run(r *filter.Run) error {
	if err := p.check("phrases are learned", p.names()); err != nil {
		return err
	}
	if err := r.Check(append(p.names(), p.Phrases)...); err != nil {
		return err
	}
	rule, err := p.rule(r)
	if err != nil {
		return err
	}
	in, err := p.open(r, p.files)
	if err != nil || r.DryRun() {
		return err
	}
	meter := show(r, p.Output, in)
	splitters := make([]words.Splitter, p.N())
	for i := range splitters {
		splitters[i].Rule = rule
	}
	work := func(worker int, chunk source.Chunk) (*bag.Pairs, error) {
		counts := bag.NewPairs()
		for line, d := range documents(chunk, p.MaxDocument) {
			if d.err != nil {
				return nil, malformed(chunk, line, d.err)
			}
			counts.Add(&splitters[worker], d.text)
			meter.Documents.Add(1)
		}
		return counts, nil
	}
	total := bag.NewPairs()
	err = parallel.Map(r, p.N(), in.Next, work, func(counts *bag.Pairs) error {
		total.Merge(counts)
		return nil
	})
	if err != nil {
		return err
	}
	if meter.Documents.Load() == 0 {
		return streams.ErrEmpty("a document", p.names()...)
	}
	best := vocabulary.Words(total.Best(p.MinCount, p.Threshold))
	if len(best) == 0 {
		return exit.Errorf(exit.Failure, "no pair of words is in the text %d times with a score over %v", p.MinCount,
			p.Threshold)
	}
	var b bytes.Buffer
	if err := best.Write(&b); err != nil {
		return err
	}
	return endpoint.WriteFile(r, p.Output, wire.Side_PUBLIC, b.Bytes())
}
