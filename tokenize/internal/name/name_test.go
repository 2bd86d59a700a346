package name

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/wire"
)

// TestNames: a name is the content, with a number from its second document on.
func TestNames(t *testing.T) {
	a, b := Content{0xa0, 15: 1}, Content{0xb0, 15: 2}
	n := NewNamer("east/")
	for i, c := range []struct {
		of   Content
		want string
	}{
		{a, "a0000000000000000000000000000001"},
		{b, "b0000000000000000000000000000002"},
		{a, "a0000000000000000000000000000001-2"},
		{a, "a0000000000000000000000000000001-3"},
		{b, "b0000000000000000000000000000002-2"},
		{a, "a0000000000000000000000000000001-4"},
	} {
		if got := n.Name(c.of); got != "east/"+c.want {
			t.Errorf("document %d: %s, want east/%s", i, got, c.want)
		}
	}
}

func TestCheckPrefix(t *testing.T) {
	for prefix, ok := range map[string]bool{
		"": true, "east-": true, "é/": true, strings.Repeat("x", 256): true, strings.Repeat("x", 257): false,
		"caf\xe9": false,
	} {
		if err := CheckPrefix(prefix); (err == nil) != ok {
			t.Errorf("%q: %v", prefix, err)
		}
	}
}

// TestLongestName: the wire has room for it.
func TestLongestName(t *testing.T) {
	n := NewNamer(strings.Repeat("x", maxPrefix))
	n.seen[Content{}], n.counts[Content{}] = struct{}{}, 1<<63
	if err := wire.CheckDocumentNames(&wire.Document{Id: n.Name(Content{})}); err != nil {
		t.Error(err)
	}
}

// TestContent compares with SHA-256 of bytes that are written out here, and tells apart what a record can tell apart.
func TestContent(t *testing.T) {
	var h Hasher
	of := func(bytes string) Content {
		sum := sha256.Sum256([]byte(bytes))
		return Content(sum[:])
	}
	document := &wire.Document{Id: "x", User: "ann", Label: "l", WordGaps: []uint32{0, 300}, Counts: []uint32{1, 2}}
	// 300 is 0xac 0x02 as a varint (Protocol Buffers, Encoding).
	if got, want := h.Document(document),
		of("privpipe content\ndocument\n\x03ann\x01l\x02\x00\x01\xac\x02\x02"); got != want {
		t.Errorf("content of a document %x, want %x", got, want)
	}
	if got, want := h.Terms("ann", []string{"fig", "pear"}),
		of("privpipe content\nterms\n\x03ann\x02\x03fig\x04pear"); got != want {
		t.Errorf("content of terms %x, want %x", got, want)
	}
	document.Counts, document.Values = nil, []byte("\x00\x00\x80\x3f\x00\x00\x00\xbf")
	if got, want := h.Document(document),
		of("privpipe content\nvalues\n\x03ann\x01l\x02\x00\xac\x02\x00\x00\x80\x3f\x00\x00\x00\xbf"); got != want {
		t.Errorf("content of values %x, want %x", got, want)
	}
	seen := make(map[Content]int)
	for i, d := range []*wire.Document{
		{}, {User: "a"}, {Label: "a"}, {User: "a", Label: "b"}, {User: "ab"}, {User: "b", Label: "a"},
		{WordGaps: []uint32{0}, Counts: []uint32{1}}, {WordGaps: []uint32{1}, Counts: []uint32{1}},
		{WordGaps: []uint32{1}, Counts: []uint32{2}}, {WordGaps: []uint32{1, 1}, Counts: []uint32{1, 1}},
		{User: "\x00", WordGaps: []uint32{1}, Counts: []uint32{1}},
		{WordGaps: []uint32{1}, Values: []byte{0, 0, 1, 0}}, {WordGaps: []uint32{1}, Values: []byte{0, 0, 1, 1}},
		{WordGaps: []uint32{2}, Values: []byte{0, 0, 1, 0}},
		{WordGaps: []uint32{1, 1}, Values: []byte{0, 0, 1, 0, 0, 0, 1, 0}},
		{User: "a", WordGaps: []uint32{1}, Values: []byte{0, 0, 1, 0}},
		{Label: "a", WordGaps: []uint32{1}, Values: []byte{0, 0, 1, 0}},
	} {
		c := h.Document(d)
		if before, again := seen[c]; again {
			t.Errorf("documents %d and %d have one content", before, i)
		}
		seen[c] = i
		named := &wire.Document{Id: "other", User: d.User, Label: d.Label, WordGaps: d.WordGaps, Counts: d.Counts,
			Values: d.Values}
		if h.Document(named) != c {
			t.Errorf("document %d has another content under another id", i)
		}
	}
	for i, words := range [][]string{nil, {"a"}, {"b"}, {"a", "b"}, {"ab"}} {
		for _, user := range []string{"", "a"} {
			c := h.Terms(user, words)
			if before, again := seen[c]; again {
				t.Errorf("terms %d of user %q have the content of record %d", i, user, before)
			}
			seen[c] = 100 + i
		}
	}
}

// named returns the contents of documents by their names, which must be different.
func named(t *testing.T, contents []byte) map[string]byte {
	t.Helper()
	n, names := NewNamer(""), make(map[string]byte)
	for _, c := range contents {
		name := n.Name(Content{c})
		if _, again := names[name]; again {
			t.Fatalf("two documents are %s", name)
		}
		if want, err := hex.DecodeString(name[:32]); err != nil || want[0] != c {
			t.Fatalf("a document of content %x is %s", c, name)
		}
		names[name] = c
	}
	return names
}

// beyond returns how many names of a are not in b with the same content.
func beyond(a, b map[string]byte) (n int) {
	for name, content := range a {
		if other, ok := b[name]; !ok || other != content {
			n++
		}
	}
	return n
}

// FuzzNeighbours: without one of its documents a data set has the same names except one, and each stands for what it
// stood for; with one exchanged for another it loses one name and gains one, or keeps all where the two are equal. The
// order is nothing. It is what claim.md states.
func FuzzNeighbours(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint8(0), uint8(4), uint64(1))
	f.Add([]byte{1, 1, 1, 1}, uint8(2), uint8(1), uint64(2))
	f.Add([]byte{7, 1, 7, 2, 7}, uint8(0), uint8(2), uint64(3))
	f.Add([]byte{0}, uint8(0), uint8(0), uint64(4))
	f.Fuzz(func(t *testing.T, contents []byte, at, other uint8, seed uint64) {
		if len(contents) == 0 || len(contents) > 1<<8 {
			t.Skip()
		}
		i := int(at) % len(contents)
		all := named(t, contents)
		less := named(t, slices.Delete(slices.Clone(contents), i, i+1))
		if gone, came := beyond(all, less), beyond(less, all); gone != 1 || came != 0 {
			t.Errorf("without document %d of %v %d names go and %d come", i, contents, gone, came)
		}
		exchanged := slices.Clone(contents)
		exchanged[i] = other
		want := 1
		if contents[i] == other {
			want = 0
		}
		if gone, came := beyond(all, named(t, exchanged)), beyond(named(t, exchanged), all); gone != want ||
			came != want {
			t.Errorf("with document %d of %v exchanged %d names go and %d come", i, contents, gone, came)
		}
		shuffled := slices.Clone(contents)
		random := rand.New(rand.NewPCG(seed, 0))
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if beyond(all, named(t, shuffled))+beyond(named(t, shuffled), all) != 0 {
			t.Errorf("in another order %v has other names", contents)
		}
	})
}

// TestNeighbours runs the fuzz test's property on random data sets with many equal documents.
func TestNeighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		contents := make([]byte, 1+random.IntN(60))
		for i := range contents {
			contents[i] = byte(random.IntN(1 + random.IntN(20)))
		}
		all := named(t, contents)
		for i := range contents {
			less := named(t, slices.Delete(slices.Clone(contents), i, i+1))
			if gone, came := beyond(all, less), beyond(less, all); gone != 1 || came != 0 {
				t.Fatalf("without document %d of %v %d names go and %d come", i, contents, gone, came)
			}
			exchanged := slices.Clone(contents)
			exchanged[i] = 255
			if gone, came := beyond(all, named(t, exchanged)), beyond(named(t, exchanged), all); gone != 1 ||
				came != 1 {
				t.Fatalf("with document %d of %v exchanged %d names go and %d come", i, contents, gone, came)
			}
		}
	}
}

// BenchmarkDocument is a document of 80 words.
func BenchmarkDocument(b *testing.B) {
	d := &wire.Document{}
	for i := range 80 {
		d.WordGaps, d.Counts = append(d.WordGaps, uint32(1+i*i%300)), append(d.Counts, uint32(1+i%3))
	}
	var h Hasher
	for b.Loop() {
		h.Document(d)
	}
}

// BenchmarkName is of documents whose contents are all different.
func BenchmarkName(b *testing.B) {
	n := NewNamer("")
	for i := 0; b.Loop(); i++ {
		n.Name(Content(fmt.Appendf(nil, "%016x", i)))
	}
}
