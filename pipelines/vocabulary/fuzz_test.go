package vocabulary

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// refusals are all the messages of Read for the content of a file: a closed list of forms, so that none quotes a line.
var refusals = regexp.MustCompile(`^v\.txt: (no words|line \d+: (empty, must be a word|word of \d+ bytes exceeds 256|` +
	`not UTF-8|has white space inside, must be one word|repeats the word of line \d+|longer than 64 KiB, must be a word))$`)

// FuzzRead checks that what is read obeys the rules of a vocabulary and, written, is read again as it was.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "dog\ncat\n", "dog\r\ncat", "# x\n#\n#dog", "\uFEFFdog\n", "\uFEFF#\n", "\uFEFF\uFEFFdog\n", " #\ndog",
		"dog\ndog", "a b", "\xff", "\n",
		"\u0085x\u2003\n", "\x00\n", strings.Repeat("x", 300),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		words, err := readAll(bytes.NewReader(in), "v.txt")
		if err != nil {
			if exit.Code(err) != exit.Malformed || !refusals.MatchString(err.Error()) {
				t.Errorf("got %q with exit code %d, want a refusal", err, exit.Code(err))
			}
			return
		}
		if len(words) == 0 {
			t.Error("got no words and no error")
		}
		seen := make(map[string]bool)
		for _, w := range words {
			if w == "" || len(w) > wire.MaxWord || seen[w] || !utf8.ValidString(w) ||
				strings.ContainsFunc(w, unicode.IsSpace) {
				t.Errorf("got the word %q of %q", w, words)
			}
			seen[w] = true
		}
		var written bytes.Buffer
		if err := words.Write(&written); err != nil {
			t.Fatal(err)
		}
		again, err := readAll(&written, "v.txt")
		if err != nil || !slices.Equal(again, words) {
			t.Errorf("got %q, %v after writing, want %q", again, err, words)
		}
	})
}
