// Package vocabulary reads and writes lists of words, one a line, and computes the hash that names them in streams.
package vocabulary

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// Words is a vocabulary: the word of id v is Words[v].
type Words []string

// Open reads the vocabulary in a file, which may be compressed.
func Open(ctx context.Context, name string) (Words, error) {
	words, _, err := OpenLines(ctx, name)
	return words, err
}

// OpenLines is Open, and also returns each word's line number.
func OpenLines(ctx context.Context, name string) (Words, []int, error) {
	in, err := plain.Open(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	return read(in, in.Name, wire.MaxVocabulary)
}

// byteOrderMark begins the UTF-8 files of some editors. It is no part of the first word.
var byteOrderMark = []byte("\uFEFF")

// read reads a vocabulary: a word a line, in the order of the ids. A line is a comment if it is "#" or begins with "#"
// and a space. Surrounding white space, including a CR, is dropped. Empty lines, inner white space, words over
// wire.MaxWord bytes, repeated words, more words than most and invalid UTF-8 are errors with the line's number.
func read(r io.Reader, name string, most int) (words Words, numbers []int, err error) {
	line := 0
	fail := func(format string, args ...any) (Words, []int, error) {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: line %d: %s", name, line, fmt.Sprintf(format, args...))
	}
	seen := make(map[string]int)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<10)
	for lines.Scan() {
		line++
		raw := lines.Bytes()
		if line == 1 {
			raw = bytes.TrimPrefix(raw, byteOrderMark)
		}
		word := strings.TrimSpace(string(raw))
		if bytes.HasPrefix(raw, []byte("# ")) || word == "#" {
			continue
		}
		switch {
		case word == "":
			return fail("empty, must be a word")
		case len(word) > wire.MaxWord:
			return fail("word of %d bytes exceeds %d", len(word), wire.MaxWord)
		case !utf8.ValidString(word):
			return fail("not UTF-8")
		case strings.ContainsFunc(word, unicode.IsSpace):
			return fail("has white space inside, must be one word")
		case seen[word] != 0:
			return fail("repeats the word of line %d", seen[word])
		case len(words) == most:
			return fail("more than %d words", most)
		}
		seen[word] = line
		words, numbers = append(words, word), append(numbers, line)
	}
	if err := lines.Err(); err != nil {
		line++
		if err == bufio.ErrTooLong {
			return fail("longer than 64 KiB, must be a word")
		}
		return nil, nil, fmt.Errorf("%w (at line %d)", err, line)
	}
	if len(words) == 0 {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: no words", name)
	}
	return words, numbers, nil
}

// Hash returns the vocabulary's name in headers: the SHA-256 of its words, each followed by a newline.
func (w Words) Hash() []byte {
	h := sha256.New()
	for _, word := range w {
		io.WriteString(h, word)
		h.Write([]byte{'\n'})
	}
	return h.Sum(nil)
}

// Write writes the vocabulary without comments, so that line v + 1 is the word of id v for every reader.
func (w Words) Write(out io.Writer) error {
	b := bufio.NewWriter(out)
	if len(w) > 0 && strings.HasPrefix(w[0], string(byteOrderMark)) {
		b.Write(byteOrderMark) // the mark that the file's reader drops
	}
	for _, word := range w {
		fmt.Fprintln(b, word)
	}
	return b.Flush()
}
