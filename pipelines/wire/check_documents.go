package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckDocumentNames checks a document's names. Callers that read a text file add the place in the file to the error.
func CheckDocumentNames(d *Document) error {
	if err := checkName("document id", d.Id, 1); err != nil {
		return err
	}
	if err := checkName("user", d.User, 0); err != nil {
		return err
	}
	return checkName("label", d.Label, 0)
}

func checkDocument(h *Header, d *Document) error {
	if err := CheckDocumentNames(d); err != nil {
		return err
	}
	if err := checkGaps("word id", d.WordGaps, h.VocabularySize); err != nil {
		return err
	}
	if h.Values {
		return checkValues(d)
	}
	if len(d.WordGaps) != len(d.Counts) || len(d.Values) > 0 {
		return errors.New("document has not as many counts as word ids, or has values in a stream of counts")
	}
	tokens := uint64(0)
	for _, c := range d.Counts {
		if c == 0 {
			return errors.New("document has a word with count 0")
		}
		tokens += uint64(c)
	}
	if tokens > MaxTokens {
		return fmt.Errorf("document of more than %d words", MaxTokens)
	}
	return nil
}

// checkValues checks a document with real numbers.
func checkValues(d *Document) error {
	if len(d.Values) != 4*len(d.WordGaps) || len(d.Counts) > 0 {
		return errors.New("document has not one value of 4 bytes for each word id, or has counts in a stream of values")
	}
	if !finite(d.Values, Element_FLOAT32) {
		return errors.New("document has a value that is NaN or infinite")
	}
	for i := 0; i < len(d.Values); i += 4 {
		if binary.LittleEndian.Uint32(d.Values[i:])<<1 == 0 { // +0 and −0
			return errors.New("document has a word with value 0")
		}
	}
	return nil
}

func checkTerms(t *Terms) error {
	if err := CheckDocumentNames(&Document{Id: t.Id, User: t.User}); err != nil {
		return err
	}
	seen := make(map[string]struct{}, len(t.Words))
	for _, w := range t.Words {
		if err := checkWord(w); err != nil {
			return err
		}
		seen[w] = struct{}{}
	}
	if len(seen) != len(t.Words) {
		return errors.New("a word occurs twice")
	}
	return nil
}

// checkWord checks that w can be a line in a vocabulary file (package vocabulary).
func checkWord(w string) error {
	if w == "" || len(w) > MaxWord || !utf8.ValidString(w) {
		return fmt.Errorf("word must have 1 to %d bytes of UTF-8", MaxWord)
	}
	if w == "#" || strings.ContainsFunc(w, unicode.IsSpace) {
		return errors.New("word has white space, or is the mark of a comment")
	}
	return nil
}
