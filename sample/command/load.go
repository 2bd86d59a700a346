package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/corpus"
)

// unit is the privacy unit that the flags ask for.
func (s *Command) unit() wire.Unit {
	if s.Unit == event.User {
		return wire.Unit_USER
	}
	return wire.Unit_DOCUMENT
}

// open opens the streams of an input. h is the header of the earlier inputs, nil for the first input. The input must
// have h's vocabulary and settings. open returns the header of the first input. The header becomes private if any input
// is.
func (s *Command) open(ctx context.Context, name string,
	h *wire.Header) ([]*endpoint.StreamReader, *wire.Header, error) {
	streams, of, err := endpoint.OpenStreams(ctx, name, s.wanted(name))
	if err != nil || h == nil {
		return streams, of, err
	}
	if of.Values != h.Values {
		closeAll(streams)
		return nil, nil, exit.Errorf(exit.Malformed, "%s: documents of real numbers beside documents of counts", name)
	}
	if string(of.Vocabulary) != string(h.Vocabulary) || of.VocabularySize != h.VocabularySize {
		closeAll(streams)
		return nil, nil, exit.Errorf(exit.Malformed, "%s: documents over another vocabulary than %s", name,
			s.inputs()[0])
	}
	if !bytes.Equal(of.Settings, h.Settings) {
		closeAll(streams)
		return nil, nil, exit.Errorf(exit.Malformed, "%s: documents cut into words by another rule than those of %s",
			name, s.inputs()[0]).
			WithHint("tokenize all of them by one rule: names by content follow from it, and tokenize --rule 1 has " +
				"that of older versions")
	}
	if of.Side == wire.Side_PRIVATE && h.Side != of.Side { // one private document makes the rounds private
		h = proto.CloneOf(h)
		h.Side = of.Side
	}
	return streams, h, nil
}

// wanted describes the document streams that an input must have.
func (s *Command) wanted(name string) endpoint.Wanted {
	return endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Values: true, Timed: s.Window > 0 ||
		endpoint.FromTime(name)}
}

func closeAll(streams []*endpoint.StreamReader) {
	for _, in := range streams {
		in.Close()
	}
}

// inputs are the names of the inputs.
func (s *Command) inputs() []string {
	if len(s.Inputs) == 0 {
		return []string{endpoint.Stdio}
	}
	return s.Inputs
}

// check opens the inputs, for a dry run.
func (s *Command) check(r *filter.Run) error {
	if err := r.Check(s.inputs()...); err != nil {
		return err
	}
	if endpoint.Of(r).NewTopics == 0 { // otherwise --create makes the followed topic
		if err := r.Check(s.followed()); err != nil {
			return err
		}
	}
	var header *wire.Header
	for _, name := range s.inputs() {
		if endpoint.IsTopic(name) { // its header may not have come yet
			if err := endpoint.CheckStream(r, name, s.wanted(name)); err != nil {
				return err
			}
			continue
		}
		streams, h, err := s.open(r, name, header)
		if err != nil {
			return err
		}
		closeAll(streams)
		header = h
	}
	return nil
}

// load reads the corpus.
func (s *Command) load(r *filter.Run) (*corpus.Corpus, *wire.Header, error) {
	meter := &progress.Meter{Name: "sample"}
	r.Show(s.Output, meter.Line)
	documents := corpus.New(int64(s.Memory), s.unit())
	var header *wire.Header
	var names positions
	suspect := ""
	for _, name := range s.inputs() {
		streams, h, err := s.open(r, name, header)
		if err != nil {
			return nil, nil, err
		}
		header = h
		for _, in := range streams {
			if err == nil {
				names.begin()
				err = addAll(r, meter, documents, in, &names)
				suspect = cmp.Or(names.found(), suspect)
			}
		}
		closeAll(streams)
		if err != nil {
			return nil, nil, err
		}
	}
	if documents.Documents() == 0 && !s.AllowEmpty {
		return nil, nil, errEmpty(s.inputs())
	}
	if !slices.ContainsFunc(s.inputs(), func(name string) bool { return !endpoint.IsTopic(name) }) {
		documents.Once()
	}
	var twice *corpus.TwiceError
	if err := documents.Seal(); errors.As(err, &twice) {
		return nil, nil, s.refuseTwice(r, twice)
	} else if err != nil {
		return nil, nil, err
	}
	if suspect != "" && s.byName() && !s.TrustNames && header.Side == wire.Side_PRIVATE {
		return nil, nil, refusePositions(suspect)
	}
	return documents, header, nil
}

// refuseTwice is the error for an id that occurs twice. The id and the places of its documents are private.
func (s *Command) refuseTwice(r *filter.Run, twice *corpus.TwiceError) error {
	err := exit.Errorf(exit.Malformed, "%w", twice)
	if r.Private() {
		err = exit.Errorf(exit.Malformed, "%w: documents %d and %d of %s have the id %q",
			twice, twice.First, twice.Second, strings.Join(s.inputs(), ", "), twice.ID)
	}
	return err.WithHint("give every document an id of its own in the text, or no id, and run tokenize again; name " +
		"each input once, and give each run of tokenize that names documents by content a --prefix. --private-logs, " +
		"in a recipe PRIVPIPE_SAMPLE_PRIVATE_LOGS=true, names the id and its two documents")
}

// errEmpty is the error for inputs without a document: each round would cost a part of the budget and hold nobody.
func errEmpty(inputs []string) error {
	return exit.Errorf(exit.Malformed, "%s: no document", strings.Join(inputs, ", "))
}

// addAll adds the documents of one stream. It adds the name of each new unit to names.
func addAll(r *filter.Run, meter *progress.Meter, documents *corpus.Corpus, in *endpoint.StreamReader,
	names *positions) error {
	in.Reuse() // the corpus copies each document
	for r.Err() == nil {
		record, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		d, units := record.GetDocument(), len(documents.Keys())
		if err := documents.Add(d); err != nil {
			return err
		}
		if len(documents.Keys()) > units {
			names.add(documents.Unit(), d)
		}
		meter.Documents.Add(1)
	}
	return r.Err()
}
