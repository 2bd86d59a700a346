package corpus

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

// filled returns a sealed corpus of documents that keeps at most memory bytes of them in memory.
func filled(t *testing.T, memory int64, unit wire.Unit, documents []*wire.Document) *Corpus {
	t.Helper()
	c := New(memory, unit)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, d := range documents {
		if err := c.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Seal(); err != nil {
		t.Fatal(err)
	}
	return c
}

// holds checks that c has these documents, in their order.
func holds(t *testing.T, c *Corpus, documents []*wire.Document) {
	t.Helper()
	if c.Documents() != len(documents) {
		t.Fatalf("got %d documents, want %d", c.Documents(), len(documents))
	}
	for i, want := range documents {
		if got, err := c.Document(i); err != nil || !proto.Equal(got, want) {
			t.Fatalf("document %d of %d is not what it was, %v", i, len(documents), err)
		}
	}
}

// ofSize returns a document of exactly so many bytes in a chunk, its length included.
func ofSize(t *testing.T, id string, size int) *wire.Document {
	t.Helper()
	d := &wire.Document{Id: id}
	for range 4 { // until the length of the label's length settles
		d.Label = strings.Repeat("x", max(0, len(d.Label)+size-4-proto.Size(d)))
	}
	if got := 4 + proto.Size(d); got != size {
		t.Fatalf("cannot make a document of %d bytes, only of %d", size, got)
	}
	return d
}

// TestDocumentAtTheBordersOfChunks keeps documents that fill chunks to the last byte, or all but to it, in memory, in
// the file, and in both.
func TestDocumentAtTheBordersOfChunks(t *testing.T) {
	for _, sizes := range [][]int{
		{chunkBytes}, {chunkBytes, chunkBytes}, {50, chunkBytes, 50},
		{chunkBytes - 100, 100}, {chunkBytes - 100, 100, 100}, {chunkBytes - 100, 101, 50},
		{chunkBytes - 50, chunkBytes - 50, chunkBytes, 50},
		{chunkBytes / 2, chunkBytes / 2, chunkBytes / 2},
	} {
		var documents []*wire.Document
		for i, size := range sizes {
			documents = append(documents, ofSize(t, fmt.Sprint(i), size))
		}
		for _, memory := range []int64{0, chunkBytes + 1, 1 << 40} {
			holds(t, filled(t, memory, wire.Unit_DOCUMENT, documents), documents)
		}
	}
}

// FuzzDocument checks that documents come back as they were, wherever they are kept, whoever asks.
func FuzzDocument(f *testing.F) {
	f.Add(uint64(1), uint8(0), uint8(0))
	f.Add(uint64(2), uint8(40), uint8(0))
	f.Add(uint64(3), uint8(60), uint8(1))
	f.Add(uint64(4), uint8(60), uint8(9))
	f.Fuzz(func(t *testing.T, seed uint64, n, chunks uint8) {
		random := rand.New(rand.NewPCG(seed, 1))
		var documents []*wire.Document
		for i := range int(n) % 64 {
			d := &wire.Document{Id: fmt.Sprint(i), User: strings.Repeat("u", random.IntN(3))}
			d.Label = strings.Repeat("l", random.IntN(3))
			for range random.IntN(1 << random.IntN(17)) {
				d.WordGaps = append(d.WordGaps, 1+random.Uint32N(100))
				d.Counts = append(d.Counts, 1+random.Uint32N(1<<random.IntN(25)))
			}
			documents = append(documents, d)
		}
		c := filled(t, int64(chunks)%4*chunkBytes, wire.Unit_DOCUMENT, documents)
		holds(t, c, documents)
		var group sync.WaitGroup
		for _, i := range random.Perm(len(documents)) {
			group.Go(func() {
				if got, err := c.Document(i); err != nil || !proto.Equal(got, documents[i]) {
					t.Errorf("document %d is not what it was, %v", i, err)
				}
			})
		}
		group.Wait()
	})
}

// TestTheFileHasNoName checks that what a corpus keeps on disk is private: no name leads to it, and it ends with the
// process.
func TestTheFileHasNoName(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	c := filled(t, 0, wire.Unit_DOCUMENT, []*wire.Document{{Id: "a"}})
	if c.file == nil {
		t.Fatal("want a file")
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("got %v in the folder of temporary files, want nothing", entries)
	}
	if info, err := c.file.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, want 0600", info.Mode())
	}
}

func TestMemoryNeedsNoFileBelowItsLimit(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere")
	filled(t, chunkBytes, wire.Unit_DOCUMENT, []*wire.Document{{Id: "a"}, {Id: "b"}})
	err := New(chunkBytes-1, wire.Unit_DOCUMENT).Add(&wire.Document{Id: "a"})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "--memory") {
		t.Errorf("got %v, want an error of the file that --memory needs", err)
	}
}

// TestUnits checks who owns the documents. A user and a document of one name are two units (SPEC.md §2.3).
func TestUnits(t *testing.T) {
	documents := []*wire.Document{
		{Id: "1", User: "ann"}, {Id: "2"}, {Id: "3", User: "bob"}, {Id: "4", User: "ann"}, {Id: "ann"},
		{Id: "5", User: "2"},
	}
	for _, c := range []struct {
		unit  wire.Unit
		of    []int
		names []string
	}{
		{wire.Unit_DOCUMENT, []int{0, 1, 2, 3, 4, 5}, []string{"1", "2", "3", "4", "ann", "5"}},
		{wire.Unit_USER, []int{0, 1, 2, 0, 3, 4},
			[]string{"user/ann", "document/2", "user/bob", "document/ann", "user/2"}},
	} {
		got := filled(t, 1<<30, c.unit, documents)
		for i, unit := range c.of {
			if got.UnitOf(i) != unit {
				t.Errorf("%v: document %d is of unit %d, want %d", c.unit, i, got.UnitOf(i), unit)
			}
		}
		var digests []uint64
		var keys []Key
		for _, name := range c.names {
			digests, keys = append(digests, wire.UnitDigest(name)), append(keys, KeyOf(name))
		}
		if !slices.Equal(got.Digests(), digests) || !slices.Equal(got.Keys(), keys) || got.Unit() != c.unit {
			t.Errorf("%v: got other units than %q", c.unit, c.names)
		}
	}
}

// TestSealRefusesAnIDThatStandsTwice: in a unit, that is. Users may choose the ids of others.
func TestSealRefusesAnIDThatStandsTwice(t *testing.T) {
	const marker = "MARKER"
	shared := []*wire.Document{
		{Id: "a"}, {Id: marker, User: "u"}, {Id: "b"}, {Id: marker, User: "v", Label: marker}, {Id: marker},
	}
	again := append(slices.Clone(shared), &wire.Document{Id: marker, User: "v"})
	for _, c := range []struct {
		unit      wire.Unit
		documents []*wire.Document
		want      error // without numbers: they would tell how many documents there are
	}{
		{wire.Unit_DOCUMENT, shared, ErrTwice},
		{wire.Unit_USER, shared, nil},
		{wire.Unit_USER, again, ErrTwice},
	} {
		for _, memory := range []int64{0, 1 << 30} {
			corpus := New(memory, c.unit)
			defer corpus.Close()
			for _, d := range c.documents {
				if err := corpus.Add(d); err != nil {
					t.Fatal(err)
				}
			}
			if err := corpus.Seal(); !errors.Is(err, c.want) {
				t.Errorf("%v: got %v, want %v", c.unit, err, c.want)
			}
		}
	}
}

// TestSealAcceptsEqualHashesOfOtherIDs: 64 bits of a hash are no proof that two ids are one.
func TestSealAcceptsEqualHashesOfOtherIDs(t *testing.T) {
	c := New(1<<30, wire.Unit_DOCUMENT)
	for _, id := range []string{"a", "b", "c"} {
		if err := c.Add(&wire.Document{Id: id}); err != nil {
			t.Fatal(err)
		}
	}
	c.ids[2] = c.ids[0]
	if err := c.Seal(); err != nil {
		t.Errorf("got %v", err)
	}
}
