package bag

import (
	"math/bits"

	"privpipe/pipelines/vocabulary"
	"privpipe/tokenize/internal/words"
)

// An Index finds the id of a word. It may be shared.
//
// Look-ups are half of the time of tokenizing. Most words have at most 8 bytes. They are packed into a number and looked up in
// an open-addressing table, in a third of the time of a map of strings (BenchmarkText).
type Index struct {
	keys  []uint64 // a power of two of them, at most half in use; 0 is free
	ids   []uint32 // of the words with these keys
	shift int
	long  map[string]uint32
}

// NewIndex returns the index of a vocabulary. If two of its words differ only in case, Find returns the first.
func NewIndex(v vocabulary.Words) *Index {
	size := bits.Len(uint(2 * len(v)))
	x := &Index{
		keys: make([]uint64, 1<<size), ids: make([]uint32, 1<<size), shift: 64 - size,
		long: make(map[string]uint32),
	}
	var splitter words.Splitter
	for id, entry := range v {
		// An entry is one word, also if text would be cut there: "e_mail" is a phrase, or a token of a list.
		var whole words.Text
		whole.Token([]byte(entry))
		splitter.Words(whole, func(w words.Word) { x.add(w, uint32(id)) })
	}
	return x
}

func (x *Index) add(w words.Word, id uint32) {
	if _, ok := x.Find(w); ok || len(w.Bytes) == 0 {
		return
	}
	if len(w.Bytes) > 8 {
		x.long[string(w.Bytes)] = id
		return
	}
	at := x.at(w.Key)
	x.keys[at], x.ids[at] = w.Key, id
}

// Find returns the id of a word.
func (x *Index) Find(w words.Word) (id uint32, ok bool) {
	if len(w.Bytes) > 8 {
		id, ok = x.long[string(w.Bytes)]
		return id, ok
	}
	at := x.at(w.Key)
	return x.ids[at], x.keys[at] != 0
}

// at returns the slot of key, or the free slot where key would be inserted.
func (x *Index) at(key uint64) uint64 {
	// Fibonacci hashing (Knuth, The Art of Computer Programming 3, §6.4): the high bits of key·2^64/φ.
	at := key * 0x9E3779B97F4A7C15 >> x.shift
	for x.keys[at] != key && x.keys[at] != 0 {
		at = (at + 1) & uint64(len(x.keys)-1)
	}
	return at
}
