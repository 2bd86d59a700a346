package bag

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/words"
)

// A Collector collects the words of documents. It holds scratch memory. One goroutine may use it at a time.
type Collector struct {
	minLetters int
	stop       *Index // nil: none
	splitter   words.Splitter
	seen       map[string]struct{} // words of the current document
}

// NewCollector returns a Collector. It cuts texts by rule. It leaves out words of fewer than minLetters letters, and
// the words of stop. stop may be nil.
func NewCollector(minLetters int, stop *Index, rule words.Rule) *Collector {
	return &Collector{
		minLetters: minLetters, stop: stop, splitter: words.Splitter{Rule: rule}, seen: make(map[string]struct{}),
	}
}

// room is the number of bytes for the words of Terms in a record. The two names and 64 bytes for lengths are reserved.
const room = wire.MaxRecord - 64 - 2*wire.MaxName

// size is the largest encoded size of word: its bytes, one byte for a tag and two for a length.
func size(word string) int { return len(word) + 3 }

// Words returns the distinct words in text, in the order of their bytes, without words over wire.MaxWord bytes.
func (c *Collector) Words(text words.Text) (distinct []string) {
	if len(c.seen) > 1<<14 {
		c.seen = make(map[string]struct{}) // clearing a map takes time in proportion to its largest size so far
	}
	clear(c.seen)
	c.splitter.Words(text, func(w words.Word) {
		if len(w.Bytes) == 0 || len(w.Bytes) > wire.MaxWord || w.Shorter(c.minLetters) {
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
	})
	slices.Sort(distinct)
	return distinct
}

// Cut returns as many of a document's words as a record holds. If a record cannot hold all, Cut ranks each word by a
// hash over all the document's words and this word, and keeps the first. So the choice depends only on this document,
// not on its id, and favours no part of the alphabet. Both lists are in the order of their bytes.
func Cut(distinct []string) (kept []string, cut bool) {
	total := 0
	for _, word := range distinct {
		total += size(word)
	}
	if total <= room {
		return distinct, false
	}
	kept = first(distinct)
	slices.Sort(kept)
	return kept, true
}

// first orders the words by the SHA-256 of the hash of all words and the word. It returns the first, as many as a
// record holds.
func first(distinct []string) (kept []string) {
	type ranked struct {
		word string
		rank [sha256.Size]byte
	}
	content := contentOf(distinct)
	all := make([]ranked, len(distinct))
	var b []byte
	for i, word := range distinct {
		b = append(append(b[:0], content[:]...), word...)
		all[i] = ranked{word, sha256.Sum256(b)}
	}
	slices.SortFunc(all, func(a, b ranked) int { return bytes.Compare(a.rank[:], b.rank[:]) })
	total := 0
	for _, r := range all {
		if total += size(r.word); total > room {
			break
		}
		kept = append(kept, r.word)
	}
	return kept
}

// contentOf returns the SHA-256 of a label and the words, each with a newline. The label separates this hash from all
// others. No word has a newline.
func contentOf(words []string) [sha256.Size]byte {
	b := []byte("privpipe cut\n")
	for _, word := range words {
		b = append(append(b, word...), '\n')
	}
	return sha256.Sum256(b)
}
