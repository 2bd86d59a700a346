package replay

import (
	"bytes"
	"io"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// ReadStream reads a stream of documents.
func ReadStream(h *wire.Header, in *stream.Reader) (*Data, error) {
	d := &Data{File: "documents.pp", form: (*documents)(h)}
	for {
		record, err := in.Next()
		if err == io.EOF {
			return d, d.check(in.Name())
		}
		if err != nil {
			return nil, err
		}
		d.items = append(d.items, (*document)(proto.CloneOf(record.GetDocument())))
	}
}

// A document is an item in a stream.
type document wire.Document

func (d *document) wire() *wire.Document { return (*wire.Document)(d) }

func (d *document) names() *wire.Document { return d.wire() }

func (d *document) size() (n uint64) {
	if len(d.Values) > 0 {
		return uint64(len(d.WordGaps))
	}
	for _, count := range d.Counts {
		n += uint64(count)
	}
	return n
}

func (d *document) content() string {
	bare := proto.CloneOf(d.wire())
	bare.Id, bare.User = "", ""
	b, _ := proto.MarshalOptions{Deterministic: true}.Marshal(bare) // fails only for text that is not UTF-8
	return string(b)
}

func (d *document) clone() item { return (*document)(proto.CloneOf(d.wire())) }

func (d *document) rename(id, user string) { d.Id, d.User = id, user }

func (d *document) relabel(label string) { d.Label = label }

func (d *document) empty() item { return &document{Label: d.Label} }

// documents is a stream's header.
type documents wire.Header

func (h *documents) encode(items []item) ([]byte, error) {
	compressor, err := stream.NewCompressor(stream.None)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	out, err := stream.NewWriter(&b, (*wire.Header)(h), compressor)
	if err != nil {
		return nil, err
	}
	for _, one := range items {
		if err := out.Write(&wire.Record{Body: &wire.Record_Document{Document: one.names()}}); err != nil {
			return nil, err
		}
	}
	err = out.Close()
	return b.Bytes(), err
}

// loud is how often the word of a loud document occurs.
const loud = 1 << 16

func (h *documents) extremes(items []item) []named {
	first := items[0].names()
	if h.Values {
		opposite := items[0].clone().(*document)
		opposite.Values = negated(opposite.Values)
		return []named{{name: "the opposite of the first", items: []item{opposite}}}
	}
	every := &document{Label: first.Label}
	for i := range h.VocabularySize {
		every.WordGaps, every.Counts = append(every.WordGaps, min(i, 1)), append(every.Counts, 1)
	}
	once := &document{Label: first.Label, WordGaps: []uint32{h.VocabularySize - 1}, Counts: []uint32{loud}}
	return []named{{name: "a loud one", items: []item{once}}, {name: "one with all words", items: []item{every}}}
}

// negated returns little-endian binary32 numbers with the other sign.
func negated(values []byte) []byte {
	values = bytes.Clone(values)
	for i := 3; i < len(values); i += 4 {
		values[i] ^= 0x80
	}
	return values
}
