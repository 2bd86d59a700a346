package testkit

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"google.golang.org/protobuf/encoding/protowire"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

var update = flag.Bool("update", false, "write the vectors anew")

// builder makes streams that package stream would refuse to write.
type builder struct {
	header []byte // encoded, with its length
	body   []byte
	count  uint64
}

func delimited(message []byte) []byte { return protowire.AppendBytes(nil, message) }

func encoded(r *wire.Record) []byte {
	b, err := wire.Append(nil, r)
	if err != nil {
		panic(err)
	}
	return b
}

func newBuilder(h *wire.Header) *builder {
	return &builder{header: encoded(&wire.Record{Body: &wire.Record_Header{Header: h}})}
}

// add appends records, encoded with their lengths.
func (b *builder) add(records ...[]byte) *builder {
	for _, r := range records {
		b.body = append(b.body, r...)
		b.count++
	}
	return b
}

func (b *builder) end() []byte {
	return b.endWith(&wire.End{Records: b.count, Hash: xxhash.Sum64(slices.Concat(b.header, b.body))})
}

func (b *builder) endWith(e *wire.End) []byte {
	return encoded(&wire.Record{Body: &wire.Record_End{End: e}})
}

// whole is the stream in one frame without compression.
func (b *builder) whole() []byte { return frame(b.header, b.body, b.end()) }

// frame stores contents as one frame, by hand: RFC 8878 with raw blocks.
func frame(contents ...[]byte) []byte {
	content := slices.Concat(contents...)
	f := binary.LittleEndian.AppendUint32(nil, 0xFD2FB528)
	f = append(f, 0xa4)
	f = binary.LittleEndian.AppendUint32(f, uint32(len(content)))
	for rest := content; ; {
		n := min(len(rest), 128<<10)
		head := uint32(n) << 3
		if n == len(rest) {
			head |= 1
		}
		f = append(f, byte(head), byte(head>>8), byte(head>>16))
		f = append(f, rest[:n]...)
		if rest = rest[n:]; len(rest) == 0 {
			return binary.LittleEndian.AppendUint32(f, uint32(xxhash.Sum64(content)))
		}
	}
}

func documents() *wire.Header {
	return &wire.Header{Version: 1, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, VocabularySize: 100, Vocabulary: make([]byte, 32)}
}

func rounds() *wire.Header {
	h := documents()
	h.Kind, h.Unit = wire.Kind_ROUNDS, wire.Unit_DOCUMENT
	return h
}

func contributions() *wire.Header {
	h := rounds()
	h.Kind, h.Model = wire.Kind_CONTRIBUTIONS, "lda"
	h.Matrices = []*wire.Matrix{{Name: "topics", Rows: 2, Columns: 100, Element: wire.Element_FLOAT32}}
	return h
}

func releases() *wire.Header {
	h := contributions()
	h.Kind, h.Side, h.Run = wire.Kind_RELEASES, wire.Side_PUBLIC, "a-run"
	h.Matrices[0].Element, h.Matrices[0].Columns = wire.Element_INT64, 3
	return h
}

func parameters() *wire.Header {
	h := releases()
	h.Kind, h.Unit, h.VocabularySize = wire.Kind_PARAMETERS, 0, 3
	h.Matrices[0].Element, h.Matrices[0].Name = wire.Element_FLOAT32, "weights"
	return h
}

func document(id string, gaps, counts []uint32) []byte {
	d := &wire.Document{Id: id, WordGaps: gaps, Counts: counts}
	return encoded(&wire.Record{Body: &wire.Record_Document{Document: d}})
}

var a, b = document("a", []uint32{3, 4}, []uint32{1, 2}), document("b", nil, nil)

func scheme() *wire.Scheme {
	return &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.25, Rounds: 8, Secret: true}
}

func open(round uint32) []byte {
	return encoded(&wire.Record{Round: round, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme()}}})
}

func closing(round uint32, units ...string) []byte {
	c := &wire.RoundClose{Units: uint64(len(units)), Records: uint64(len(units))}
	for _, u := range units {
		c.UnitDigest += wire.UnitDigest(u)
	}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_RoundClose{RoundClose: c}})
}

func contribution(round uint32, more bool, parts ...*wire.Part) []byte {
	c := &wire.Contribution{Unit: "a", More: more, Parts: parts}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Contribution{Contribution: c}})
}

// part has a value in some rows of column 5.
func part(values []float32, rows ...uint32) *wire.Part {
	p := &wire.Part{RowGaps: rows, ColumnGaps: []uint32{5}}
	p.Values = stream.AppendCells(nil, values)
	return p
}

func release(round uint32) []byte {
	r := &wire.Release{Mechanism: "gaussian", Grant: "g", Grid: 0.5, Clip: 16, Scale: 20, Scheme: scheme()}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Release{Release: r}})
}

func block(round uint32, offset uint64, cells ...int64) []byte {
	k := &wire.Block{Offset: offset, Values: stream.AppendCells(nil, cells)}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Block{Block: k}})
}

func floatBlock(round uint32, cells ...float32) []byte {
	k := &wire.Block{Values: stream.AppendCells(nil, cells)}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Block{Block: k}})
}

func parameterSet(round uint32) []byte {
	p := &wire.Parameters{Scalars: []*wire.Scalar{{Name: "alpha", Value: 0.5}}}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Parameters{Parameters: p}})
}

func words(list ...string) []byte {
	return encoded(&wire.Record{Body: &wire.Record_Words{Words: &wire.Words{Words: list}}})
}

func compressed(t *testing.T, h *wire.Header, records ...*wire.Record) []byte {
	c, err := stream.NewCompressor(stream.Best)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := stream.NewWriter(&out, h, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// with returns a changed header.
func with(h *wire.Header, change func(*wire.Header)) *wire.Header { change(h); return h }

// vectors are all that this kit has. Bytes of compressed frames depend on the compressor; readers must not.
func vectors(t *testing.T) []Vector {
	two := newBuilder(documents()).add(a, b)
	framed := slices.Concat(frame(two.header, a), frame(two.header, b), frame(two.header, two.end()))
	badChecksum := bytes.Clone(two.whole())
	badChecksum[len(badChecksum)-1] ^= 1
	noChecksum := bytes.Clone(two.whole())
	noChecksum[4] &^= 4
	noChecksum = noChecksum[:len(noChecksum)-4]
	bomb, err := stream.NewCompressor(stream.Best)
	if err != nil {
		t.Fatal(err)
	}
	var many []*wire.Record
	for i := range 400 {
		d := &wire.Document{Id: string(rune('a'+i%26)) + string(rune('A'+i/26)), WordGaps: []uint32{uint32(i % 90), 1, 3}, Counts: []uint32{1, 2, 1}}
		many = append(many, &wire.Record{Body: &wire.Record_Document{Document: d}})
	}
	unknown := delimited(append(bytes.Clone(a[1:]), 0x78, 1))
	newer := with(documents(), func(h *wire.Header) { h.Version = 2 })
	nan := float32(math.NaN())

	return []Vector{
		{Name: "documents.pp", Records: 2, Stream: two.whole()},
		{Name: "empty.pp", Stream: newBuilder(documents()).whole()},
		{Name: "frames.pp", Records: 2, Stream: framed},
		{Name: "concatenated.pp", Records: 4, Stream: slices.Concat(two.whole(), framed)},
		{Name: "compressed.pp", Records: 400, Stream: compressed(t, documents(), many...)},
		{Name: "rounds.pp", Records: 6, Stream: newBuilder(rounds()).add(open(1), inRound(1, a), closing(1, "a"), open(4), inRound(4, b), closing(4, "b")).whole()},
		{Name: "contributions.pp", Records: 4, Stream: newBuilder(contributions()).add(open(1), contribution(1, true, part([]float32{1}, 0)), contribution(1, false, part([]float32{.5}, 1)), closing(1, "a")).whole()},
		{Name: "releases.pp", Records: 5, Stream: newBuilder(releases()).add(release(1), block(1, 0, -3, 4, 1<<40), block(1, 3, 0, 0, -1), release(2), block(2, 0, 1, 2, 3, 4, 5, 6)).whole()},
		{Name: "parameters.pp", Records: 3, Stream: newBuilder(parameters()).add(words("x", "y", "z"), parameterSet(0), floatBlock(0, 1, 2, 3, 4, 5, 6)).whole()},

		{Name: "no-bytes.pp", Rule: "an input of no bytes is an error", Section: "1"},
		{Name: "text.pp", Rule: "not Zstandard", Section: "1", Stream: []byte("id,text\na,hello\n")},
		{Name: "skippable.pp", Rule: "skippable frame", Section: "1", Stream: slices.Concat([]byte{0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9}, two.whole())},
		{Name: "cut-in-frame.pp", Rule: "truncated inside a frame", Section: "1", Stream: two.whole()[:40]},
		{Name: "cut-at-frame.pp", Rule: "truncated between frames: no end record", Section: "1", Stream: slices.Concat(frame(two.header, a), frame(two.header, b))},
		{Name: "checksum.pp", Rule: "content checksum does not match", Section: "1", Stream: badChecksum},
		{Name: "no-checksum.pp", Rule: "frame without a content checksum", Section: "1", Stream: noChecksum},
		{Name: "bomb.pp", Rule: "frame of more than 896,000 bytes decompressed", Section: "1", Stream: bomb.AppendFrame(nil, append(bytes.Clone(two.header), make([]byte, 900_000)...))},
		{Name: "split-record.pp", Rule: "record continues in the next frame", Section: "1", Stream: slices.Concat(frame(two.header, a[:5]), frame(two.header, a[5:], b, two.end()))},
		{Name: "no-header.pp", Rule: "frame does not begin with a header record", Section: "1", Stream: slices.Concat(frame(two.header, a), frame(b, two.end()))},
		{Name: "other-header.pp", Rule: "frames of one stream have different headers", Section: "1", Stream: slices.Concat(frame(two.header, a), frame(newBuilder(rounds()).header, b, two.end()))},
		{Name: "after-end.pp", Rule: "record behind the end record", Section: "1", Stream: frame(two.header, two.body, two.end(), a)},
		{Name: "padded-length.pp", Rule: "length is not a minimal varint", Section: "1", Stream: newBuilder(documents()).add(slices.Concat([]byte{a[0] | 0x80, 0}, a[1:])).whole()},
		{Name: "long-length.pp", Rule: "record goes beyond its frame", Section: "1", Stream: frame(two.header, []byte{0x7f, 0x22})},

		{Name: "unknown-field.pp", Rule: "unknown field", Section: "2", Stream: newBuilder(documents()).add(unknown).whole()},
		{Name: "default-value.pp", Rule: "explicit default value", Section: "2", Stream: newBuilder(documents()).add(delimited(slices.Concat([]byte{0x22, 5}, []byte{0x0a, 1, 'a', 0x1a, 0}))).whole()},
		{Name: "no-body.pp", Rule: "record without a body", Section: "2", Stream: newBuilder(documents()).add([]byte{2, 8, 1}).whole()},
		{Name: "newer.pp", Rule: "newer wire version", Section: "2.1", Stream: newBuilder(newer).whole()},
		{Name: "kind.pp", Rule: "unknown kind", Section: "2.1", Stream: newBuilder(with(documents(), func(h *wire.Header) { h.Kind = 50 })).whole()},
		{Name: "side.pp", Rule: "no side", Section: "2.1", Stream: newBuilder(with(documents(), func(h *wire.Header) { h.Side = 0 })).whole()},
		{Name: "unit.pp", Rule: "no privacy unit", Section: "2.1", Stream: newBuilder(with(rounds(), func(h *wire.Header) { h.Unit = 0 })).whole()},
		{Name: "huge-matrix.pp", Rule: "matrix of more than 2^31 cells", Section: "2.1", Stream: newBuilder(with(releases(), func(h *wire.Header) { h.Matrices[0].Rows = 1 << 31 })).add(release(1)).whole()},
		{Name: "vocabulary.pp", Rule: "vocabulary hash of 31 bytes", Section: "2.1", Stream: newBuilder(with(documents(), func(h *wire.Header) { h.Vocabulary = make([]byte, 31) })).whole()},
		{Name: "end-count.pp", Rule: "end record counts other records", Section: "2.4", Stream: frame(two.header, two.body, two.endWith(&wire.End{Records: 3, Hash: xxhash.Sum64(slices.Concat(two.header, two.body))}))},
		{Name: "end-hash.pp", Rule: "end record has another hash", Section: "2.4", Stream: frame(two.header, two.body, two.endWith(&wire.End{Records: 2, Hash: 1}))},
		{Name: "reordered.pp", Rule: "frames were exchanged", Section: "2.4", Stream: slices.Concat(frame(two.header, b), frame(two.header, a), frame(two.header, two.end()))},

		{Name: "wrong-kind.pp", Rule: "record of another kind of stream", Section: "3", Stream: newBuilder(documents()).add(open(1)).whole()},
		{Name: "round-of-document.pp", Rule: "round in a stream without rounds", Section: "3", Stream: newBuilder(documents()).add(inRound(1, a)).whole()},
		{Name: "round-back.pp", Rule: "rounds do not ascend", Section: "3", Stream: newBuilder(rounds()).add(open(2), closing(2), open(1), closing(1)).whole()},
		{Name: "round-0.pp", Rule: "round 0", Section: "3", Stream: newBuilder(rounds()).add(open(0), closing(0)).whole()},
		{Name: "open-round.pp", Rule: "stream ends inside a round", Section: "3", Stream: newBuilder(rounds()).add(open(1), inRound(1, a)).whole()},
		{Name: "outside-round.pp", Rule: "document outside its round", Section: "3", Stream: newBuilder(rounds()).add(open(1), inRound(2, a), closing(1, "a")).whole()},
		{Name: "no-id.pp", Rule: "document without an id", Section: "3.1", Stream: newBuilder(documents()).add(document("", nil, nil)).whole()},
		{Name: "word-twice.pp", Rule: "word ids do not ascend", Section: "3.1", Stream: newBuilder(documents()).add(document("a", []uint32{3, 0}, []uint32{1, 1})).whole()},
		{Name: "word-id.pp", Rule: "word id beyond the vocabulary", Section: "3.1", Stream: newBuilder(documents()).add(document("a", []uint32{60, 40}, []uint32{1, 1})).whole()},
		{Name: "counts.pp", Rule: "as many counts as words", Section: "3.1", Stream: newBuilder(documents()).add(document("a", []uint32{1, 1}, []uint32{1})).whole()},
		{Name: "count-0.pp", Rule: "count of 0", Section: "3.1", Stream: newBuilder(documents()).add(document("a", []uint32{1, 1}, []uint32{1, 0})).whole()},
		{Name: "long-document.pp", Rule: "more than 2^24 words", Section: "3.1", Stream: newBuilder(documents()).add(document("a", []uint32{1, 1}, []uint32{1 << 24, 1})).whole()},
		{Name: "rate.pp", Rule: "rate outside (0, 1]", Section: "3.2", Stream: newBuilder(rounds()).add(encoded(&wire.Record{Round: 1, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: &wire.Scheme{Method: wire.Scheme_POISSON, Rate: math.NaN(), Rounds: 1}}}}), closing(1)).whole()},
		{Name: "round-records.pp", Rule: "round holds other records than it announces", Section: "3.2", Stream: newBuilder(rounds()).add(open(1), inRound(1, a), closing(1, "a", "b")).whole()},
		{Name: "nan.pp", Rule: "NaN in a contribution", Section: "3.3", Stream: newBuilder(contributions()).add(open(1), contribution(1, false, part([]float32{nan}, 0)), closing(1, "a")).whole()},
		{Name: "values.pp", Rule: "a value a cell", Section: "3.3", Stream: newBuilder(contributions()).add(open(1), contribution(1, false, part([]float32{1, 2}, 0)), closing(1, "a")).whole()},
		{Name: "row.pp", Rule: "row beyond the matrix", Section: "3.3", Stream: newBuilder(contributions()).add(open(1), contribution(1, false, part([]float32{1}, 2)), closing(1, "a")).whole()},
		{Name: "overlap.pp", Rule: "parts share a row", Section: "3.3", Stream: newBuilder(contributions()).add(open(1), contribution(1, true, part([]float32{1}, 1)), contribution(1, false, part([]float32{1}, 1)), closing(1, "a")).whole()},
		{Name: "more.pp", Rule: "contribution is not whole", Section: "3.3", Stream: newBuilder(contributions()).add(open(1), contribution(1, true, part([]float32{1}, 1)), closing(1, "a")).whole()},
		{Name: "missing-block.pp", Rule: "blocks do not cover the matrix", Section: "3.4", Stream: newBuilder(releases()).add(release(1), block(1, 0, 1, 2, 3)).whole()},
		{Name: "block-gap.pp", Rule: "gap between blocks", Section: "3.4", Stream: newBuilder(releases()).add(release(1), block(1, 0, 1), block(1, 2, 1, 2, 3, 4)).whole()},
		{Name: "infinite.pp", Rule: "infinity in a block", Section: "3.4", Stream: newBuilder(parameters()).add(parameterSet(0), floatBlock(0, 1, 2, 3, 4, 5, float32(math.Inf(1)))).whole()},
		{Name: "words.pp", Rule: "words do not cover the vocabulary", Section: "3.4", Stream: newBuilder(parameters()).add(words("x", "y"), parameterSet(0), floatBlock(0, 1, 2, 3, 4, 5, 6)).whole()},
	}
}

func inRound(round uint32, record []byte) []byte {
	return delimited(append(protowire.AppendVarint([]byte{8}, uint64(round)), record[1:]...))
}

func TestMain(m *testing.M) {
	flag.Parse()
	if *update {
		write(vectors(&testing.T{}))
	}
	os.Exit(m.Run())
}

func write(all []Vector) {
	for _, v := range all {
		path := filepath.Join("vectors", v.Name)
		if v.Name == "compressed.pp" || v.Name == "bomb.pp" {
			if _, err := os.Stat(path); err == nil {
				continue // another compressor's bytes are as good
			}
		}
		if err := os.WriteFile(path, v.Stream, 0o644); err != nil {
			panic(err)
		}
	}
	index, err := json.MarshalIndent(all, "", " ")
	if err == nil {
		err = os.WriteFile("vectors/index.json", append(index, '\n'), 0o644)
	}
	if err != nil {
		panic(err)
	}
}
