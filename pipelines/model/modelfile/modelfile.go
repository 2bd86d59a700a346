// Package modelfile reads model files from every family, and the lists of groups and topics that a user names. It ranks
// the words of topics, too.
package modelfile

import (
	"context"
	"errors"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Topics are unnormalized distributions over words.
type Topics struct {
	Header *wire.Header // the model file's header
	Words  []string     // the vocabulary, V of them
	Number int          // K
	Cells  []float64    // K × V, row by row, all positive
	Set    *stream.Set  // the model's other fields, which depend on its family

	Origins []lda.Origin // each topic's origin; nil for a model without public text
	Names   []string     // names that topics were given, empty where there is none; nil: no topic has one
}

// Row returns a topic's cells. topic counts from 0.
func (t *Topics) Row(topic int) []float64 {
	return t.Cells[topic*len(t.Words) : (topic+1)*len(t.Words)]
}

// Leading returns the most relevant words of each topic.
func (t *Topics) Leading(number int) [][]string {
	overall, words := Overall(t.Cells, len(t.Words)), make([][]string, t.Number)
	for k := range words {
		for _, id := range RankingOf(t.Row(k), overall).Best(DefaultLambda, number) {
			words[k] = append(words[k], t.Words[id])
		}
	}
	return words
}

// A File is a model file's content.
type File struct {
	Name   string // for messages
	Header *wire.Header
	Words  []string // the vocabulary, V of them
	Family *model.Family
	Size   model.Size
	Set    *stream.Set
}

// Read reads a model file from any family. A file with more than maxCells cells is refused.
func Read(ctx context.Context, name string, maxCells uint64) (*File, error) {
	in, h, err := endpoint.OpenStream(ctx, name, endpoint.Wanted{
		Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC, MaxCells: maxCells,
	})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	f := &File{Name: name, Header: h}
	if f.Set, err = in.ReadOne(func(w *wire.Words) { f.Words = append(f.Words, w.Words...) }); err != nil {
		return nil, err
	}
	if f.Family, err = model.Named(Families, h.Model); err == nil {
		f.Size, err = f.Family.Size(h)
	}
	if err == nil && (len(f.Words) == 0 || len(f.Words) != f.Size.Words) {
		err = errors.New("holds no vocabulary of its topics: not a model file")
	}
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return f, nil
}

// ReadTopics reads the topics in a model file from any family that has topics. A file with more than maxCells cells is
// refused.
func ReadTopics(ctx context.Context, name string, maxCells uint64) (*Topics, error) {
	f, err := Read(ctx, name, maxCells)
	if err != nil {
		return nil, err
	}
	return f.Topics()
}

// Topics reads the topics in the model file, if its family has topics.
func (f *File) Topics() (*Topics, error) {
	if f.Family.Topics == nil {
		return nil, exit.Errorf(exit.Usage, "%s: a model of %s has no topics", f.Name, f.Family.Name).
			WithHint("show prints it, and mstep export --format csv, jsonl or npz writes it for other programs")
	}
	cells, err := f.Family.Topics(f.Set, f.Size)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", f.Name, err)
	}
	t := &Topics{Header: f.Header, Words: f.Words, Number: f.Size.Components, Cells: cells, Set: f.Set}
	if f.Family == lda.Family {
		if t.Origins, err = lda.OriginsOf(f.Set, f.Size); err == nil {
			t.Names, err = lda.NamesOf(f.Set, f.Size)
		}
		if err != nil {
			return nil, exit.Errorf(exit.Malformed, "%s: %w", f.Name, err)
		}
	}
	return t, nil
}
