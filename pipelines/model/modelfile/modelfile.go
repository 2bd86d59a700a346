// Package modelfile reads model files of every family.
package modelfile

import (
	"errors"
	"fmt"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Topics are unnormalized distributions over words.
type Topics struct {
	Header *wire.Header // of the model file
	Words  []string     // the vocabulary, V of them
	Number int          // K
	Cells  []float64    // K × V, row by row, all positive
	Set    *stream.Set  // the other fields of the model, which depend on its family
}

// Row returns the cells of a topic, from 0.
func (t *Topics) Row(topic int) []float64 {
	return t.Cells[topic*len(t.Words) : (topic+1)*len(t.Words)]
}

// ReadTopics reads the topics of a model file of any family that has topics. A file with more than maxCells cells is refused.
func ReadTopics(name string, maxCells uint64) (*Topics, error) {
	in, h, err := endpoint.OpenStream(name, endpoint.Wanted{
		Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC, MaxCells: maxCells,
	})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t := &Topics{Header: h}
	set, err := in.ReadOne(func(w *wire.Words) { t.Words = append(t.Words, w.Words...) })
	if err != nil {
		return nil, err
	}
	family, err := model.Named(families.All, h.Model)
	if err == nil && family.Topics == nil {
		err = fmt.Errorf("a model of %s has no topics", h.Model)
	}
	var size model.Size
	if err == nil {
		size, err = family.Size(h)
	}
	if err == nil && (len(t.Words) == 0 || len(t.Words) != size.Words) {
		err = errors.New("holds no vocabulary of its topics: not a model file")
	}
	if err == nil {
		t.Number, t.Set = size.Components, set
		t.Cells, err = family.Topics(set, size)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return t, nil
}
