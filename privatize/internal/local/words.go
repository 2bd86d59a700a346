package local

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"privpipe/privatize/internal/book"
)

// A Document is a bag of words.
type Document struct {
	ID     string
	Words  []uint32 // distinct, below the number of words V
	Counts []uint32 // of each of Words
}

// A set is a set of words from a vocabulary of V words, as V bits: word w is bit w mod 64 of element w/64. Bits beyond
// V are 0.
type set []uint64

func newSet(words int) set { return make(set, (words+63)/64) }

// take makes s the words of d that count. It refuses a word that is not among the V = words words in the vocabulary.
func (s set) take(d *Document, words, most int) error {
	clear(s)
	for _, w := range counted(d, most) {
		if uint64(w) >= uint64(words) {
			return &book.Mismatch{Reason: "a document has a word that the vocabulary lacks"}
		}
		s.add(w)
	}
	return nil
}

func (s set) add(w uint32) { s[w/64] |= 1 << (w % 64) }

func (s set) remove(w uint32) { s[w/64] &^= 1 << (w % 64) }

func (s set) has(w uint32) bool { return s[w/64]>>(w%64)&1 == 1 }

// counted returns at most most words of d: the words with the largest counts and, among equal counts, the smallest
// words. The choice depends only on d.
func counted(d *Document, most int) []uint32 {
	if len(d.Words) <= most {
		return d.Words
	}
	order := make([]int, len(d.Words))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(d.Counts[j], d.Counts[i]), cmp.Compare(d.Words[i], d.Words[j]))
	})
	words := make([]uint32, most)
	for i := range words {
		words[i] = d.Words[order[i]]
	}
	return words
}

// flip flips each bit of s that is 1 in flips. s has V = words bits.
func (s set) flip(flips []uint64, words int) {
	for i := range s {
		s[i] ^= flips[i]
	}
	if used := words % 64; used > 0 {
		s[len(s)-1] &= 1<<used - 1
	}
}

// size is the number of bytes that a set of V words takes: ⌈V/8⌉, whatever the set holds.
func size(words int) int { return (words + 7) / 8 }

// encode writes s to b, which has size(V) bytes: word w is bit w mod 8 of byte w/8.
func (s set) encode(b []byte) {
	var last [8]byte
	for _, v := range s {
		binary.LittleEndian.PutUint64(last[:], v)
		b = b[copy(b, last[:]):]
	}
}

// appendWords appends to ids the words of an encoded set, ascending.
func appendWords(ids []uint32, encoded []byte) []uint32 {
	for i, b := range encoded {
		for rest := b; rest != 0; rest &= rest - 1 {
			ids = append(ids, uint32(8*i+bits.TrailingZeros8(rest)))
		}
	}
	return ids
}
