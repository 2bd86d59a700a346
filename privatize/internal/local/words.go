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

// A set is a set of the words of a vocabulary as V bits, word w at bit w mod 64 of element w/64. Bits beyond V are 0.
type set []uint64

func newSet(words int) set { return make(set, (words+63)/64) }

// take makes s the words of d that count. It refuses a word that is not one of the V = words of the vocabulary.
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

// counted returns at most so many words of d: those with the largest counts and, among equal counts, the smallest words. It depends
// only on d.
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

// flip flips the bits of s, one for each of V words, that are 1 in flips.
func (s set) flip(flips []uint64, words int) {
	for i := range s {
		s[i] ^= flips[i]
	}
	if used := words % 64; used > 0 {
		s[len(s)-1] &= 1<<used - 1
	}
}

// size is the number of bytes of a set of V words: ⌈V/8⌉, whatever is in it.
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
