package main

import (
	"bytes"
	"fmt"
	"io"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/selection"
)

type selectCommand struct {
	leave
	charged
	Top    int      `default:"16777216" placeholder:"N" help:"Release at most so many words, those of most noisy weight. It costs nothing."`
	Output string   `short:"o" placeholder:"FILE" help:"Where the vocabulary goes; standard output by default."`
	Inputs []string `arg:"" optional:"" name:"input" default:"-" help:"Streams of terms from tokenize terms; standard input by default. Of several, each holds other documents."`
}

// Help is what --help adds for this command.
func (*selectCommand) Help() string {
	return "Each unit votes for some of its words, as many as the grant says; its votes weigh 1/√t for t words. Words whose " +
		"weight, with noise, reaches the grant's threshold are released, most weight first, as the vocabulary file that " +
		"tokenize text reads. It is charged to the ledger like any release."
}

func (c *selectCommand) Validate() error {
	if c.Top < 1 || c.Top > wire.MaxVocabulary {
		return exit.Errorf(exit.Usage, "--top must be in [1, %d], is %d", wire.MaxVocabulary, c.Top)
	}
	return nil
}

// Run is kong's hook. It only carries words to and from internal/selection.
func (c *selectCommand) Run(r *filter.Run) error {
	if err := c.need(); err != nil {
		return err
	}
	if err := r.Check(append(c.Inputs, c.Ledger, c.Grant)...); err != nil {
		return err
	}
	grant, err := c.read(event.Select)
	if err != nil {
		return err
	}
	if err := endpoint.Distinct(c.Output, c.Inputs...); err != nil {
		return err
	}
	in, run, err := openTerms(c.Inputs)
	if err != nil {
		return err
	}
	terms := selection.Terms{Dataset: c.Dataset, Grant: grant, Top: c.Top}
	if terms.Run, err = c.name(run, grant.ID); err != nil {
		return err
	}
	if terms.Settings, err = c.settings(grant); err != nil || r.DryRun() {
		return err
	}
	selector, err := selection.Open(c.Ledger, terms)
	if err != nil {
		return err
	}
	defer selector.Close()
	if err := c.keeps(c.Output); err != nil {
		return err
	}
	for _, stream := range in {
		if err := votes(selector, stream); err != nil {
			return err
		}
	}
	content, replayed, err := selector.Release(func(words []string) ([]byte, error) {
		if len(words) == 0 {
			r.Log.Warn("no word reaches the threshold: the vocabulary is empty")
		}
		return vocabularyFile(words), nil
	})
	if err != nil {
		return err
	}
	if replayed {
		r.Log.Info("the vocabulary was released before: sending its stored release again")
	} else {
		r.Status("vocabulary released")
	}
	return endpoint.WriteFile(c.Output, wire.Side_PUBLIC, content)
}

// settings is the hash of all public settings that the stored release depends on.
func (c *selectCommand) settings(grant *event.Grant) (string, error) {
	return digest(struct {
		Top   int
		Grant *event.Grant
	}{c.Top, grant})
}

var spelled = endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_TERMS}, Whole: true}

// openTerms opens streams of terms, and returns the run that the first one names.
func openTerms(names []string) (in []*endpoint.StreamReader, run string, err error) {
	for _, name := range names {
		r, h, err := endpoint.OpenStream(name, spelled)
		if err != nil {
			return nil, "", err
		}
		if in = append(in, r); len(in) == 1 {
			run = h.Run
		}
		if h.Side == wire.Side_PUBLIC {
			return nil, "", nothingToProtect(r.Name())
		}
	}
	return in, run, nil
}

// votes hands the words of a stream over, to its end record.
func votes(selector *selection.Selector, in *endpoint.StreamReader) error {
	defer in.Close()
	for {
		record, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		t := record.GetTerms()
		if err := selector.Add(t.Id, t.User, t.Words); err != nil {
			return err
		}
	}
}

// vocabularyFile is what is stored and released, the words of most noisy weight first, as package vocabulary reads it. That package
// opens files of all kinds, which the privatizer need not.
func vocabularyFile(words []string) []byte {
	var b bytes.Buffer
	for _, word := range words {
		fmt.Fprintln(&b, word)
	}
	return b.Bytes()
}
