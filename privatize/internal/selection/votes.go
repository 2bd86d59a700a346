package selection

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/clip"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/unit"
)

// Votes are counted by word number. More than 2^32 words, which take half a terabyte, would share numbers, and two
// words with one number would be counted as one.
type word = uint32

// votes sums the weights that units give to words.
type votes struct {
	most  int      // the most words of one unit that count
	bound uint64   // on the L2 norm of one unit's weights, in steps
	seen  unit.Set // documents
	// for each user the words so far, or the words that may be kept; nil: users are no units
	pending map[unit.Key][]word
	numbers map[string]word
	words   []string  // by number
	sum     fixed.Sum // weights, by number
	failed  error     // first error of add: the sum is not to be used

	ballot []int64 // the weights of the current unit
}

func newVotes(most int, bound uint64, ofUsers bool) *votes {
	v := &votes{most: most, bound: bound, seen: make(unit.Set), numbers: make(map[string]word)}
	if ofUsers {
		v.pending = make(map[unit.Key][]word)
	}
	return v
}

// add takes a document's words. user is the document's user, or "".
func (v *votes) add(document, user string, words []string) error {
	if v.failed == nil {
		v.failed = v.take(document, user, words)
	}
	return v.failed
}

func (v *votes) take(document, user string, words []string) error {
	if !v.seen.Add(unit.KeyOf(document)) {
		return &book.Mismatch{Reason: "two documents have the same id"}
	}
	if v.pending == nil || user == "" {
		// The key is needed only if not all words are kept.
		var content unit.Key
		if len(words) > v.most {
			content = contentOf(words)
		}
		return v.vote(v.keep(content, v.number(words)))
	}
	k := unit.KeyOf("user/" + user) // the unit's name: SPEC.md §2.3
	all := append(v.pending[k], v.number(words)...)
	if len(all) > 2*v.most {
		// Not at every document: hashing the kept words again would be most of the work.
		all = v.keep(k, all)
	}
	v.pending[k] = all
	return nil
}

// contentOf returns a document's key, if the document is a unit: the document ranks its words by the key. contentOf
// hashes all words, whatever their order, each with a newline, which no word has. The id cannot be the key: it may
// depend on other documents.
func contentOf(words []string) unit.Key {
	b := []byte("privpipe votes\n")
	for _, word := range slices.Compact(slices.Sorted(slices.Values(words))) {
		b = append(append(b, word...), '\n')
	}
	sum := sha256.Sum256(b)
	return unit.Key(sum[:])
}

// number returns the words' numbers.
func (v *votes) number(words []string) []word {
	numbers := make([]word, len(words))
	for i, w := range words {
		n, known := v.numbers[w]
		if !known {
			n = word(len(v.words))
			v.numbers[w] = n
			v.words = append(v.words, w)
			v.sum.Cells = append(v.sum.Cells, 0)
		}
		numbers[i] = n
	}
	return numbers
}

// keep returns at most v.most distinct words of one unit: the words that come first by the SHA-256 of a key and the
// word. The key is the user's key or, if a document is a unit, the key of its content. So the choice depends on no
// other unit, and favours no word. If words are kept from two lists and then from the kept words together, the result
// is the same as from one list. So the order of a user's documents does not matter.
func (v *votes) keep(k unit.Key, words []word) []word {
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) <= v.most {
		return words
	}
	type ranked struct {
		word word
		rank [sha256.Size]byte
	}
	all := make([]ranked, len(words))
	var b []byte
	for i, w := range words {
		b = append(append(b[:0], k[:]...), v.words[w]...)
		all[i] = ranked{w, sha256.Sum256(b)}
	}
	slices.SortFunc(all, func(a, b ranked) int { return bytes.Compare(a.rank[:], b.rank[:]) })
	words = words[:v.most]
	for i := range words {
		words[i] = all[i].word
	}
	return words
}

// vote gives a unit's t words the weight bound/√t each, truncated to whole steps: all weights together have an L2 norm
// of at most bound.
func (v *votes) vote(words []word) error {
	v.ballot = v.ballot[:0]
	for range words {
		v.ballot = append(v.ballot, int64(v.bound))
	}
	clip.L2(v.ballot, nil, v.bound)
	for i, w := range words {
		if err := v.sum.Add(int(w), v.ballot[i]); err != nil {
			return err
		}
	}
	return nil
}

// weights are the words that have weight, in the order of their bytes, and each word's steps.
type weights struct {
	words []string
	fixed.Sum
}

// count ends the votes. A word that units have but did not vote for has no weight, and must not get noise.
func (v *votes) count() (w weights, err error) {
	if v.failed != nil {
		return w, v.failed
	}
	for unit, words := range v.pending {
		if err := v.vote(v.keep(unit, words)); err != nil {
			return w, err
		}
	}
	for i, word := range v.words {
		if v.sum.Cells[i] > 0 {
			w.words = append(w.words, word)
		}
	}
	slices.Sort(w.words)
	for _, word := range w.words {
		w.Cells = append(w.Cells, v.sum.Cells[v.numbers[word]])
	}
	return w, nil
}

// digest is the SHA-256 of the words in order. After each word come a newline, which no word contains, and its steps as
// 8 bytes, little-endian.
func (w *weights) digest() [sha256.Size]byte {
	hash := sha256.New()
	var b []byte
	for i, word := range w.words {
		b = append(append(b[:0], word...), '\n')
		hash.Write(binary.LittleEndian.AppendUint64(b, uint64(w.Cells[i])))
	}
	return [sha256.Size]byte(hash.Sum(nil))
}
