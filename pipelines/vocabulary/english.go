package vocabulary

import (
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Lists that come with the stages. pipelines/recipes/public/README.md says what they are made of.
//
//go:embed default.txt
var defaultText string

//go:embed english.txt
var formerText string

//go:embed stop.txt
var stopText string

// Former is the name that --vocab knows for the default vocabulary before December 2026: 8,000 words from English
// Wikipedia.
const Former = "english-8000"

// Default returns the default vocabulary: 12,000 English words, without stop words, the commonest first.
func Default() Words { return slices.Collect(strings.FieldsSeq(defaultText)) }

// StopWords returns the English words that say nothing about a text's subject.
func StopWords() []string { return slices.Collect(strings.FieldsSeq(stopText)) }

// OpenOrDefault reads the vocabulary in a file, or returns the default for "". A list that comes with the stages has a
// name, too. A file with the same name hides it.
func OpenOrDefault(ctx context.Context, name string) (Words, error) {
	if name == "" {
		return Default(), nil
	}
	words, err := Open(ctx, name)
	if name == Former && errors.Is(err, fs.ErrNotExist) {
		return slices.Collect(strings.FieldsSeq(formerText)), nil
	}
	return words, err
}

// Hint says how to read a stream whose vocabulary is not the wanted one, if the stream's vocabulary is known.
func Hint(ctx context.Context, hash []byte) string {
	former, _ := OpenOrDefault(ctx, Former)
	if string(hash) == string(former.Hash()) {
		return "--vocab " + Former + " names the vocabulary of the stream, which was the default before December 2026"
	}
	return "--vocab must name the vocabulary of the stream"
}
