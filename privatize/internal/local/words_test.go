package local

import (
	"errors"
	"math/bits"
	"reflect"
	"slices"
	"testing"

	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/noise"
)

func TestCounted(t *testing.T) {
	for _, c := range []struct {
		words, counts []uint32
		most          int
		want          []uint32
	}{
		{nil, nil, 1, nil},
		{[]uint32{3, 7}, []uint32{1, 9}, 2, []uint32{3, 7}},
		{[]uint32{3, 7, 8}, []uint32{1, 9, 5}, 2, []uint32{7, 8}},
		{[]uint32{3, 7, 8}, []uint32{1, 9, 5}, 1, []uint32{7}},
		{[]uint32{0, 1, 2, 3}, []uint32{2, 2, 2, 2}, 3, []uint32{0, 1, 2}}, // ties: the smallest words
		{[]uint32{0, 1, 2, 3}, []uint32{1, 2, 1, 2}, 3, []uint32{0, 1, 3}},
		{[]uint32{5, 6, 7}, []uint32{1, 1 << 31, 1<<32 - 1}, 2, []uint32{6, 7}},
	} {
		got := slices.Clone(counted(&Document{Words: c.words, Counts: c.counts}, c.most))
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("of words %v with counts %v %v count, want %v", c.words, c.counts, got, c.want)
		}
	}
}

func TestWordsBeyondTheVocabulary(t *testing.T) {
	s := newSet(10)
	if err := s.take(&Document{Words: []uint32{0, 9}, Counts: []uint32{1, 1}}, 10, 5); err != nil {
		t.Error(err)
	}
	for _, word := range []uint32{10, 63, 64, 1<<32 - 1} {
		err := s.take(&Document{Words: []uint32{word}, Counts: []uint32{1}}, 10, 5)
		if mismatch := (*book.Mismatch)(nil); !errors.As(err, &mismatch) {
			t.Errorf("word %d of a vocabulary of 10: error %v", word, err)
		}
	}
}

// decode returns the words of a document by the bytes of a fuzzer: gaps and counts.
func decode(b []byte, words int) *Document {
	d := new(Document)
	word := -1
	for ; len(b) >= 2; b = b[2:] {
		if word += 1 + int(b[0]); word >= words {
			break
		}
		d.Words, d.Counts = append(d.Words, uint32(word)), append(d.Counts, 1+uint32(b[1]))
	}
	return d
}

// What is stored of a set is the set, and nothing beyond V, whatever was flipped. Flips are undone by the same flips.
func FuzzSet(f *testing.F) {
	f.Add(uint16(1), []byte{0, 0}, uint64(1))
	f.Add(uint16(8), []byte{3, 1, 3, 1}, ^uint64(0))
	f.Add(uint16(65), []byte{63, 1, 0, 1}, uint64(0x5555555555555555))
	f.Add(uint16(640), []byte("a long document of many words"), uint64(0))
	f.Fuzz(func(t *testing.T, v uint16, document []byte, pattern uint64) {
		words := int(v)%1000 + 1
		d := decode(document, words)
		s := newSet(words)
		if err := s.take(d, words, words); err != nil {
			t.Fatal(err)
		}
		encoded := make([]byte, size(words))
		decoded := func() []uint32 { s.encode(encoded); return appendWords(nil, encoded) }
		if got := decoded(); !slices.Equal(got, d.Words) {
			t.Fatalf("V = %d: decoded %v, want %v", words, got, d.Words)
		}
		flips := slices.Repeat([]uint64{pattern}, len(s))
		s.flip(flips, words)
		for w := range uint32(words) {
			had, has := slices.Contains(d.Words, w), slices.Contains(decoded(), w)
			if flipped := pattern>>(w%64)&1 == 1; (had != has) != flipped {
				t.Fatalf("V = %d: bit %d is %v of %v, flipped %v", words, w, has, had, flipped)
			}
		}
		if got := decoded(); len(got) > 0 && int(got[len(got)-1]) >= words {
			t.Fatalf("V = %d: bit %d is reported", words, got[len(got)-1])
		}
		s.flip(flips, words)
		if got := decoded(); !slices.Equal(got, d.Words) {
			t.Fatalf("V = %d: flipped twice %v, want %v", words, got, d.Words)
		}
	})
}

// differing is the number of bits in which the sets of two documents differ.
func differing(t *testing.T, a, b *Document, words, most int) (n uint64) {
	t.Helper()
	s, other := newSet(words), newSet(words)
	if err := errors.Join(s.take(a, words, most), other.take(b, words, most)); err != nil {
		t.Fatal(err)
	}
	for i := range s {
		n += uint64(bits.OnesCount64(s[i] ^ other[i]))
	}
	return n
}

// The sets of two documents differ in no more bits than are charged.
func FuzzSensitivity(f *testing.F) {
	f.Add(uint8(3), uint8(10), []byte{0, 1, 0, 1, 0, 1}, []byte{5, 1, 0, 1, 0, 1})
	f.Add(uint8(9), uint8(10), []byte{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, []byte{4, 1, 0, 1, 0, 1, 0, 1, 0, 1})
	f.Fuzz(func(t *testing.T, most, v uint8, a, b []byte) {
		words := int(v) + 1
		grant := newGrant()
		grant.MaxWords = int(most) + 1
		charge := newCharge(pointer(over(Terms{Grant: grant}, words)))
		differ := differing(t, decode(a, words), decode(b, words), words, grant.MaxWords)
		if differ > charge.Sensitivity {
			t.Errorf("%d bits differ, %d are charged", differ, charge.Sensitivity)
		}
	})
}

// Exchanging, adding or leaving out one word of a text moves at most 2 bits, whichever words count.
func FuzzOneWord(f *testing.F) {
	f.Add(uint8(2), []byte{0, 3, 0, 3, 0, 3}, uint8(0), uint8(2))
	f.Add(uint8(2), []byte{0, 0, 0, 1, 0, 1, 0, 1}, uint8(1), uint8(9))
	f.Add(uint8(0), []byte{}, uint8(1), uint8(9))
	f.Fuzz(func(t *testing.T, most uint8, text []byte, less, more uint8) {
		const words = 256
		a := decode(text, words)
		counts := make(map[uint32]uint32)
		for i, w := range a.Words {
			counts[w] = a.Counts[i]
		}
		if counts[uint32(less)] > 0 {
			counts[uint32(less)]--
		}
		if more > 0 { // 0: none is added
			counts[uint32(more)]++
		}
		b := new(Document)
		for w := range uint32(words) {
			if counts[w] > 0 {
				b.Words, b.Counts = append(b.Words, w), append(b.Counts, counts[w])
			}
		}
		if differ := differing(t, a, b, words, int(most)+1); differ > 2 {
			t.Errorf("%d bits differ for one word", differ)
		}
	})
}

// The sampler that flips is, bit by bit of its probability, the one of the scale that is charged, which is the least
// that does not flip less than the grant says. Package noise tests what it draws.
func TestScale(t *testing.T) {
	for flip, want := range map[float64]uint64{
		0.25: noise.FlipSteps / 4, 0.5: noise.FlipSteps / 2, 1.0 / noise.FlipSteps: 1, 1.5 / noise.FlipSteps: 2,
		0.1: 429496730, // ⌈2^32/10⌉ = ⌈429496729.6⌉
	} {
		terms := newTerms()
		terms.Grant.Flip = flip
		r, err := Open(newLedger(t), terms)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if r.charge.Scale != want {
			t.Errorf("flip %v: a scale of %d is charged, want %d", flip, r.charge.Scale, want)
		}
		if !reflect.DeepEqual(r.flips, noise.NewBernoulli(want)) {
			t.Errorf("flip %v: the sampler is not that of the scale that is charged", flip)
		}
	}
}

// The bound is reached.
func TestSensitivity(t *testing.T) {
	for _, c := range []struct {
		most, words int
		want        uint64
	}{{1, 1, 1}, {1, 2, 2}, {1, 9, 2}, {5, 9, 9}, {5, 10, 10}, {5, 11, 10}, {1 << 20, 1 << 24, 1 << 21}} {
		grant := newGrant()
		grant.MaxWords = c.most
		if got := newCharge(pointer(over(Terms{Grant: grant}, c.words))).Sensitivity; got != c.want {
			t.Errorf("at most %d words of %d: %d bits are charged, want %d", c.most, c.words, got, c.want)
		}
	}
}

func pointer(terms Terms) *Terms { return &terms }
