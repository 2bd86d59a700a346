package bag

import (
	"encoding/binary"
	"math/bits"

	"privpipe/pipelines/vocabulary"
	"privpipe/tokenize/internal/words"
)

// An Index finds a word's id. It may be shared.
//
// Nearly all words have at most 16 bytes. They are packed into two numbers and looked up in an open-addressing table. A
// processor can hardly guess whether a word is known, so id does not branch on it.
type Index struct {
	slots []slot // a power of two of them, at most half in use
	shift int
	// unknown is the id of each word outside the vocabulary: the size of the vocabulary. A stop word has unknown+1.
	unknown uint32
	long    map[string]uint32
}

// A slot has a word and its id side by side, so that a look-up reads one line of the cache.
type slot struct {
	packed
	id   uint32
	more bool // a word that belongs here is in a later slot
}

// A packed is a word with at most 16 bytes, none of them 0. A free slot has the empty word, which is unknown.
type packed struct{ first, last uint64 } // last: words.Word.Key; first: the bytes before it

// mostPacked is the length of the longest packed word, in bytes.
const mostPacked = 16

func pack(w words.Word) packed {
	if len(w.Bytes) <= 8 {
		return packed{last: w.Key}
	}
	return packed{binary.LittleEndian.Uint64(w.Bytes) & (1<<(8*(len(w.Bytes)-8)) - 1), w.Key}
}

// NewIndex returns an index for v and for words that rule yields. If two words of v differ only in case, Find returns
// the first. Counters count the words of stop that are not in v apart from other unknown words.
func NewIndex(v vocabulary.Words, rule words.Rule, stop ...string) *Index {
	size := bits.Len(uint(2 * (len(v) + len(stop))))
	x := &Index{slots: make([]slot, 1<<size), shift: 64 - size, unknown: uint32(len(v)), long: make(map[string]uint32)}
	for i := range x.slots {
		x.slots[i].id = x.unknown
	}
	rule.Phrases = nil
	splitter := words.Splitter{Rule: rule}
	add := func(entry string, id uint32) {
		// An entry is one word, even if text would be cut there: "e_mail" is a phrase, or a token in a list.
		var whole words.Text
		whole.Token([]byte(entry))
		splitter.Words(whole, func(w words.Word) { x.add(w, id) })
	}
	for id, entry := range v {
		add(entry, uint32(id))
	}
	for _, entry := range stop {
		add(entry, x.unknown+1)
	}
	return x
}

func (x *Index) add(w words.Word, id uint32) {
	if x.id(w) != x.unknown || len(w.Bytes) == 0 {
		return
	}
	if len(w.Bytes) > mostPacked {
		x.long[string(w.Bytes)] = id
		return
	}
	p := pack(w)
	at := x.home(p)
	for s := x.slot(at); s.packed != (packed{}); s = x.slot(at) {
		s.more = true
		at++
	}
	s := x.slot(at)
	s.packed, s.id = p, id
}

// Find returns a word's id, and whether the vocabulary has the word.
func (x *Index) Find(w words.Word) (id uint32, ok bool) {
	id = x.id(w)
	return id, id < x.unknown
}

// id returns a word's id, or unknown.
func (x *Index) id(w words.Word) uint32 {
	if len(w.Bytes) > mostPacked {
		if id, ok := x.long[string(w.Bytes)]; ok {
			return id
		}
		return x.unknown
	}
	p := pack(w)
	at := x.home(p)
	for {
		s := x.slot(at)
		id, found := x.unknown, s.id
		if (s.first^p.first)|(s.last^p.last) == 0 { // compiled to a conditional move
			id = found
		}
		if !s.more || id != x.unknown {
			return id
		}
		at++
	}
}

// home returns the number of the slot where a word belongs.
func (x *Index) home(p packed) uint64 {
	// Fibonacci hashing (Knuth, The Art of Computer Programming 3, §6.4): the high bits of key·2^64/φ.
	return (p.last ^ bits.RotateLeft64(p.first*0x9E3779B97F4A7C15, 32)) * 0x9E3779B97F4A7C15 >> x.shift
}

// slot returns the slot at a number. Numbers wrap around at the table's end.
func (x *Index) slot(at uint64) *slot { return &x.slots[at&uint64(len(x.slots)-1)] }
