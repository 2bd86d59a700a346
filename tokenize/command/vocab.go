package command

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

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

// Vocab makes a vocabulary.
type Vocab struct {
	filter.Workers
	public
	Size         int     `default:"8000" help:"Keep at most this many words, those in the most documents."`
	MinDocuments int     `default:"20" help:"Leave out words in fewer documents."`
	MaxShare     float64 `default:"0.25" help:"Leave out words in more than this share of the documents: mostly function words."`
	MinLetters   int     `zero:"" default:"3" help:"Leave out words of fewer letters, except in scripts without spaces."`
	Output       string  `short:"o" placeholder:"FILE" help:"Write the vocabulary to FILE; standard output by default."`
	stopping
	wording
	inputs
}

// Help is what --help adds for this command.
func (*Vocab) Help() string {
	return "The text must be PUBLIC. The words of a vocabulary depend on every document: a vocabulary of private " +
		"text that is used or shown outside the privacy wall is a release that no budget covers.\n\n" + formatsHelp
}

func (v *Vocab) Validate() error {
	switch {
	case v.Size < 1 || v.Size > wire.MaxVocabulary:
		return fmt.Errorf("--size must be in [1, %d], is %d", wire.MaxVocabulary, v.Size)
	case v.MinDocuments < 1:
		return fmt.Errorf("--min-documents must be at least 1, is %d", v.MinDocuments)
	case !(v.MaxShare > 0 && v.MaxShare <= 1):
		return fmt.Errorf("--max-share must be in (0, 1], is %v", v.MaxShare)
	}
	return v.inputs.Validate()
}

// frequencies counts for each word the documents that contain it.
type frequencies struct {
	documents int
	lists     bool // a text is a list of tokens
	of        map[string]int
}

func (v *Vocab) Run(r *filter.Run) error {
	if err := v.check("a vocabulary is made", v.names()); err != nil {
		return err
	}
	if err := r.Check(append(v.names(), v.Stop, v.Phrases)...); err != nil {
		return err
	}
	rule, err := v.rule(r)
	if err != nil {
		return err
	}
	stop, lists, err := v.stopWords(r, rule)
	if err != nil {
		return err
	}
	in, err := v.open(r, v.files)
	if err != nil || r.DryRun() {
		return err
	}
	meter := show(r, v.Output, in)
	total := frequencies{of: make(map[string]int)}
	splitters := make([]words.Splitter, v.N())
	for i := range splitters {
		splitters[i].Rule = rule
	}
	work := func(worker int, chunk source.Chunk) (frequencies, error) {
		return v.count(&splitters[worker], stop, chunk)
	}
	err = parallel.Map(r, v.N(), in.Next, work, func(f frequencies) error {
		total.documents += f.documents
		total.lists = total.lists || f.lists
		meter.Documents.Add(int64(f.documents))
		for word, n := range f.of {
			total.of[word] += n
		}
		return nil
	})
	if err != nil {
		return err
	}
	if total.documents == 0 {
		return streams.ErrEmpty("a document", v.names()...)
	}
	chosen := v.choose(total)
	if len(chosen) == 0 {
		return exit.Errorf(exit.Failure, "no word is in at least %d documents and at most %v of them", v.MinDocuments,
			v.MaxShare)
	}
	warnDead(r, lists, rule, total.lists)
	var b bytes.Buffer
	if err := chosen.Write(&b); err != nil {
		return err
	}
	return endpoint.WriteFile(r, v.Output, wire.Side_PUBLIC, b.Bytes())
}

func (v *Vocab) count(splitter *words.Splitter, stop *bag.Index, chunk source.Chunk) (frequencies, error) {
	f := frequencies{of: make(map[string]int)}
	last := make(map[string]int) // for each word, the last document that contains it
	add := func(text words.Text) {
		f.documents++
		f.lists = f.lists || text.List
		splitter.Words(text, func(w words.Word) {
			word := w.Bytes
			if len(word) == 0 || len(word) > wire.MaxWord || w.Shorter(v.MinLetters) ||
				last[string(word)] == f.documents {
				return
			}
			last[string(word)] = f.documents
			if stop != nil {
				if _, stopped := stop.Find(w); stopped {
					return
				}
			}
			f.of[string(word)]++
		})
	}
	for line, d := range documents(chunk, v.MaxDocument) {
		if d.err != nil {
			return f, malformed(chunk, line, d.err)
		}
		add(d.text)
	}
	return f, nil
}

// choose returns the words to keep, the most frequent first. Words with equal frequency are in the order of their
// bytes.
func (v *Vocab) choose(f frequencies) vocabulary.Words {
	var chosen vocabulary.Words
	for word, n := range f.of {
		// A quotient, not a product: 29 of 100 documents are a share of 0.29, but 0.29·100 is rounded to below 29.
		if n >= v.MinDocuments && float64(n)/float64(f.documents) <= v.MaxShare {
			chosen = append(chosen, word)
		}
	}
	slices.SortFunc(chosen, func(a, b string) int {
		return cmp.Or(cmp.Compare(f.of[b], f.of[a]), strings.Compare(a, b))
	})
	return chosen[:min(v.Size, len(chosen))]
}
