package main

import (
	"errors"
	"io"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/corpus"
)

// unit is the privacy unit that the flags ask for.
func (s *rounds) unit() wire.Unit {
	if s.Unit == event.User {
		return wire.Unit_USER
	}
	return wire.Unit_DOCUMENT
}

// open opens the streams of an input, which must be of the vocabulary of those before, of header h unless that is nil. It
// returns the header of the first.
func (s *rounds) open(name string, h *wire.Header) ([]*endpoint.StreamReader, *wire.Header, error) {
	streams, of, err := endpoint.OpenStreams(name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}})
	if err != nil || h == nil {
		return streams, of, err
	}
	if string(of.Vocabulary) != string(h.Vocabulary) || of.VocabularySize != h.VocabularySize {
		closeAll(streams)
		return nil, nil, exit.Errorf(exit.Malformed, "%s: documents over another vocabulary than %s", name, s.inputs()[0])
	}
	return streams, h, nil
}

func closeAll(streams []*endpoint.StreamReader) {
	for _, in := range streams {
		in.Close()
	}
}

// inputs are the names of the inputs.
func (s *rounds) inputs() []string {
	if len(s.Inputs) == 0 {
		return []string{endpoint.Stdio}
	}
	return s.Inputs
}

// load reads the corpus.
func (s *rounds) load(r *filter.Run) (*corpus.Corpus, *wire.Header, error) {
	documents := corpus.New(int64(s.Memory), s.unit())
	var header *wire.Header
	for _, name := range s.inputs() {
		streams, h, err := s.open(name, header)
		if err != nil {
			return nil, nil, err
		}
		header = h
		for _, in := range streams {
			if err == nil {
				err = addAll(r, documents, in)
			}
		}
		closeAll(streams)
		if err != nil {
			return nil, nil, err
		}
	}
	if err := documents.Seal(); errors.Is(err, corpus.ErrTwice) {
		return nil, nil, exit.Errorf(exit.Malformed, "%w", err).
			WithHint("give every document an id of its own: a unit counts once a round")
	} else if err != nil {
		return nil, nil, err
	}
	return documents, header, nil
}

func addAll(r *filter.Run, documents *corpus.Corpus, in *endpoint.StreamReader) error {
	for r.Err() == nil {
		record, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = documents.Add(record.GetDocument())
		}
		if err != nil {
			return err
		}
	}
	return r.Err()
}
