package command

import (
	"fmt"
	"strings"

	"privpipe/pipelines/filter"
	"privpipe/pipelines/vocabulary"
	"privpipe/tokenize/internal/words"
)

// mostDead is the largest number of words that warnDead names.
const mostDead = 10

// A list is a public list of words, with its file and each word's line number.
type list struct {
	file  string
	words vocabulary.Words
	lines []int
}

// warnDead warns of list words that no text can have. Either the rule cuts such a word, unless a text is a list of
// tokens. Or the rule takes it for an earlier word of the list.
func warnDead(r *filter.Run, lists []list, rule words.Rule, tokens bool) {
	for _, of := range lists {
		of.warnDead(r, rule, tokens)
	}
}

func (of list) warnDead(r *filter.Run, rule words.Rule, tokens bool) {
	seen, found := make(map[string]int, len(of.words)), 0
	warn := func(i int, why string) {
		if found++; found <= mostDead {
			r.Log.Warn(fmt.Sprintf("%s: line %d: %q never counts: %s", of.file, of.lines[i], of.words[i], why))
		}
	}
	splitter := words.Splitter{Rule: rule}
	for i, word := range of.words {
		form := rule.Normal(word)
		first, again := seen[form]
		switch {
		case again:
			warn(i, fmt.Sprintf("it is the word of line %d in another spelling", of.lines[first]))
		case !tokens && !whole(&splitter, word, form):
			warn(i, "texts are cut within it (the rule of words in FORMATS.md)")
		}
		if !again {
			seen[form] = i
		}
	}
	if found > mostDead {
		r.Log.Warn(fmt.Sprintf("%s: %d more words never count", of.file, found-mostDead))
	}
}

// whole says whether a text can have a word with this normal form: as it is, or as a phrase.
func whole(splitter *words.Splitter, word, form string) bool {
	for _, text := range []string{word, strings.ReplaceAll(word, words.Joint, " ")} {
		n, equal := 0, false
		splitter.Words(words.Text{Content: []byte(text)}, func(w words.Word) {
			n, equal = n+1, string(w.Bytes) == form
		})
		if n == 1 && equal {
			return true
		}
	}
	return false
}
