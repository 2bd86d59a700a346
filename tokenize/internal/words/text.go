package words

import (
	"encoding/binary"
	"iter"
	"unicode"
	"unicode/utf8"

	"privpipe/pipelines/wire"
)

// A Text is the source of one document's words: a text to cut, or a list of tokens that another program cut.
type Text struct {
	Content []byte // UTF-8; for a list, the bytes that Token appended
	List    bool
}

// Token appends a token to the list. The token must be UTF-8.
func (t *Text) Token(token []byte) {
	t.List = true
	t.Content = binary.AppendUvarint(t.Content, uint64(len(token)))
	t.Content = append(t.Content, token...)
}

// Words calls yield with each word of text, in order. By the second rule, package plain first removes text that the
// author did not write. A text is cut by Split, and then joined by the phrases, if there are any. A token is one word
// in the form of Normal, whatever characters it has. A token that no vocabulary can hold (SPEC.md §2.2) is an empty
// Word.
func (s *Splitter) Words(text Text, yield func(Word)) {
	if s.Phrases != nil {
		joiner := joiner{phrases: s.Phrases, yield: yield, waiting: s.waiting[:0]}
		defer func() { s.waiting = joiner.waiting }()
		defer joiner.end()
		yield = joiner.add
	}
	if text.List {
		s.tokens(text.Content, yield)
		return
	}
	content := text.Content
	if s.second() {
		s.plain.Keep = s.Keep
		content = s.plain.Text(content)
	}
	s.Split(content, yield)
}

func (s *Splitter) tokens(list []byte, yield func(Word)) {
	for len(list) > 0 {
		var token []byte
		token, list = cutToken(list)
		s.run = s.appendNormal(s.run[:0], token)
		if !Possible(s.run) {
			yield(Word{})
			continue
		}
		yield(wordOf(s.run))
	}
}

// Possible reports whether a vocabulary can hold a word. A word with a zero byte is also refused, since a Key cannot
// tell it from a shorter one.
func Possible(word []byte) bool {
	if len(word) == 0 || len(word) > wire.MaxWord || string(word) == "#" {
		return false
	}
	for i := 0; i < len(word); {
		r, size := rune(word[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(word[i:])
		}
		if r == 0 || unicode.IsSpace(r) {
			return false
		}
		i += size
	}
	return true
}

// Valid reports whether the text, or each token in the list, is UTF-8.
func (t Text) Valid() bool {
	if !t.List {
		return utf8.Valid(t.Content)
	}
	for token := range t.Tokens() {
		if !utf8.Valid(token) {
			return false
		}
	}
	return true
}

// Tokens gives a list's tokens.
func (t Text) Tokens() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := t.Content; len(rest) > 0; {
			var token []byte
			if token, rest = cutToken(rest); !yield(token) {
				return
			}
		}
	}
}

// cutToken returns the first token in list, and the rest of the list.
func cutToken(list []byte) (token, rest []byte) {
	length, n := binary.Uvarint(list)
	end := n + int(length)
	return list[n:end], list[end:]
}
