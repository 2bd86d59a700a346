package words

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Joint stands between the words in a phrase, as in gensim: "new_york". No word that Split yields has it.
const Joint = "_"

// Phrases are sequences of words that count as one word. They may be shared.
type Phrases struct {
	root node
	hash [sha256.Size]byte
}

// A node stands for the words that begin one or more phrases.
type node struct {
	next   map[string]*node
	phrase Word // the phrase that ends here; empty: none
}

// NewPhrases returns the phrases in list. Each must have two words or more, with Joint between them. It is taken in its
// normal form by the rule.
func (r Rule) NewPhrases(list []string) (*Phrases, error) {
	p := new(Phrases)
	all := make(map[string]struct{})
	for _, entry := range list {
		phrase := r.Normal(entry)
		parts := strings.Split(phrase, Joint)
		if len(parts) < 2 || slices.Contains(parts, "") {
			return nil, fmt.Errorf("%q is no phrase: two or more words with %q between them, like new_york", entry,
				Joint)
		}
		at := &p.root
		for _, part := range parts {
			if at.next == nil {
				at.next = make(map[string]*node)
			}
			if at.next[part] == nil {
				at.next[part] = new(node)
			}
			at = at.next[part]
		}
		at.phrase = wordOf([]byte(phrase))
		all[phrase] = struct{}{}
	}
	h := sha256.New()
	for _, phrase := range slices.Sorted(maps.Keys(all)) {
		io.WriteString(h, phrase+"\n")
	}
	h.Sum(p.hash[:0])
	return p, nil
}

// A joiner yields the words that it is given, with the phrases among them joined. It goes from left to right, and takes
// the longest phrase that begins at a word, without overlaps. gensim's Phraser joins pairs in the same way.
type joiner struct {
	phrases *Phrases
	yield   func(Word)
	waiting []Word // copies of words that may begin a phrase, until it is known which
	at      *node  // node for the waiting words; nil: none wait
	longest int    // number of waiting words that are a phrase
	phrase  Word   // this phrase
}

func (j *joiner) add(w Word) {
	for {
		from := j.at
		if from == nil {
			from = &j.phrases.root
		}
		if next := from.next[string(w.Bytes)]; next != nil {
			j.wait(w, next)
			return
		}
		if j.at == nil {
			j.yield(w)
			return
		}
		j.settle()
	}
}

// wait appends a copy of w to the waiting words. It uses the memory of words that waited before.
func (j *joiner) wait(w Word, at *node) {
	n := len(j.waiting)
	if n < cap(j.waiting) {
		j.waiting = j.waiting[:n+1]
	} else {
		j.waiting = append(j.waiting, Word{})
	}
	j.waiting[n] = Word{append(j.waiting[n].Bytes[:0], w.Bytes...), w.Key}
	if j.at = at; len(at.phrase.Bytes) > 0 {
		j.longest, j.phrase = n+1, at.phrase
	}
}

// settle yields the longest phrase at the first waiting word, or only this word. Then it adds the remaining words
// again.
func (j *joiner) settle() {
	first, rest := j.waiting[0], j.waiting[1:]
	if j.longest > 0 {
		first, rest = j.phrase, j.waiting[j.longest:]
	}
	j.yield(first)
	// A word of rest waits again at an earlier place, so none is overwritten.
	j.waiting, j.at, j.longest = j.waiting[:0], nil, 0
	for _, w := range rest {
		j.add(w)
	}
}

// end yields the words that still wait.
func (j *joiner) end() {
	for j.at != nil {
		j.settle()
	}
}
