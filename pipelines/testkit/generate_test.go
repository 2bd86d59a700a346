package testkit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

var update = flag.Bool("update", false, "write the vectors again")

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

// windowed stores contents as one frame. The frame does not say how large its content is. It only says that it needs a
// window of 8 MiB and the given eighths of 8 MiB more.
func windowed(eighths byte, contents ...[]byte) []byte {
	content := slices.Concat(contents...)
	head := uint32(len(content))<<3 | 1
	f := binary.LittleEndian.AppendUint32(nil, 0xFD2FB528)
	f = append(f, 0x04, 13<<3|eighths, byte(head), byte(head>>8), byte(head>>16))
	f = append(f, content...)
	return binary.LittleEndian.AppendUint32(f, uint32(xxhash.Sum64(content)))
}

// piped is the frame that zstd -3 makes from a pipe: zstd does not know the size of the content before. Where zstd is
// not installed, the Go library makes a frame of the same form.
func piped(t *testing.T, contents ...[]byte) []byte {
	content := slices.Concat(contents...)
	if _, err := exec.LookPath("zstd"); err == nil {
		tool := exec.Command("zstd", "-3", "-c")
		tool.Stdin = bytes.NewReader(content)
		out, err := tool.Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	var out bytes.Buffer
	encoder, err := zstd.NewWriter(&out, zstd.WithWindowSize(2<<20))
	for half := range slices.Chunk(content, len(content)/2) {
		if err == nil {
			_, err = encoder.Write(half)
		}
		if err == nil {
			err = encoder.Flush()
		}
	}
	if err == nil {
		err = encoder.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func documents() *wire.Header {
	return &wire.Header{Version: 1, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, VocabularySize: 100,
		Vocabulary: make([]byte, 32)}
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

// settled returns a header with a hash of settings of so many bytes.
func settled(h *wire.Header, bytes int) *wire.Header {
	h.Settings = make([]byte, bytes)
	for i := range h.Settings {
		h.Settings[i] = byte(i + 1)
	}
	return h
}

// symmetric returns a header of contributions, releases or sums with a symmetric matrix before the other one.
func symmetric(h *wire.Header) *wire.Header {
	outer := &wire.Matrix{Name: "outer", Rows: 3, Columns: 3, Element: h.Matrices[0].Element, Symmetric: true}
	h.Matrices = append([]*wire.Matrix{outer}, h.Matrices...)
	return h
}

func sums() *wire.Header {
	h := releases()
	h.Kind, h.Side = wire.Kind_SUMS, wire.Side_PRIVATE
	return h
}

func spelledOut() *wire.Header {
	return &wire.Header{Version: 1, Kind: wire.Kind_TERMS, Side: wire.Side_PRIVATE}
}

func document(id string, gaps, counts []uint32) []byte {
	d := &wire.Document{Id: id, WordGaps: gaps, Counts: counts}
	return encoded(&wire.Record{Body: &wire.Record_Document{Document: d}})
}

var a, b = document("a", []uint32{3, 4}, []uint32{1, 2}), document("b", nil, nil)

func scheme() *wire.Scheme {
	return &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.25, Rounds: 8, Secret: true}
}

func open(round uint32) []byte { return openBy(round, scheme()) }

func openBy(round uint32, s *wire.Scheme) []byte {
	return encoded(&wire.Record{Round: round, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: s}}})
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

// release is a Release, with changes.
func release(round uint32, changes ...func(*wire.Release)) []byte {
	r := &wire.Release{Mechanism: "gaussian", Grant: "g", Grid: 0.5, Clip: 16, Scale: 20, Scheme: scheme()}
	for _, change := range changes {
		change(r)
	}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Release{Release: r}})
}

func bounds(list ...float64) func(*wire.Release) { return func(r *wire.Release) { r.Bounds = list } }

func block(round uint32, offset uint64, cells ...int64) []byte {
	return blockOf(0, round, offset, cells...)
}

func blockOf(matrix, round uint32, offset uint64, cells ...int64) []byte {
	k := &wire.Block{Matrix: matrix, Offset: offset, Values: stream.AppendCells(nil, cells)}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Block{Block: k}})
}

// key is the key of a unit in Members.
func key(unit string) []byte {
	hash := sha256.Sum256([]byte(unit))
	return hash[:wire.KeySize]
}

func members(round uint32, keys ...[]byte) []byte {
	m := &wire.Members{Keys: slices.Concat(keys...)}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Members{Members: m}})
}

func sum(round uint32, changes ...func(*wire.Sum)) []byte {
	settings := sha256.Sum256([]byte("settings"))
	s := &wire.Sum{Grant: "g", Grid: 0.5, Clip: 16, Settings: settings[:]}
	for _, change := range changes {
		change(s)
	}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Sum{Sum: s}})
}

func terms(id string, words ...string) []byte {
	return encoded(&wire.Record{Body: &wire.Record_Terms{Terms: &wire.Terms{Id: id, User: "u", Words: words}}})
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
		d := &wire.Document{Id: string(rune('a'+i%26)) + string(rune('A'+i/26)),
			WordGaps: []uint32{uint32(i % 90), 1, 3}, Counts: []uint32{1, 2, 1}}
		many = append(many, &wire.Record{Body: &wire.Record_Document{Document: d}})
	}
	settledRounds := newBuilder(settled(contributions(), 32)).add(open(1), closing(1))
	listed := newBuilder(documents())
	for _, r := range many {
		listed.add(encoded(r))
	}
	unknown := delimited(append(bytes.Clone(a[1:]), 0x78, 1))
	// Two lists that are not packed are shorter by the two bytes of an unknown field 15.
	hidden := delimited(slices.Concat([]byte{0x22, 9}, []byte{0x0a, 1, 'a', 0x20, 3, 0x28, 1, 0x78, 1}))
	unknownScheme := scheme()
	unknownScheme.ProtoReflect().SetUnknown([]byte{0x78, 1})
	nested := openBy(1, unknownScheme)
	newer := with(documents(), func(h *wire.Header) { h.Version = 4 })
	nan := float32(math.NaN())
	// SHA-256 begins with 3e, 87 and ca for these units.
	ascending := [][]byte{key("b"), key("user/u"), key("a")}
	sixCells := block(1, 0, 1, 2, 3, 4, 5, 6)
	summed := [][]byte{open(1), members(1, ascending...), sum(1), sixCells}
	withNone := func(r *wire.Release) { r.Mechanism, r.Grant, r.Clip, r.Scale = "none", "", 0, 0 }
	cells := func(n int, rows, columns []uint32) *wire.Part {
		return &wire.Part{RowGaps: rows, ColumnGaps: columns, Values: make([]byte, 4*n)}
	}
	square := func(parts ...*wire.Part) []byte {
		return newBuilder(symmetric(contributions())).
			add(open(1), contribution(1, false, parts...), closing(1, "a")).whole()
	}
	aSum := func(records ...[]byte) []byte { return newBuilder(sums()).add(records...).whole() }
	afterSum := func(records ...[]byte) []byte { return aSum(slices.Concat(summed, records)...) }
	changed := func(change func(*wire.Release)) []byte {
		return newBuilder(releases()).add(release(1, change), sixCells).whole()
	}

	return append([]Vector{
		{Name: "documents.pp", Records: 2, Stream: two.whole()},
		{Name: "empty.pp", Stream: newBuilder(documents()).whole()},
		{Name: "frames.pp", Records: 2, Stream: framed},
		{Name: "concatenated.pp", Records: 4, Stream: slices.Concat(two.whole(), framed)},
		{Name: "compressed.pp", Records: 400, Stream: compressed(t, documents(), many...)},
		{Name: "piped.pp", Records: 400, Stream: piped(t, listed.header, listed.body, listed.end())},
		{Name: "window.pp", Records: 2, Stream: windowed(0, two.header, two.body, two.end())},
		{Name: "rounds.pp", Records: 6, Stream: newBuilder(rounds()).
			add(open(1), inRound(1, a), closing(1, "a"), open(4), inRound(4, b), closing(4, "b")).whole()},
		{Name: "windows.pp", Records: 3, Stream: newBuilder(rounds()).
			add(openBy(2, &wire.Scheme{Method: wire.Scheme_EPOCH, Rate: 0.5, Rounds: 2, Coins: "state"}), inRound(2, a),
				closing(2, "a")).whole()},
		{Name: "contributions.pp", Records: 4,
			Stream: newBuilder(contributions()).
				add(open(1), contribution(1, true, part([]float32{1}, 0)),
					contribution(1, false, part([]float32{.5}, 1)), closing(1, "a")).whole()},
		{Name: "releases.pp", Records: 5, Stream: newBuilder(releases()).
			add(release(1), block(1, 0, -3, 4, 1<<40), block(1, 3, 0, 0, -1), release(2),
				block(2, 0, 1, 2, 3, 4, 5, 6)).whole()},
		{Name: "parameters.pp", Records: 3,
			Stream: newBuilder(parameters()).
				add(words("x", "y", "z"), parameterSet(0), floatBlock(0, 1, 2, 3, 4, 5, 6)).whole()},
		{Name: "mechanisms.pp", Records: 6, Stream: newBuilder(releases()).add(
			release(1, func(r *wire.Release) { r.Mechanism = "laplace" }), block(1, 0, 1, 2, 3, 4, 5, 6),
			release(2, withNone), block(2, 0, 1, 2, 3, 4, 5, 6), release(3, bounds(0.25)),
			block(3, 0, 1, 2, 3, 4, 5, 6)).whole()},
		{Name: "settings.pp", Records: 2,
			Stream: newBuilder(settled(contributions(), 32)).add(open(1), closing(1)).whole()},
		{Name: "settings-of-documents.pp", Records: 1,
			Stream: newBuilder(settled(documents(), 32)).add(document("a", nil, nil)).whole()},
		{Name: "settings-of-sums.pp", Records: 4,
			Stream: newBuilder(settled(sums(), 32)).add(open(1), sum(1), sixCells, closing(1)).whole()},
		{Name: "symmetric-contributions.pp", Records: 3, Stream: square(
			cells(2, []uint32{0}, []uint32{0, 2}), cells(1, []uint32{2}, []uint32{2}),
			withMatrix(1, part([]float32{1}, 1)))},
		{Name: "symmetric-releases.pp", Records: 4, Stream: newBuilder(symmetric(releases())).add(
			release(1, bounds(0.5, 4)), block(1, 0, 11, 12, 13, 22), block(1, 4, 23, 33),
			blockOf(1, 1, 0, 1, 2, 3, 4, 5, 6)).whole()},
		{Name: "sums.pp", Records: 13, Stream: newBuilder(symmetric(sums())).add(
			open(1), members(1, ascending[:2]...), members(1, ascending[2]),
			sum(1, func(s *wire.Sum) { s.Bounds = []float64{0.5, 4} }),
			block(1, 0, 11, 12, 13, 22), block(1, 4, 23, 33), blockOf(1, 1, 0, 1, -2, 3, 4, 5, 1<<40),
			closing(1, "a", "b", "user/u"),
			open(2), sum(2, func(s *wire.Sum) { s.Grant, s.Clip = "", 0 }), block(2, 0, 0, 0, 0, 0, 0, 0),
			blockOf(1, 2, 0, 0, 0, 0, 0, 0, 0), closing(2)).whole()},
		{Name: "terms.pp", Records: 2,
			Stream: newBuilder(spelledOut()).add(terms("a", "zwei", "ä", "#2"), terms("b")).whole()},

		{Name: "no-bytes.pp", Rule: "an input of no bytes is an error", Section: "1"},
		{Name: "text.pp", Rule: "not Zstandard", Section: "1", Stream: []byte("id,text\na,hello\n")},
		{Name: "skippable.pp", Rule: "skippable frame", Section: "1",
			Stream: slices.Concat([]byte{0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9}, two.whole())},
		{Name: "cut-in-frame.pp", Rule: "truncated inside a frame", Section: "1", Stream: two.whole()[:40]},
		{Name: "cut-at-frame.pp", Rule: "truncated between frames: no end record", Section: "1",
			Stream: slices.Concat(frame(two.header, a), frame(two.header, b))},
		{Name: "checksum.pp", Rule: "content checksum does not match", Section: "1", Stream: badChecksum},
		{Name: "no-checksum.pp", Rule: "frame without a content checksum", Section: "1", Stream: noChecksum},
		{Name: "large-window.pp", Rule: "frame that needs a window of more than 8 MiB", Section: "1",
			Stream: windowed(1, two.header, two.body, two.end())},
		{Name: "bomb.pp", Rule: "frame of more than 896,000 bytes decompressed", Section: "1",
			Stream: bomb.AppendFrame(nil, append(bytes.Clone(two.header), make([]byte, 900_000)...))},
		{Name: "split-record.pp", Rule: "record continues in the next frame", Section: "1",
			Stream: slices.Concat(frame(two.header, a[:5]), frame(two.header, a[5:], b, two.end()))},
		{Name: "no-header.pp", Rule: "frame does not begin with a header record", Section: "1",
			Stream: slices.Concat(frame(two.header, a), frame(b, two.end()))},
		{Name: "other-header.pp", Rule: "frames of one stream have different headers", Section: "1",
			Stream: slices.Concat(frame(two.header, a), frame(newBuilder(rounds()).header, b, two.end()))},
		{Name: "after-end.pp", Rule: "record after the end record", Section: "1",
			Stream: frame(two.header, two.body, two.end(), a)},
		{Name: "padded-length.pp", Rule: "length is not a minimal varint", Section: "1",
			Stream: newBuilder(documents()).add(slices.Concat([]byte{a[0] | 0x80, 0}, a[1:])).whole()},
		{Name: "long-length.pp", Rule: "record goes beyond its frame", Section: "1",
			Stream: frame(two.header, []byte{0x7f, 0x22})},

		{Name: "unknown-field.pp", Rule: "unknown field", Section: "2",
			Stream: newBuilder(documents()).add(unknown).whole()},
		{Name: "unknown-field-beside.pp", Rule: "unknown field, in a record of the same size without it", Section: "2",
			Stream: newBuilder(documents()).add(hidden).whole()},
		{Name: "unknown-field-nested.pp", Rule: "unknown field of a scheme", Section: "2",
			Stream: newBuilder(rounds()).add(nested, closing(1)).whole()},
		{Name: "default-value.pp", Rule: "explicit default value", Section: "2",
			Stream: newBuilder(documents()).
				add(delimited(slices.Concat([]byte{0x22, 5}, []byte{0x0a, 1, 'a', 0x1a, 0}))).whole()},
		{Name: "no-body.pp", Rule: "record without a body", Section: "2",
			Stream: newBuilder(documents()).add([]byte{2, 8, 1}).whole()},
		{Name: "header-round.pp", Rule: "header of a round", Section: "3",
			Stream: withHeader(two, inRound(1, two.header)).whole()},
		{Name: "newer.pp", Rule: "newer wire version", Section: "2.1", Stream: newBuilder(newer).whole()},
		{Name: "kind.pp", Rule: "unknown kind", Section: "2.1",
			Stream: newBuilder(with(documents(), func(h *wire.Header) { h.Kind = 50 })).whole()},
		{Name: "side.pp", Rule: "no side", Section: "2.1",
			Stream: newBuilder(with(documents(), func(h *wire.Header) { h.Side = 0 })).whole()},
		{Name: "unit.pp", Rule: "no privacy unit", Section: "2.1",
			Stream: newBuilder(with(rounds(), func(h *wire.Header) { h.Unit = 0 })).whole()},
		{Name: "huge-matrix.pp", Rule: "matrix of more than 2^31 cells", Section: "2.1",
			Stream: newBuilder(with(releases(), func(h *wire.Header) { h.Matrices[0].Rows = 1 << 31 })).
				add(release(1)).whole()},
		{Name: "no-square.pp", Rule: "symmetric matrix that is not square", Section: "2.1",
			Stream: newBuilder(with(releases(), func(h *wire.Header) { h.Matrices[0].Symmetric = true })).whole()},
		{Name: "symmetric-kind.pp", Rule: "symmetric matrix of parameters", Section: "2.1",
			Stream: newBuilder(symmetric(parameters())).whole()},
		{Name: "sums-unit.pp", Rule: "no privacy unit of sums", Section: "2.1",
			Stream: newBuilder(with(sums(), func(h *wire.Header) { h.Unit = 0 })).whole()},
		{Name: "sums-element.pp", Rule: "sums of other elements than INT64", Section: "2.1",
			Stream: newBuilder(with(sums(),
				func(h *wire.Header) { h.Matrices[0].Element = wire.Element_FLOAT64 })).whole()},
		{Name: "terms-matrices.pp", Rule: "matrices of a kind that has none", Section: "2.1",
			Stream: newBuilder(with(contributions(),
				func(h *wire.Header) { h.Kind, h.Vocabulary, h.VocabularySize = wire.Kind_TERMS, nil, 0 })).whole()},
		{Name: "vocabulary.pp", Rule: "vocabulary hash of 31 bytes", Section: "2.1",
			Stream: newBuilder(with(documents(), func(h *wire.Header) { h.Vocabulary = make([]byte, 31) })).whole()},
		{Name: "end-count.pp", Rule: "end record counts other records", Section: "2.4",
			Stream: frame(two.header, two.body,
				two.endWith(&wire.End{Records: 3, Hash: xxhash.Sum64(slices.Concat(two.header, two.body))}))},
		{Name: "end-hash.pp", Rule: "end record has another hash", Section: "2.4",
			Stream: frame(two.header, two.body, two.endWith(&wire.End{Records: 2, Hash: 1}))},
		{Name: "reordered.pp", Rule: "frames were exchanged", Section: "2.4",
			Stream: slices.Concat(frame(two.header, b), frame(two.header, a), frame(two.header, two.end()))},

		{Name: "wrong-kind.pp", Rule: "record of another kind of stream", Section: "3",
			Stream: newBuilder(documents()).add(open(1)).whole()},
		{Name: "round-of-document.pp", Rule: "round in a stream without rounds", Section: "3",
			Stream: newBuilder(documents()).add(inRound(1, a)).whole()},
		{Name: "round-back.pp", Rule: "rounds do not ascend", Section: "3",
			Stream: newBuilder(rounds()).add(open(2), closing(2), open(1), closing(1)).whole()},
		{Name: "round-0.pp", Rule: "round 0", Section: "3",
			Stream: newBuilder(rounds()).add(open(0), closing(0)).whole()},
		{Name: "round-large.pp", Rule: "round beyond 2^31", Section: "6",
			Stream: newBuilder(rounds()).add(open(1<<31+1), closing(1<<31+1)).whole()},
		{Name: "round-of-terms.pp", Rule: "round in a stream without rounds", Section: "3",
			Stream: newBuilder(spelledOut()).add(inRound(1, terms("a", "x"))).whole()},
		{Name: "round-of-words.pp", Rule: "words of a round", Section: "3",
			Stream: newBuilder(parameters()).add(inRound(1, words("x", "y", "z"))).whole()},
		{Name: "round-of-end.pp", Rule: "end record of a round", Section: "3",
			Stream: frame(two.header, two.body, inRound(1, two.end()))},
		{Name: "open-round.pp", Rule: "stream ends inside a round", Section: "3",
			Stream: newBuilder(rounds()).add(open(1), inRound(1, a)).whole()},
		{Name: "outside-round.pp", Rule: "document outside its round", Section: "3",
			Stream: newBuilder(rounds()).add(open(1), inRound(2, a), closing(1, "a")).whole()},
		{Name: "settings-size.pp", Rule: "hash of settings is not 32 bytes", Section: "2.1",
			Stream: newBuilder(settled(contributions(), 31)).add(open(1), closing(1)).whole()},
		{Name: "settings-of-a-release.pp", Rule: "settings in a kind that has none", Section: "2.1",
			Stream: newBuilder(settled(releases(), 32)).whole()},
		{Name: "other-settings.pp", Rule: "frames of one stream have different settings", Section: "1",
			Stream: slices.Concat(
				frame(settledRounds.header, settledRounds.body),
				frame(newBuilder(contributions()).header, settledRounds.end()))},
		{Name: "no-id.pp", Rule: "document without an id", Section: "3.1",
			Stream: newBuilder(documents()).add(document("", nil, nil)).whole()},
		{Name: "word-twice.pp", Rule: "word ids do not ascend", Section: "3.1",
			Stream: newBuilder(documents()).add(document("a", []uint32{3, 0}, []uint32{1, 1})).whole()},
		{Name: "word-id.pp", Rule: "word id beyond the vocabulary", Section: "3.1",
			Stream: newBuilder(documents()).add(document("a", []uint32{60, 40}, []uint32{1, 1})).whole()},
		{Name: "counts.pp", Rule: "as many counts as words", Section: "3.1",
			Stream: newBuilder(documents()).add(document("a", []uint32{1, 1}, []uint32{1})).whole()},
		{Name: "count-0.pp", Rule: "count of 0", Section: "3.1",
			Stream: newBuilder(documents()).add(document("a", []uint32{1, 1}, []uint32{1, 0})).whole()},
		{Name: "long-document.pp", Rule: "more than 2^24 words", Section: "3.1",
			Stream: newBuilder(documents()).add(document("a", []uint32{1, 1}, []uint32{1 << 24, 1})).whole()},
		{Name: "rate.pp", Rule: "rate outside (0, 1]", Section: "3.2",
			Stream: newBuilder(rounds()).
				add(openBy(1, &wire.Scheme{Method: wire.Scheme_POISSON, Rate: math.NaN(), Rounds: 1}),
					closing(1)).whole()},
		{Name: "coins.pp", Rule: "name of coins where all units are in each round", Section: "3.2",
			Stream: newBuilder(rounds()).
				add(openBy(1, &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 1, Coins: "throw"}),
					closing(1)).whole()},
		{Name: "round-records.pp", Rule: "round holds other records than it announces", Section: "3.2",
			Stream: newBuilder(rounds()).add(open(1), inRound(1, a), closing(1, "a", "b")).whole()},
		{Name: "nan.pp", Rule: "NaN in a contribution", Section: "3.3",
			Stream: newBuilder(contributions()).
				add(open(1), contribution(1, false, part([]float32{nan}, 0)), closing(1, "a")).whole()},
		{Name: "values.pp", Rule: "a value a cell", Section: "3.3",
			Stream: newBuilder(contributions()).
				add(open(1), contribution(1, false, part([]float32{1, 2}, 0)), closing(1, "a")).whole()},
		{Name: "row.pp", Rule: "row beyond the matrix", Section: "3.3",
			Stream: newBuilder(contributions()).
				add(open(1), contribution(1, false, part([]float32{1}, 2)), closing(1, "a")).whole()},
		{Name: "overlap.pp", Rule: "parts share a row", Section: "3.3",
			Stream: newBuilder(contributions()).
				add(open(1), contribution(1, true, part([]float32{1}, 1)),
					contribution(1, false, part([]float32{1}, 1)), closing(1, "a")).whole()},
		{Name: "more.pp", Rule: "contribution is not whole", Section: "3.3",
			Stream: newBuilder(contributions()).
				add(open(1), contribution(1, true, part([]float32{1}, 1)), closing(1, "a")).whole()},
		{Name: "below-diagonal.pp", Rule: "cell below the diagonal of a symmetric matrix", Section: "3.3",
			Stream: square(cells(4, []uint32{0, 2}, []uint32{1, 1}))},
		{Name: "all-columns.pp", Rule: "all columns of a symmetric matrix", Section: "3.3",
			Stream: square(cells(3, []uint32{0}, nil))},
		{Name: "all-rows.pp", Rule: "all rows of a symmetric matrix", Section: "3.3",
			Stream: square(cells(3, nil, []uint32{2}))},
		{Name: "mechanism.pp", Rule: "unknown mechanism", Section: "3.4",
			Stream: changed(func(r *wire.Release) { r.Mechanism = "cauchy" })},
		{Name: "noise-without-scale.pp", Rule: "mechanism with noise, but no scale", Section: "3.4",
			Stream: changed(func(r *wire.Release) { r.Scale = 0 })},
		{Name: "noise-without-clip.pp", Rule: "mechanism with noise, but no clip", Section: "3.4",
			Stream: changed(func(r *wire.Release) { r.Clip = 0 })},
		{Name: "noise-without-grant.pp", Rule: "mechanism with noise, but no grant", Section: "3.4",
			Stream: changed(func(r *wire.Release) { r.Grant = "" })},
		{Name: "none-with-scale.pp", Rule: "mechanism none with a scale", Section: "3.4",
			Stream: changed(func(r *wire.Release) { withNone(r); r.Scale = 1 })},
		{Name: "none-with-clip.pp", Rule: "mechanism none with a clip", Section: "3.4",
			Stream: changed(func(r *wire.Release) { withNone(r); r.Clip = 1 })},
		{Name: "none-with-grant.pp", Rule: "mechanism none with a grant", Section: "3.4",
			Stream: changed(func(r *wire.Release) { withNone(r); r.Grant = "g" })},
		{Name: "grid.pp", Rule: "grid that is not positive", Section: "3.4",
			Stream: changed(func(r *wire.Release) { r.Grid = -1 })},
		{Name: "bounds.pp", Rule: "not one bound for each matrix", Section: "3.4", Stream: changed(bounds(1, 1))},
		{Name: "bound-0.pp", Rule: "bound that is not positive", Section: "3.4", Stream: changed(bounds(0))},
		{Name: "bound-nan.pp", Rule: "bound that is not a number", Section: "3.4", Stream: changed(bounds(math.NaN()))},
		{Name: "step-0.pp", Rule: "grid times bound is 0", Section: "3.4",
			Stream: changed(bounds(math.SmallestNonzeroFloat64))},
		{Name: "step-infinite.pp", Rule: "grid times bound is infinite", Section: "3.4",
			Stream: changed(func(r *wire.Release) { r.Grid, r.Bounds = 4, []float64{math.MaxFloat64} })},
		{Name: "whole-square.pp", Rule: "block of a symmetric matrix beyond its triangle", Section: "3.4",
			Stream: newBuilder(symmetric(releases())).
				add(release(1), block(1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), blockOf(1, 1, 0, 1, 2, 3, 4, 5, 6)).whole()},
		{Name: "missing-block.pp", Rule: "blocks do not cover the matrix", Section: "3.4",
			Stream: newBuilder(releases()).add(release(1), block(1, 0, 1, 2, 3)).whole()},
		{Name: "block-gap.pp", Rule: "gap between blocks", Section: "3.4",
			Stream: newBuilder(releases()).add(release(1), block(1, 0, 1), block(1, 2, 1, 2, 3, 4)).whole()},
		{Name: "infinite.pp", Rule: "infinity in a block", Section: "3.4",
			Stream: newBuilder(parameters()).
				add(parameterSet(0), floatBlock(0, 1, 2, 3, 4, 5, float32(math.Inf(1)))).whole()},
		{Name: "words.pp", Rule: "words do not cover the vocabulary", Section: "3.4",
			Stream: newBuilder(parameters()).
				add(words("x", "y"), parameterSet(0), floatBlock(0, 1, 2, 3, 4, 5, 6)).whole()},
		{Name: "word-of-two.pp", Rule: "word with white space in it", Section: "2.2",
			Stream: newBuilder(parameters()).
				add(words("x", "y z", "w"), parameterSet(0), floatBlock(0, 1, 2, 3, 4, 5, 6)).whole()},

		{Name: "members-outside.pp", Rule: "members outside a round", Section: "3", Stream: aSum(members(1, key("a")))},
		{Name: "members-of-another-round.pp", Rule: "members of another round", Section: "3",
			Stream: aSum(open(1), members(2, key("a")))},
		{Name: "members-none.pp", Rule: "members without a key", Section: "3.6",
			Stream: aSum(open(1), members(1), sum(1), sixCells, closing(1))},
		{Name: "members-size.pp", Rule: "members of no whole keys", Section: "3.6",
			Stream: aSum(open(1), members(1, key("a")[:15]), sum(1), sixCells, closing(1, "a"))},
		{Name: "members-order.pp", Rule: "members do not ascend", Section: "3.6",
			Stream: aSum(open(1), members(1, key("a"), key("b")), sum(1), sixCells, closing(1, "a", "b"))},
		{Name: "members-twice.pp", Rule: "member occurs twice, in two records", Section: "3.6",
			Stream: aSum(open(1), members(1, key("a")), members(1, key("a")), sum(1), sixCells, closing(1, "a", "a"))},
		{Name: "members-late.pp", Rule: "members after the sum", Section: "3",
			Stream: aSum(open(1), sum(1), sixCells, members(1, key("a")), closing(1, "a"))},
		{Name: "no-sum.pp", Rule: "round without a sum", Section: "3",
			Stream: aSum(open(1), members(1, key("a")), closing(1, "a"))},
		{Name: "two-sums.pp", Rule: "second sum of a round", Section: "3",
			Stream: afterSum(sum(1), sixCells, closing(1, "a", "b", "user/u"))},
		{Name: "sum-block.pp", Rule: "blocks do not cover the matrices of a sum", Section: "3.4",
			Stream: aSum(open(1), sum(1), block(1, 0, 1, 2, 3), closing(1))},
		{Name: "sum-units.pp", Rule: "sum of other units than announced", Section: "3.6",
			Stream: afterSum(closing(1, "a", "b"))},
		{Name: "sum-records.pp", Rule: "sum of more units than records", Section: "3.6",
			Stream: afterSum(encoded(&wire.Record{Round: 1,
				Body: &wire.Record_RoundClose{RoundClose: &wire.RoundClose{Units: 3, Records: 2}}}))},
		{Name: "sum-grant.pp", Rule: "sum with a clip, but no grant", Section: "3.6",
			Stream: aSum(open(1), sum(1, func(s *wire.Sum) { s.Grant = "" }), sixCells, closing(1))},
		{Name: "sum-clip.pp", Rule: "sum with a grant, but no clip", Section: "3.6",
			Stream: aSum(open(1), sum(1, func(s *wire.Sum) { s.Clip = 0 }), sixCells, closing(1))},
		{Name: "sum-grid.pp", Rule: "sum of a grid that is not positive", Section: "3.4",
			Stream: aSum(open(1), sum(1, func(s *wire.Sum) { s.Grid = 0 }), sixCells, closing(1))},
		{Name: "sum-bounds.pp", Rule: "not one bound for each matrix of a sum", Section: "3.4",
			Stream: aSum(open(1), sum(1, func(s *wire.Sum) { s.Bounds = []float64{1, 1} }), sixCells, closing(1))},
		{Name: "sum-settings.pp", Rule: "settings of a sum are not 32 bytes", Section: "3.6",
			Stream: aSum(open(1), sum(1, func(s *wire.Sum) { s.Settings = s.Settings[:31] }), sixCells, closing(1))},
		{Name: "open-sum.pp", Rule: "stream ends inside a round of sums", Section: "3", Stream: afterSum()},

		{Name: "terms-vocabulary.pp", Rule: "terms over a vocabulary", Section: "3.7",
			Stream: newBuilder(with(spelledOut(), func(h *wire.Header) { h.VocabularySize = 3 })).whole()},
		{Name: "terms-id.pp", Rule: "terms without an id", Section: "3.7",
			Stream: newBuilder(spelledOut()).add(terms("", "x")).whole()},
		{Name: "terms-twice.pp", Rule: "term occurs twice", Section: "3.7",
			Stream: newBuilder(spelledOut()).add(terms("a", "x", "y", "x")).whole()},
		{Name: "terms-empty.pp", Rule: "empty term", Section: "2.2",
			Stream: newBuilder(spelledOut()).add(terms("a", "x", "")).whole()},
		{Name: "terms-space.pp", Rule: "term with white space in it", Section: "2.2",
			Stream: newBuilder(spelledOut()).add(terms("a", "x\u2003y")).whole()},
		{Name: "terms-comment.pp", Rule: "term that begins a comment", Section: "2.2",
			Stream: newBuilder(spelledOut()).add(terms("a", "#")).whole()},
		{Name: "terms-long.pp", Rule: "term of more than 256 bytes", Section: "2.2",
			Stream: newBuilder(spelledOut()).add(terms("a", strings.Repeat("ä", 129))).whole()},
	}, slices.Concat(vectors2(), vectors3())...)
}

// withHeader is a stream of the same records with a header as it is given.
func withHeader(b *builder, header []byte) *builder {
	return &builder{header: header, body: b.body, count: b.count}
}

func withMatrix(matrix uint32, p *wire.Part) *wire.Part { p.Matrix = matrix; return p }

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

// compressedElsewhere are the vectors whose bytes a compressor chooses.
var compressedElsewhere = []string{"compressed.pp", "bomb.pp", "piped.pp"}

func write(all []Vector) {
	for _, v := range all {
		path := filepath.Join("vectors", v.Name)
		if slices.Contains(compressedElsewhere, v.Name) {
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
