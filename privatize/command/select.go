package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/selection"
	"privpipe/privatize/rounds"
)

// Select is privatize select.
type Select struct {
	grantFlag
	charged
	Top    int      `default:"16777216" placeholder:"N" help:"Release at most N words, by decreasing noisy weight. The limit costs nothing."`
	Output string   `short:"o" placeholder:"FILE" help:"Write the vocabulary to this file. Default: standard output."`
	Inputs []string `arg:"" optional:"" name:"input" default:"-" help:"Read streams of terms from tokenize terms. Default: standard input. Each of several streams holds other documents."`
}

// Help is what --help adds for this command.
func (*Select) Help() string {
	return "Each unit votes for at most as many of its words as the grant says. Each of t votes weighs 1/√t. A word " +
		"is released if " +
		"its weight, with noise, reaches the grant's threshold. The output is the vocabulary file that tokenize text " +
		"reads, with " +
		"the largest noisy weight first. The release is charged to the ledger like any other. With tokenize terms " +
		"--outside FILE a unit votes only for words that a dictionary lacks, such as names of products."
}

// Validate is kong's hook.
func (c *Select) Validate() error {
	if c.Top < 1 || c.Top > wire.MaxVocabulary {
		return exit.Errorf(exit.Usage, "--top must be in [1, %d], is %d", wire.MaxVocabulary, c.Top)
	}
	return nil
}

// Run is kong's hook. It only carries words to and from internal/selection.
func (c *Select) Run(r *filter.Run) error {
	if err := c.need(); err != nil {
		return err
	}
	if err := r.Check(append(c.Inputs, c.Ledger, c.Grant)...); err != nil {
		return err
	}
	grant, err := c.read(r, event.Select)
	if err != nil {
		return err
	}
	if err := endpoint.Distinct(r, c.Output, c.Inputs...); err != nil {
		return err
	}
	in, run, err := openTerms(r, c.Inputs)
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
	// The output is created before the charge: if that fails, nothing is charged. A terminal may show a list of words.
	out, err := endpoint.Create(r, cmp.Or(c.Output, endpoint.Stdio), wire.Side_PUBLIC)
	if err != nil {
		return err
	}
	defer out.Abort()
	selector, err := selection.Open(c.Ledger, terms)
	if err != nil {
		return err
	}
	defer selector.Close()
	documents := 0
	for _, stream := range in {
		n, err := votes(selector, stream)
		if err != nil {
			return err
		}
		documents += n
	}
	if documents == 0 {
		return exit.Errorf(exit.Malformed, "%s: no document", strings.Join(c.Inputs, ", "))
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
	if _, err := out.Write(content); err != nil {
		return err
	}
	return out.Commit()
}

// settings returns the hash of all public settings that the stored release depends on.
func (c *Select) settings(grant *event.Grant) (string, error) {
	return rounds.Digest(struct {
		Top   int
		Grant *event.Grant
	}{c.Top, grant})
}

var spelled = endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_TERMS}, Whole: true}

// openTerms opens streams of terms, and returns the run that the first one names.
func openTerms(ctx context.Context, names []string) (in []*endpoint.StreamReader, run string, err error) {
	for _, name := range names {
		r, h, err := endpoint.OpenStream(ctx, name, spelled)
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

// votes hands the words of every document over, up to the stream's end record. It returns the number of documents.
func votes(selector *selection.Selector, in *endpoint.StreamReader) (documents int, err error) {
	defer in.Close()
	for ; ; documents++ {
		record, err := in.Next()
		if err == io.EOF {
			return documents, nil
		}
		if err != nil {
			return 0, err
		}
		t := record.GetTerms()
		if err := selector.Add(t.Id, t.User, t.Words); err != nil {
			return 0, err
		}
	}
}

// vocabularyFile returns the file that is stored and released: one word a line, by decreasing noisy weight, as package
// vocabulary reads it. The privatizer does not import that package, which opens files of all kinds.
func vocabularyFile(words []string) []byte {
	var b bytes.Buffer
	for _, word := range words {
		fmt.Fprintln(&b, word)
	}
	return b.Bytes()
}
