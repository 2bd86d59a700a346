package streams

import (
	"context"
	"fmt"
	"io"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Check reads the documents of a planned run. At ε = 1 and with the default of --min-documents, word frequencies
// begin to show. The table has in each half the number of training documents, the perplexity of word frequencies, and a
// topic model's perplexity by document completion. Both are on held-out comments of Go's source, after lda.sh --topics
// 10. A uniform model has 8,000.
//
//	  500  8,119  7,795     5,000  4,666  5,908
//	1,000  7,786  7,352    10,000  3,434  3,925
//	2,000  5,713  5,848    20,000  2,693  2,687
type Check struct {
	MinDocuments uint64   `zero:"" default:"1000" placeholder:"N" help:"Refuse fewer privacy units (default ${default}). A unit is a document; with --unit user, a user or a document without a user."`
	MinCoverage  float64  `zero:"" default:"0.4" placeholder:"SHARE" help:"Refuse a vocabulary that covers a smaller share of the words of the text, stop words left out (default ${default})."`
	MaxEmpty     float64  `zero:"" default:"0.5" placeholder:"SHARE" help:"Refuse a larger share of documents without a word of the vocabulary (default ${default})."`
	Unit         string   `enum:",document,user" default:"" placeholder:"UNIT" help:"Privacy unit of the planned run: document or user; by default user if a document names one."`
	Force        bool     `help:"Warn instead of refusing."`
	JSON         bool     `name:"json" help:"Print JSON instead of a table."`
	Output       string   `short:"o" placeholder:"FILE" help:"Write the report to FILE; standard output by default, also to a terminal."`
	Inputs       []string `arg:"" optional:"" help:"Streams of all documents of the planned run; standard input by default."`
}

// Help is kong's hook.
func (*Check) Help() string {
	return "The report describes private documents and no budget covers it: it is only for people behind the privacy " +
		"wall, and so is the exit code: whoever writes all other documents learns by it whether one document is " +
		"there. No recipe calls this command; recipes decide by a release (tokenize text --sizes, estep size, " +
		"account advise --size). The exit code is 83 if the documents are not worth a budget: too few documents, a " +
		"vocabulary that lacks most of their words, too many documents without a known word, or one document with " +
		"most of all words. A message then names the reason, without a number that depends on the data. The coverage " +
		"of the vocabulary is known only for streams that tokenize wrote. Each user takes some 40 bytes of memory, " +
		"and each document 20."
}

// Validate is kong's hook.
func (c *Check) Validate() error {
	switch {
	case !(c.MinCoverage >= 0 && c.MinCoverage <= 1):
		return fmt.Errorf("--min-coverage must be in [0, 1], is %v", c.MinCoverage)
	case !(c.MaxEmpty >= 0 && c.MaxEmpty <= 1):
		return fmt.Errorf("--max-empty must be in [0, 1], is %v", c.MaxEmpty)
	}
	return nil
}

// Run is kong's hook.
func (c *Check) Run(r *filter.Run) error {
	if err := endpoint.Once(r, c.inputs()); err != nil {
		return err
	}
	p, err := c.read(r)
	if err != nil || r.DryRun() {
		return err
	}
	if p.Documents == 0 {
		return ErrEmpty("a document", c.inputs()...)
	}
	faults := c.faults(p)
	if err := c.write(r, p, faults); err != nil {
		return err
	}
	if len(faults) == 0 {
		return nil
	}
	if c.Force {
		for _, f := range faults {
			r.Log.Warn(f.what)
		}
		return nil
	}
	var what, hints []string
	for _, f := range faults {
		what, hints = append(what, f.what), append(hints, f.hint)
	}
	return exit.Errorf(exit.Refused, "%s", strings.Join(what, "; ")).
		WithHint("%s; --force continues anyway", strings.Join(hints, "; "))
}

// inputs are the names of the inputs.
func (c *Check) inputs() []string {
	if len(c.Inputs) == 0 {
		return []string{endpoint.Stdio}
	}
	return c.Inputs
}

// read reads all documents. In a dry run it reads only their headers.
func (c *Check) read(r *filter.Run) (*profile, error) {
	p := newProfile()
	for _, name := range c.inputs() {
		streams, h, err := endpoint.OpenStreams(r, name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}})
		if err != nil {
			return nil, err
		}
		if err = p.header(h); err != nil {
			err = exit.Errorf(exit.Malformed, "%s: %w than %s", name, err, c.inputs()[0])
		}
		for _, in := range streams {
			if err == nil && !r.DryRun() {
				err = p.stream(r, in)
			}
			in.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// stream reads the documents of one stream.
func (p *profile) stream(r *filter.Run, in *endpoint.StreamReader) error {
	for r.Err() == nil {
		record, err := in.Next()
		if err == io.EOF {
			p.tallies(in.Tallies())
			return nil
		}
		if err != nil {
			return err
		}
		p.Add(record.GetDocument())
	}
	return r.Err()
}

// A fault is a reason why documents are not worth a budget, with a hint. It holds no number that depends on the data.
type fault struct{ what, hint string }

// faults returns the faults of the documents that p describes.
func (c *Check) faults(p *profile) (faults []fault) {
	add := func(is bool, what, hint string) {
		if is {
			faults = append(faults, fault{what, hint})
		}
	}
	unit, units := wire.Unit_DOCUMENT, "documents"
	hint := "the noise does not shrink with fewer documents, so it exceeds what few documents say"
	if c.Unit == "user" || c.Unit == "" && p.WithUser > 0 {
		unit, units = wire.Unit_USER, "users"
	}
	if c.Unit == "" && p.WithUser > 0 {
		hint += "; --unit document protects one document and not all of a user's"
	}
	add(p.Units(unit) < c.MinDocuments, fmt.Sprintf("fewer %s than --min-documents %d", units, c.MinDocuments), hint)
	add(p.stated && p.Documents > 0 && p.coverage() < c.MinCoverage,
		fmt.Sprintf("the vocabulary covers a smaller share of the words than --min-coverage %v", c.MinCoverage),
		p.otherWords())
	add(p.Documents > 0 && p.emptyShare() > c.MaxEmpty,
		fmt.Sprintf("a larger share of documents without a word of the vocabulary than --max-empty %v", c.MaxEmpty),
		"an empty document contributes nothing")
	add(p.Documents > 0 && p.longestShare() > 0.5,
		"one document holds most of all words",
		"each line of JSON Lines is a document, and each .txt file is one")
	add(p.WithUser == 0 && p.Documents > 0 && c.Unit == "user",
		"no document names a user, so --unit user protects single documents",
		"a line names its user as {\"text\",\"user\"}")
	return faults
}

// otherWords is a hint for a vocabulary that lacks most words. About half of an English text's words are stop words.
func (p *profile) otherWords() string {
	if 5*p.text.Stop < p.text.All {
		return "few of the words are stop words: for another language than English, the recipe public.sh --language " +
			"makes a dictionary, and tokenize text --stop takes its stop words; code and markup have few, too"
	}
	return "tokenize vocab makes a vocabulary of public text that is like this one"
}

// write prints the profile. The profile is private. But it may go to a terminal, since it is for the person who asked.
// A file can be read only by its owner.
func (c *Check) write(ctx context.Context, p *profile, faults []fault) error {
	b, err := p.table(), error(nil)
	if c.JSON {
		b, err = p.json(faults)
	}
	if err != nil {
		return err
	}
	if c.Output == "" || c.Output == endpoint.Stdio {
		return endpoint.WriteFile(ctx, endpoint.Stdio, wire.Side_PUBLIC, b)
	}
	return endpoint.WriteFile(ctx, c.Output, p.side, b)
}
