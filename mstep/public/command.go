// Package public makes public files. They say what public text knows about words and topics, and mstep lda --public
// takes them as a prior.
package public

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/publictext"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Command is mstep public.
type Command struct {
	Vocab    string   `placeholder:"FILE" help:"Read the vocabulary of the documents from FILE; by default the default vocabulary of tokenize."`
	Features int      `default:"100" placeholder:"N" help:"Keep N features of each word, principal components of its neighbours and topics (default ${default})."`
	Check    string   `placeholder:"FILE" help:"Only check that FILE is a public file with enough of the vocabulary's words for a prior, and print how many it has. The exit code is 83 if it has too few."`
	Topics   []string `name:"topics" sep:"none" placeholder:"FILE" help:"Take the topics of FILE, a model of public text; give it several times. A private model may start from the topics of the first file. Without it the public file has the frequencies of words alone: one topic of these frequencies, and no features."`
	Kinds    []string `name:"kind" sep:"none" placeholder:"NAME=FILE" help:"Take the topics of FILE, too, and name the kind of text that it is of, in plain words; give it several times. mstep words says how much a private text reads like each kind."`
	Public   bool     `name:"public-model" help:"Accept models from privatize none in --topics and --kind. You state that they were learned from public text."`
	Vectors  string   `placeholder:"FILE" help:"Make features also of the vectors of words in FILE, learned of other public text: a line has a word and its numbers, as in GloVe and word2vec."`
	Seed     uint64   `zero:"" default:"1" help:"Seed the search for eigenvectors (default ${default})."`
	Output   string   `short:"o" placeholder:"FILE" help:"Write the public file to FILE; standard output by default."`
	Inputs   []string `arg:"" optional:"" help:"Streams of public documents, of tokenize --public; standard input by default."`
	filter.Compress
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if c.Features < 1 || c.Features > maxFeatures {
		return errors.New("--features must be in [1, 500]")
	}
	if c.Check != "" && (len(c.Topics) > 0 || len(c.Kinds) > 0 || len(c.Inputs) > 0 || c.Vectors != "") {
		return errors.New("--check makes no public file: " +
			"no --topics, no --kind, no --vectors and no documents go with it")
	}
	if c.Vectors != "" && len(c.Topics) == 0 {
		return errors.New("--vectors needs --topics: a public file without topics has no features")
	}
	seen := make(map[string]bool)
	for _, kind := range c.Kinds {
		name, file, ok := strings.Cut(kind, "=")
		if !ok || name == "" || file == "" {
			return fmt.Errorf("--kind must be NAME=FILE, is %q", kind)
		}
		if seen[name] {
			return fmt.Errorf("--kind names %q twice", name)
		}
		seen[name] = true
	}
	return nil
}

// models returns the files of --topics and then of --kind, and the names of the kinds.
func (c *Command) models() (files, kinds []string) {
	files = slices.Clone(c.Topics)
	for _, kind := range c.Kinds {
		name, file, _ := strings.Cut(kind, "=")
		files, kinds = append(files, file), append(kinds, name)
	}
	return files, kinds
}

func (c *Command) inputs() []string {
	if len(c.Inputs) == 0 {
		return []string{endpoint.Stdio}
	}
	return c.Inputs
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	if c.Check != "" {
		return c.check(r)
	}
	models, kinds := c.models()
	inputs := append(c.inputs(), models...)
	if c.Vectors != "" {
		inputs = append(inputs, c.Vectors)
	}
	if err := r.Check(append(inputs, c.Vocab)...); err != nil {
		return err
	}
	if err := errors.Join(endpoint.Once(r, c.inputs()), endpoint.Distinct(r, c.Output, inputs...)); err != nil {
		return err
	}
	vocab, err := vocabulary.OpenOrDefault(r, c.Vocab)
	if err != nil {
		return err
	}
	text := &publictext.Text{Vocabulary: vocab}
	for i, name := range models {
		topics, err := c.readTopics(r, name, vocab)
		if err != nil {
			return err
		}
		if kind := i - len(c.Topics); kind >= 0 {
			text.Kinds = append(text.Kinds, publictext.Kind{Name: kinds[kind], First: len(text.Topics)})
		}
		text.Topics = append(text.Topics, lifts(topics)...)
		if i == 0 {
			text.First = len(text.Topics)
		}
	}
	var words *vectors
	if c.Vectors != "" {
		if words, err = openVectors(r, c.Vectors, vocab); err != nil {
			return err
		}
	}
	if r.DryRun() {
		return nil
	}
	documents := newDocuments(len(vocab))
	for _, name := range c.inputs() {
		if err := documents.readAll(r, name, vocab); err != nil {
			return err
		}
	}
	if documents.number() == 0 {
		return exit.Errorf(exit.Malformed, "no document has a word of the vocabulary: nothing to learn from")
	}
	text.Frequencies = documents.frequencies()
	if len(c.Topics) == 0 { // the format requires at least one topic and one feature
		text.First, text.Topics, text.Features = 1, plainRow(len(vocab)), plainRow(len(vocab))
	} else {
		text.Features = features(documents, text.Topics, words, text.Frequencies, c.Features, c.Seed)
	}
	return text.Write(r, c.Output, c.Compress.Compress)
}

// plainRow is one topic without lifts, or one feature that says nothing.
func plainRow(words int) [][]float32 { return [][]float32{make([]float32, words)} }

// readTopics reads the topics from a public model.
func (c *Command) readTopics(ctx context.Context, name string, vocab vocabulary.Words) (*modelfile.Topics, error) {
	t, err := modelfile.ReadTopics(ctx, name, wire.MaxCells)
	if err == nil && string(t.Header.Vocabulary) != string(vocab.Hash()) {
		err = exit.Errorf(exit.Malformed, "%s: topics over another vocabulary than --vocab", name)
	}
	if err == nil && model.Exact.In(t.Set) && !c.Public {
		err = exit.Errorf(exit.Refused, "%s: learned from exact sums of privatize none, so it may be private", name).
			WithHint("--public-model states that it was learned from public text")
	}
	return t, err
}

// check reads a public file, and checks it against a vocabulary.
func (c *Command) check(r *filter.Run) error {
	if err := r.Check(c.Check, c.Vocab); err != nil {
		return err
	}
	vocab, err := vocabulary.OpenOrDefault(r, c.Vocab)
	if err != nil || r.DryRun() {
		return err
	}
	text, err := publictext.Open(r, c.Check, vocab)
	if errors.Is(err, publictext.ErrUnknownWords) {
		return exit.Errorf(exit.Refused, "%w", err) // lda.sh goes on after this code, but stops for a damaged file
	}
	if err != nil {
		return err
	}
	return endpoint.WriteFile(r, c.Output, wire.Side_PUBLIC,
		fmt.Appendf(nil, "%d of %d words, %d topics, %d features, digest %x\n",
			text.Known, len(vocab), len(text.Topics), len(text.Features), text.Digest))
}
