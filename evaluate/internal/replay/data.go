package replay

import (
	"bytes"
	"io"
	"slices"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Data is a data set: a stream of documents.
type Data struct {
	Header    *wire.Header
	Documents []*wire.Document
}

// Read reads a stream of documents. It needs at least two, since a pipeline may refuse an empty neighbour.
func Read(h *wire.Header, in *stream.Reader) (*Data, error) {
	d := &Data{Header: h}
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		d.Documents = append(d.Documents, proto.CloneOf(record.GetDocument()))
	}
	if len(d.Documents) < 2 {
		return nil, exit.Errorf(exit.Malformed, "%s: fewer than two documents, must have more", in.Name())
	}
	return d, nil
}

// encode returns documents as a stream.
func (d *Data) encode(documents []*wire.Document) ([]byte, error) {
	compressor, err := stream.NewCompressor(stream.None)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	out, err := stream.NewWriter(&b, d.Header, compressor)
	if err != nil {
		return nil, err
	}
	for _, document := range documents {
		if err := out.Write(&wire.Record{Body: &wire.Record_Document{Document: document}}); err != nil {
			return nil, err
		}
	}
	err = out.Close()
	return b.Bytes(), err
}

// A unit is a privacy unit: the places of its documents, and how much they hold in all.
type unit struct {
	documents []int
	size      uint64 // the sum of counts, or the number of values
	content   string // equal for units with equal documents
}

// units returns the units of the data set, in the order of their first documents.
func (d *Data) units(kind wire.Unit) (all []*unit) {
	known := make(map[string]*unit)
	for i, document := range d.Documents {
		name := wire.UnitName(kind, document)
		u := known[name]
		if u == nil {
			u = new(unit)
			known[name], all = u, append(all, u)
		}
		u.documents = append(u.documents, i)
		u.size += size(document)
		u.content += contentOf(document)
	}
	return all
}

// size returns the sum of a document's counts, or the number of its values.
func size(d *wire.Document) (n uint64) {
	if len(d.Values) > 0 {
		return uint64(len(d.WordGaps))
	}
	for _, count := range d.Counts {
		n += uint64(count)
	}
	return n
}

// contentOf returns all of a document but its names.
func contentOf(d *wire.Document) string {
	d = proto.CloneOf(d)
	d.Id, d.User = "", ""
	b, _ := proto.MarshalOptions{Deterministic: true}.Marshal(d) // fails only for text that is not UTF-8
	return string(b)
}

// without returns the documents except those of a unit.
func (d *Data) without(u *unit) []*wire.Document {
	var rest []*wire.Document
	for i, document := range d.Documents {
		if !slices.Contains(u.documents, i) {
			rest = append(rest, document)
		}
	}
	return rest
}
