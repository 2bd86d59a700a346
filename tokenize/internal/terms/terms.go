// Package terms spells out the distinct words of documents.
package terms

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"unicode/utf8"

	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/bag"
	"privpipe/tokenize/internal/words"
)

// A Collector collects the words of documents. It holds scratch memory; one goroutine may use it at a time.
type Collector struct {
	minLetters int
	stop       *bag.Index // nil: none
	splitter   words.Splitter
	seen       map[string]struct{} // words of the document under way
}

// NewCollector returns a Collector that leaves out words of fewer than minLetters letters and those of stop, which may be
// nil.
func NewCollector(minLetters int, stop *bag.Index) *Collector {
	return &Collector{minLetters: minLetters, stop: stop, seen: make(map[string]struct{})}
}

// room is how many bytes of a record the words of Terms have, beside the two names and the 64 bytes of the lengths around
// them.
const room = wire.MaxRecord - 64 - 2*wire.MaxName

// size is the most bytes that a word takes: with a tag of one byte and a length of two.
func size(word string) int { return len(word) + 3 }

// Words returns the distinct words of a document, in the order of their bytes, without those of over wire.MaxWord bytes. If
// a record does not hold all of them it is cut: only those stay that come first by a hash of the document's id and the
// word, which depends on no other document and favours no part of the alphabet.
func (c *Collector) Words(id string, text []byte) (distinct []string, cut bool) {
	if len(c.seen) > 1<<14 {
		c.seen = make(map[string]struct{}) // to clear a map takes as long as its greatest document
	}
	clear(c.seen)
	total := 0
	c.splitter.Split(text, func(w words.Word) {
		if len(w.Bytes) > wire.MaxWord || utf8.RuneCount(w.Bytes) < c.minLetters {
			return
		}
		if _, again := c.seen[string(w.Bytes)]; again {
			return
		}
		if c.stop != nil {
			if _, stopped := c.stop.Find(w); stopped {
				return
			}
		}
		word := string(w.Bytes)
		c.seen[word] = struct{}{}
		distinct = append(distinct, word)
		total += size(word)
	})
	if total > room {
		distinct, cut = first(id, distinct), true
	}
	slices.Sort(distinct)
	return distinct, cut
}

// first returns the words that come first by SHA-256 of id, a zero byte and the word, as many as a record holds.
func first(id string, distinct []string) []string {
	type ranked struct {
		word string
		rank [sha256.Size]byte
	}
	all := make([]ranked, len(distinct))
	for i, word := range distinct {
		all[i] = ranked{word, sha256.Sum256([]byte(id + "\x00" + word))}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(bytes.Compare(a.rank[:], b.rank[:]), strings.Compare(a.word, b.word))
	})
	total := 0
	for i, r := range all {
		if total += size(r.word); total > room {
			return distinct[:i]
		}
		distinct[i] = r.word
	}
	return distinct
}
