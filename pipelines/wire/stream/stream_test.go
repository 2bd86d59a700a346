package stream

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

func header(kind wire.Kind) *wire.Header {
	h := &wire.Header{Version: wire.Version, Kind: kind, Side: wire.Side_PRIVATE, VocabularySize: 100}
	switch kind {
	case wire.Kind_ROUNDS:
		h.Unit = wire.Unit_DOCUMENT
	case wire.Kind_CONTRIBUTIONS, wire.Kind_STATE:
		h.Unit = wire.Unit_DOCUMENT
		h.Matrices = []*wire.Matrix{
			{Name: "a", Rows: 3, Columns: 2, Element: wire.Element_FLOAT32},
			{Name: "b", Rows: 1, Columns: 4, Element: wire.Element_FLOAT32},
		}
	case wire.Kind_RELEASES:
		h.Unit, h.Side = wire.Unit_DOCUMENT, wire.Side_PUBLIC
		h.Matrices = []*wire.Matrix{
			{Name: "a", Rows: 2, Columns: 2, Element: wire.Element_INT64},
			{Name: "b", Rows: 1, Columns: 1, Element: wire.Element_INT64},
		}
	case wire.Kind_TERMS:
		h.VocabularySize = 0
	case wire.Kind_SUMS:
		h.Unit = wire.Unit_DOCUMENT
		h.Matrices = []*wire.Matrix{
			{Name: "a", Rows: 2, Columns: 2, Element: wire.Element_INT64, Symmetric: true},
			{Name: "b", Rows: 1, Columns: 1, Element: wire.Element_INT64},
		}
	}
	return h
}

func documentRecord(id string, words int) *wire.Record {
	d := &wire.Document{Id: id}
	for i := range words {
		d.WordGaps = append(d.WordGaps, uint32(min(i, 1)))
		d.Counts = append(d.Counts, uint32(1+i%3))
	}
	return &wire.Record{Body: &wire.Record_Document{Document: d}}
}

// encode writes records as one stream, a frame for each where frames says so.
func encode(t testing.TB, h *wire.Header, c Compression, frames bool, records ...*wire.Record) []byte {
	t.Helper()
	compressor, err := NewCompressor(c)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, h, compressor)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
		if frames {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(&wire.Tally{Name: "skipped", Value: 3}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decode reads all records of an input.
func decode(b []byte) ([]*wire.Record, *Reader, error) {
	r, err := NewReader(bytes.NewReader(b), "test")
	if err != nil {
		return nil, nil, err
	}
	var records []*wire.Record
	for {
		record, err := r.Next()
		if err == io.EOF {
			return records, r, nil
		}
		if err != nil {
			return records, r, err
		}
		records = append(records, record)
	}
}

func equal(a, b []*wire.Record) bool {
	return slices.EqualFunc(a, b, func(x, y *wire.Record) bool { return proto.Equal(x, y) })
}

func someDocuments(n int) []*wire.Record {
	var records []*wire.Record
	for i := range n {
		records = append(records, documentRecord(fmt.Sprint("d", i), i%80))
	}
	return records
}

func TestRoundTrip(t *testing.T) {
	want := someDocuments(5000) // several frames
	for _, c := range []Compression{None, Fast, Best} {
		got, r, err := decode(encode(t, header(wire.Kind_DOCUMENTS), c, false, want...))
		if err != nil || !equal(got, want) {
			t.Errorf("%s: %d records, error %v", c, len(got), err)
		}
		if r.Tally("skipped") != 3 {
			t.Errorf("%s: tally %d, want 3", c, r.Tally("skipped"))
		}
	}
}

// TestWorkedExample checks SPEC.md's hex against what is written and read.
func TestWorkedExample(t *testing.T) {
	spec, err := os.ReadFile("../../SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := strings.Cut(string(spec), "The stream, stored without compression")
	if !found {
		t.Fatal("SPEC.md has no worked example")
	}
	block := strings.Split(example, "```")[1]
	digits := regexp.MustCompile(`(?m)^((?:[0-9a-f]{2} ?)+)`).FindAllString(block, -1)
	want, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "").Replace(strings.Join(digits, "")))
	if err != nil {
		t.Fatal(err)
	}
	h := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, VocabularySize: 10}
	d := &wire.Document{Id: "a", WordGaps: []uint32{3, 4}, Counts: []uint32{1, 2}}
	compressor, _ := NewCompressor(None)
	var b bytes.Buffer
	w, err := NewWriter(&b, h, compressor)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(&wire.Record{Body: &wire.Record_Document{Document: d}})
	w.Close()
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("SPEC.md has\n% x, the writer writes\n% x", want, b.Bytes())
	}
	if records, _, err := decode(want); err != nil || len(records) != 1 {
		t.Errorf("SPEC.md's stream reads as %v, %v", records, err)
	}
}

// TestEndOfARound: an end record belongs to the stream.
func TestEndOfARound(t *testing.T) {
	b := encode(t, header(wire.Kind_DOCUMENTS), None, false)
	content := b[12 : len(b)-4]
	_, prefix := binary.Uvarint(content)
	at := int(content[0]) + prefix // of the end record, whose length is one byte
	content = slices.Concat(content[:at], []byte{content[at] + 2, 0x08, 1}, content[at+1:])
	_, _, err := decode(appendStored(nil, content))
	if err == nil || !strings.Contains(err.Error(), "end of a round") {
		t.Errorf("got %v", err)
	}
}

// TestTruncatedEverywhere cuts a stream of several frames at every byte: no cut may look complete.
func TestTruncatedEverywhere(t *testing.T) {
	for _, c := range []Compression{None, Fast} {
		b := encode(t, header(wire.Kind_DOCUMENTS), c, true, someDocuments(6)...)
		for cut := range b {
			_, _, err := decode(b[:cut])
			var format *FormatError
			if !errors.As(err, &format) {
				t.Fatalf("%s: cut at byte %d of %d: error %v, must be a *FormatError", c, cut, len(b), err)
			}
			if cut == 0 && !errors.Is(err, ErrEmpty) {
				t.Errorf("empty input: %v", err)
			}
		}
	}
}

// TestDamagedEverywhere flips every bit of a stream: no flip may go unseen.
func TestDamagedEverywhere(t *testing.T) {
	want := someDocuments(3)
	for _, c := range []Compression{None, Fast} {
		b := encode(t, header(wire.Kind_DOCUMENTS), c, true, want...)
		for i := range b {
			for bit := range 8 {
				damaged := bytes.Clone(b)
				damaged[i] ^= 1 << bit
				got, _, err := decode(damaged)
				// A flip in an unused bit of Zstandard's own headers may change nothing.
				if err == nil && !equal(got, want) {
					t.Fatalf("%s: bit %d of byte %d flipped: read without an error as other records", c, bit, i)
				}
			}
		}
	}
}

func frames(t *testing.T, b []byte) [][]byte {
	t.Helper()
	in := bufio.NewReader(bytes.NewReader(b))
	var all [][]byte
	for {
		f, err := readFrame(in, nil)
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
}

func TestFramesCannotBeMoved(t *testing.T) {
	f := frames(t, encode(t, header(wire.Kind_DOCUMENTS), Fast, true, someDocuments(5)...))
	other := frames(t, encode(t,
		&wire.Header{Version: 1, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, VocabularySize: 99},
		Fast, true, someDocuments(5)...))
	for name, order := range map[string][][]byte{
		"one is lost":                 {f[0], f[1], f[3], f[4], f[5]},
		"one comes twice":             {f[0], f[1], f[1], f[2], f[3], f[4], f[5]},
		"two are exchanged":           {f[0], f[2], f[1], f[3], f[4], f[5]},
		"one is of another stream":    {f[0], f[1], other[2], f[3], f[4], f[5]},
		"no end":                      f[:5],
		"a cut stream before a whole": slices.Concat(f[:5], f),
	} {
		if _, _, err := decode(bytes.Join(order, nil)); err == nil {
			t.Errorf("%s: read without an error", name)
		}
	}
}

func TestConcatenation(t *testing.T) {
	a, b := someDocuments(10), someDocuments(3)
	h := header(wire.Kind_DOCUMENTS)
	both := slices.Concat(encode(t, h, Fast, false, a...), encode(t, h, None, true, b...))
	got, r, err := decode(both)
	if err != nil || !equal(got, slices.Concat(a, b)) {
		t.Errorf("%d records, error %v", len(got), err)
	}
	if r.Tally("skipped") != 6 {
		t.Errorf("tallies add up to %d, want 6", r.Tally("skipped"))
	}
}

// TestEveryFrameCanBeReadAlone checks that a frame is itself a valid run of records under its header.
func TestEveryFrameCanBeReadAlone(t *testing.T) {
	b := encode(t, header(wire.Kind_DOCUMENTS), Fast, true, someDocuments(3)...)
	for i, f := range frames(t, b) {
		r, err := NewReader(bytes.NewReader(f), "frame")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Header(); err != nil {
			t.Errorf("frame %d alone: %v", i, err)
		}
		if _, err := r.Next(); err != nil && i < 3 {
			t.Errorf("frame %d alone has no record: %v", i, err)
		}
	}
}

func TestForeignInput(t *testing.T) {
	stored := func(content []byte) []byte { return appendStored(nil, content) }
	bomb, err := NewCompressor(Best)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"text":                 []byte("this is no stream at all"),
		"gzip":                 {0x1f, 0x8b, 8, 0, 0, 0, 0, 0},
		"skippable frame":      {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0},
		"no header record":     stored([]byte{0x0d, 0x22, 0x0b, 0x0a, 0x01, 0x61, 0x22, 0x02, 3, 4, 0x2a, 0x02, 1, 2}),
		"empty frame":          stored(nil),
		"header of a round":    stored([]byte{0x0c, 0x08, 1, 0x12, 0x08, 0x08, 1, 0x10, 1, 0x18, 1, 0x40, 0x0a}),
		"padded length":        stored([]byte{0x8a, 0x00, 0x12, 0x08, 0x08, 1, 0x10, 1, 0x18, 1, 0x40, 0x0a}),
		"no checksum":          {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0},
		"dictionary":           {0x28, 0xb5, 0x2f, 0xfd, 0x25, 1, 0, 1, 0, 0, 0, 0, 0, 0},
		"reserved bit":         {0x28, 0xb5, 0x2f, 0xfd, 0x2c, 0, 1, 0, 0, 0, 0, 0, 0},
		"reserved block":       {0x28, 0xb5, 0x2f, 0xfd, 0x24, 0, 7, 0, 0, 0, 0, 0, 0},
		"decompression bomb":   bomb.AppendFrame(nil, make([]byte, wire.MaxContent+1)),
		"frame over the limit": stored(make([]byte, wire.MaxFrame)),
	} {
		_, _, err := decode(b)
		var format *FormatError
		if !errors.As(err, &format) || format.Frame != 0 || format.Offset != 0 || format.ExitCode() != 90 {
			t.Errorf("%s: error %v, must be a *FormatError of frame 0 at byte 0", name, err)
		}
	}
}

func TestErrorsSayWhere(t *testing.T) {
	h := header(wire.Kind_DOCUMENTS)
	f := frames(t, encode(t, h, None, true, someDocuments(3)...))
	damaged := bytes.Clone(f[2])
	damaged[len(damaged)-1] ^= 1 // the checksum
	_, _, err := decode(slices.Concat(f[0], f[1], damaged))
	want := fmt.Sprintf("test: frame 2 at byte %d: damaged frame", len(f[0])+len(f[1]))
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLargestRecordFitsAFrame(t *testing.T) {
	h := header(wire.Kind_CONTRIBUTIONS)
	h.Run = strings.Repeat("r", wire.MaxName)
	h.Matrices = []*wire.Matrix{{Name: "wide", Rows: 1, Columns: 1 << 20, Element: wire.Element_FLOAT32}}
	part := &wire.Part{RowGaps: []uint32{0}, Values: make([]byte, 0, wire.MaxRecord)}
	for i := range 175_000 {
		part.ColumnGaps = append(part.ColumnGaps, uint32(min(i, 1)))
	}
	part.Values = make([]byte, 4*len(part.ColumnGaps))
	scheme := &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 1}
	c := &wire.Contribution{Unit: "u", Parts: []*wire.Part{part}}
	want := []*wire.Record{
		{Round: 1, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}},
		{Round: 1, Body: &wire.Record_Contribution{Contribution: c}},
		{Round: 1, Body: &wire.Record_RoundClose{RoundClose: &wire.RoundClose{Units: 1, Records: 1}}},
	}
	b := encode(t, h, None, false, want...)
	for i, f := range frames(t, b) {
		if len(f) > wire.MaxFrame {
			t.Errorf("frame %d of %d bytes", i, len(f))
		}
	}
	if got, _, err := decode(b); err != nil || !equal(got, want) {
		t.Errorf("%d records, error %v", len(got), err)
	}
}

func TestBatchesAreTheSameStream(t *testing.T) {
	want := someDocuments(3000)
	h := header(wire.Kind_DOCUMENTS)
	compressor, _ := NewCompressor(Fast)
	var b bytes.Buffer
	w, err := NewWriter(&b, h, compressor)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(want[0]); err != nil {
		t.Fatal(err)
	}
	for some := range slices.Chunk(want[1:], 700) {
		batches, err := w.Framer().Batches(some)
		if err != nil {
			t.Fatal(err)
		}
		for _, batch := range batches {
			if err := w.WriteBatch(batch); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, _, err := decode(b.Bytes()); err != nil || !equal(got, want) {
		t.Errorf("%d records, error %v", len(got), err)
	}
	if _, err := w.Framer().Batches([]*wire.Record{documentRecord("", 1)}); err == nil {
		t.Error("a batch with an invalid record was made")
	}
}

// TestBatchesKeepTheirMemory: batches that wait to be written do not change when others are made and written. The
// memory of written ones serves others.
func TestBatchesKeepTheirMemory(t *testing.T) {
	compressor, _ := NewCompressor(None)
	var out bytes.Buffer
	w, err := NewWriter(&out, header(wire.Kind_DOCUMENTS), compressor)
	if err != nil {
		t.Fatal(err)
	}
	want := someDocuments(400)
	var waiting [][]*Batch
	for rest, n := want, 30; len(rest) > 0; n-- { // smaller and smaller, so that they fit the memory of those before
		some := rest[:min(len(rest), max(n, 1))]
		rest = rest[len(some):]
		made, err := w.Framer().Batches(some)
		if err != nil {
			t.Fatal(err)
		}
		if waiting = append(waiting, made); len(waiting) < 3 {
			continue
		}
		for _, b := range waiting[0] {
			if err := w.WriteBatch(b); err != nil {
				t.Fatal(err)
			}
			if b.content != nil || b.frame != nil {
				t.Fatal("a batch that was written still has its memory")
			}
		}
		waiting = waiting[1:]
	}
	endsWith(t, w, &out, slices.Concat(waiting...), want)
}

// TestBatchBeyondAFrameKeepsItsMemory: a record that does not fit beside those before it becomes a batch of its own. It
// stays as it is while the memory of the batch before it serves others.
func TestBatchBeyondAFrameKeepsItsMemory(t *testing.T) {
	compressor, _ := NewCompressor(None)
	var out bytes.Buffer
	h := header(wire.Kind_DOCUMENTS)
	h.VocabularySize = 1 << 20
	w, err := NewWriter(&out, h, compressor)
	if err != nil {
		t.Fatal(err)
	}
	batches := func(records ...*wire.Record) []*Batch {
		made, err := w.Framer().Batches(records)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	want := []*wire.Record{documentRecord("a", 60_000), documentRecord("b", 420_000)}
	made := batches(want...)
	if len(made) != 2 {
		t.Fatalf("%d batches, want 2", len(made))
	}
	if err := w.WriteBatch(made[0]); err != nil {
		t.Fatal(err)
	}
	waiting := made[1:]
	for i := range 10 { // more than the memory that was given back
		r := documentRecord(fmt.Sprint("c", i), 120_000)
		want, waiting = append(want, r), append(waiting, batches(r)...)
	}
	endsWith(t, w, &out, waiting, want)
}

// endsWith writes the last batches, and compares all records of the stream.
func endsWith(t *testing.T, w *Writer, out *bytes.Buffer, last []*Batch, want []*wire.Record) {
	t.Helper()
	for _, b := range last {
		if err := w.WriteBatch(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, _, err := decode(out.Bytes()); err != nil || !equal(got, want) {
		t.Errorf("%d records, want %d, error %v", len(got), len(want), err)
	}
}

// TestDocumentBatches: documents that were encoded before give the frames that their records give, in rounds and
// outside, in one frame and in many. They count as records of the round.
func TestDocumentBatches(t *testing.T) {
	compressor, _ := NewCompressor(None)
	for _, n := range []int{0, 1, 50_000} {
		var out bytes.Buffer
		w, err := NewWriter(&out, header(wire.Kind_ROUNDS), compressor)
		if err != nil {
			t.Fatal(err)
		}
		want := []*wire.Record{open(7)}
		var encoded [][]byte
		for _, r := range someDocuments(n) {
			b, err := wire.AppendDocument(nil, r.GetDocument())
			if err != nil {
				t.Fatal(err)
			}
			encoded, want = append(encoded, b), append(want, inRound(7, r))
		}
		want = append(want, closing(7, uint64(n)))
		batches, err := w.Framer().DocumentBatches(7, encoded)
		if err != nil {
			t.Fatal(err)
		}
		same, err := w.Framer().Batches(want[1 : 1+n])
		if err != nil || len(same) != len(batches) || n > 1 && len(batches) < 2 {
			t.Fatalf("%d batches, of records %d, %v", len(batches), len(same), err)
		}
		if err := w.Write(want[0]); err != nil {
			t.Fatal(err)
		}
		for i, b := range batches {
			if !bytes.Equal(b.frame, same[i].frame) {
				t.Errorf("frame %d of %d documents is not that of their records", i, n)
			}
			if err := w.WriteBatch(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmp.Or(w.Write(want[len(want)-1]), w.Close()); err != nil {
			t.Fatal(err)
		}
		if got, _, err := decode(out.Bytes()); err != nil || !equal(got, want) {
			t.Errorf("%d records, want %d, error %v", len(got), len(want), err)
		}
	}
	w, _ := NewWriter(io.Discard, header(wire.Kind_ROUNDS), compressor)
	if _, err := w.Framer().DocumentBatches(1, [][]byte{make([]byte, wire.MaxRecord)}); err != wire.ErrTooLarge {
		t.Errorf("a document that is too large: %v", err)
	}
}

func TestWriterRefusesWhatReadersWould(t *testing.T) {
	compressor, _ := NewCompressor(None)
	w, err := NewWriter(io.Discard, header(wire.Kind_DOCUMENTS), compressor)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(documentRecord("", 0)); err == nil {
		t.Error("a document without an id was written")
	}
	if err := w.Write(&wire.Record{Body: &wire.Record_Score{Score: &wire.Score{}}}); err == nil {
		t.Error("a score was written into a stream of documents")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err == nil {
		t.Error("a stream was ended twice")
	}
}

// vectors are the streams of package testkit, which has some of each kind and version.
func vectors(f testing.TB) (streams [][]byte) {
	names, err := filepath.Glob("../../testkit/vectors/*.pp")
	if err != nil || len(names) == 0 {
		f.Fatalf("no vectors: %v", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		streams = append(streams, b)
	}
	return streams
}

// FuzzContent fuzzes what is inside a frame, which FuzzReader's checksums keep it from reaching.
func FuzzContent(f *testing.F) {
	for _, b := range [][]byte{
		encode(f, header(wire.Kind_DOCUMENTS), None, false, someDocuments(3)...),
		encode(f, header(wire.Kind_RELEASES), None, false, releaseRecords()...),
		encode(f, header(wire.Kind_CONTRIBUTIONS), None, false, open(1), contribution(1, "u", false, rows(0, 0)),
			closing(1, 1)),
		encode(f, header(wire.Kind_SUMS), None, false, sumRecords()...),
		encode(f, header(wire.Kind_TERMS), None, false, terms(0, "x", "y")),
	} {
		content := b[12 : len(b)-4] // of the first frame, mostly
		f.Add(content)
	}
	for _, b := range vectors(f) {
		if len(b) > 16 {
			f.Add(b[12 : len(b)-4])
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) == 0 || len(content) > wire.MaxContent {
			t.Skip()
		}
		if _, _, err := decode(appendStored(nil, content)); err == nil {
			return // a whole stream: FuzzReader's business
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add(encode(f, header(wire.Kind_DOCUMENTS), None, true, someDocuments(3)...))
	f.Add(encode(f, header(wire.Kind_DOCUMENTS), Fast, false, someDocuments(30)...))
	f.Add(encode(f, header(wire.Kind_RELEASES), None, false, releaseRecords()...))
	f.Add(encode(f, header(wire.Kind_SUMS), None, false, sumRecords()...))
	f.Add(encode(f, header(wire.Kind_TERMS), None, false, terms(0, "x", "y")))
	for _, b := range vectors(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		records, r, err := decode(b)
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) {
				t.Errorf("error %v is no *FormatError", err)
			}
			return
		}
		// What reads without an error can be written, and reads the same. (A concatenation becomes one stream, in which
		// rounds must still ascend.)
		compressor, _ := NewCompressor(None)
		var out bytes.Buffer
		w, err := NewWriter(&out, r.header, compressor)
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range records {
			if err := w.Write(record); err != nil {
				t.Skip("concatenation")
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if again, _, err := decode(out.Bytes()); err != nil || !equal(again, records) {
			t.Errorf("written again it reads as %d of %d records, error %v", len(again), len(records), err)
		}
	})
}

// TestDigest: the bytes that the digest of parameters hashes, by hand.
func TestDigest(t *testing.T) {
	set := &Set{
		Parameters: &wire.Parameters{Scalars: []*wire.Scalar{{Name: "alpha", Value: 0.25}, {Name: "t"}}},
		blocks:     [][][]byte{{{1, 2, 3}, {4}}, {{5, 6}}},
	}
	want := sha256.Sum256([]byte("alpha\n\x00\x00\x00\x00\x00\x00\xd0\x3ft\n" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x04\x05\x06"))
	if got := set.Digest(); got != want {
		t.Errorf("digest %x, want %x", got, want)
	}
	set.Parameters = nil // as a release, of which ledgers have the digest
	if got, want := set.Digest(), sha256.Sum256([]byte{1, 2, 3, 4, 5, 6}); got != want {
		t.Errorf("digest %x of a release, want %x", got, want)
	}
}

// TestOpenSet: matrices read on demand equal the matrices from ReadSet, in whatever order they are read. The next set
// comes after them. A stream that breaks off among the matrices is told from a matrix that is not there.
func TestOpenSet(t *testing.T) {
	h := header(wire.Kind_RELEASES)
	h.Matrices[0].Rows, h.Matrices[0].Columns = 3, 20_000
	big, small := make([]int64, 60_000), []int64{-7}
	for i := range big {
		big[i] = int64(i) - 30_000
	}
	var written bytes.Buffer
	c, err := NewCompressor(None)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(&written, h, c)
	for round := uint32(1); round <= 2 && err == nil; round++ {
		err = w.WriteSet(release(round), RowsOf(big), RowsOf(small))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	drained := func(s *Set, name string, want []int64) {
		t.Helper()
		var got []int64
		parts := 0
		if err := Drain(s, name, func(some []int64) { got, parts = append(got, some...), parts+1 }); err != nil ||
			!slices.Equal(got, want) || parts != (len(want)+1<<14-1)>>14 {
			t.Errorf("%s: %d cells in %d parts, error %v", name, len(got), parts, err)
		}
		if err := Drain(s, name, func([]int64) {}); err == nil || s.Err() != nil {
			t.Errorf("%s is drained twice: error %v, of the reader %v", name, err, s.Err())
		}
	}
	listed := func(s *Set, name string, want []int64) {
		t.Helper()
		if got, err := Cells[int64](s, name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d cells, error %v", name, len(got), err)
		}
	}
	for what, ask := range map[string]func(s *Set){
		"in order":      func(s *Set) { drained(s, "a", big); drained(s, "b", small) },
		"backwards":     func(s *Set) { drained(s, "b", small); drained(s, "a", big) },
		"listed":        func(s *Set) { listed(s, "a", big); listed(s, "b", small); listed(s, "a", big) },
		"the last only": func(s *Set) { listed(s, "b", small) },
		"the first":     func(s *Set) { drained(s, "a", big) },
		"none":          func(*Set) {},
		"of a name that is not there": func(s *Set) {
			if err := Drain(s, "c", func([]int64) {}); err == nil || s.Err() != nil {
				t.Errorf("error %v, of the reader %v", err, s.Err())
			}
		},
		"of another element": func(s *Set) {
			if _, err := Cells[float64](s, "b"); err == nil || s.Err() != nil {
				t.Errorf("error %v, of the reader %v", err, s.Err())
			}
		},
	} {
		r, err := NewReader(bytes.NewReader(written.Bytes()), "test")
		if err != nil {
			t.Fatal(err)
		}
		for round := uint32(1); round <= 2; round++ {
			s, err := OpenSet(r, nil)
			if err != nil || s.Round != round {
				t.Fatalf("%s: round %d: %v, error %v", what, round, s, err)
			}
			ask(s)
			if err := s.Skip(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := OpenSet(r, nil); err != io.EOF {
			t.Errorf("%s: %v, want the end", what, err)
		}
	}

	r, err := NewReader(bytes.NewReader(written.Bytes()[:written.Len()*9/20]), "test")
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenSet(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Drain(s, "a", func([]int64) {}); err == nil || err == io.EOF || s.Err() != err {
		t.Errorf("a stream that breaks off: error %v, of the reader %v", err, s.Err())
	}
}

// TestWriteSet: cells come in blocks of 128 KiB, and are read as they were written, all at once or block by block.
func TestWriteSet(t *testing.T) {
	h := header(wire.Kind_RELEASES)
	h.Matrices[0].Rows, h.Matrices[0].Columns = 3, 20_000
	matrices := [][]int64{make([]int64, 60_000), {-7}}
	for i := range matrices[0] {
		matrices[0][i] = int64(i) - 30_000
	}
	head := &wire.Record{Round: 1, Body: &wire.Record_Release{Release: &wire.Release{
		Mechanism: "none", Grid: 1, Scheme: &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 1},
	}}}
	var written bytes.Buffer
	c, err := NewCompressor(None)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(&written, h, c)
	if err == nil {
		err = w.WriteSet(head, RowsOf(matrices[0]), RowsOf(matrices[1]))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	reader := func() *Reader {
		r, err := NewReader(bytes.NewReader(written.Bytes()), "test")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := reader()
	var offsets []uint64
	for record, err := r.Next(); err == nil; record, err = r.Next() {
		if b := record.GetBlock(); b != nil {
			offsets = append(offsets, b.Offset)
		}
	}
	if want := []uint64{0, 1 << 14, 2 << 14, 3 << 14, 0}; !slices.Equal(offsets, want) {
		t.Errorf("blocks at %d, want %d", offsets, want)
	}
	set, err := ReadSet(reader(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := set.Digest(), sha256.Sum256(AppendCells(AppendCells(nil, matrices[0]), matrices[1])); got != want {
		t.Errorf("digest %x, want %x", got, want)
	}
	for i, name := range []string{"a", "b"} {
		if cells, err := Cells[int64](set, name); err != nil || !slices.Equal(cells, matrices[i]) {
			t.Errorf("matrix %s: other cells, or %v", name, err)
		}
		if err := Drain(set, name, func([]float64) { t.Error("drained cells of another type") }); err == nil {
			t.Errorf("matrix %s: drained as float64", name)
		}
		var drained []int64
		if err := Drain(set, name, func(cells []int64) { drained = append(drained, cells...) }); err != nil ||
			!slices.Equal(drained, matrices[i]) {
			t.Errorf("matrix %s: other cells were drained, or %v", name, err)
		}
		if err := Drain(set, name, func([]int64) { t.Error("drained twice") }); err == nil {
			t.Errorf("matrix %s: drained twice", name)
		}
		if _, err := Cells[int64](set, name); err == nil {
			t.Errorf("matrix %s: cells after they were drained", name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a digest of a drained set")
		}
	}()
	set.Digest()
}
