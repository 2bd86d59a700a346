package vocabulary

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

func readAll(r io.Reader, name string) (Words, error) {
	words, _, err := read(r, name, wire.MaxVocabulary)
	return words, err
}

func TestRead(t *testing.T) {
	long := strings.Repeat("é", wire.MaxWord/2) // of wire.MaxWord bytes
	for _, c := range []struct {
		name, in string
		want     Words
	}{
		{"words in order", "dog\ncat\n", Words{"dog", "cat"}},
		{"last line without a newline", "dog\ncat", Words{"dog", "cat"}},
		{"CRLF", "dog\r\ncat\r\n", Words{"dog", "cat"}},
		{"surrounding white space", " dog\t\n\u00a0cat \n", Words{"dog", "cat"}},
		{"comments", "# a list\n#\ndog\n# of words\ncat\n", Words{"dog", "cat"}},
		{"comments with CRLF", "# a list\r\n#\r\ndog\r\n", Words{"dog"}},
		{"a single # is a comment, indented too", "dog\n #\ncat\n", Words{"dog", "cat"}},
		{"a word may begin with #", "#dog\ncat#\n##\n", Words{"#dog", "cat#", "##"}},
		{"byte order mark", "\uFEFFdog\ncat\n", Words{"dog", "cat"}},
		{"byte order mark before a comment", "\uFEFF# a list\ndog\n", Words{"dog"}},
		{"case and spelling are kept", "Dog\ndog\ne\u0301\n\u00e9\n", Words{"Dog", "dog", "e\u0301", "\u00e9"}},
		{"no letters", "e_mail\n007\n:-)\n", Words{"e_mail", "007", ":-)"}},
		{"longest word", long + "\n", Words{long}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readAll(strings.NewReader(c.in), "v.txt")
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", "v.txt: no words"},
		{"only comments", "# a list\n#\n", "v.txt: no words"},
		{"empty line", "dog\n\ncat\n", "v.txt: line 2: empty, must be a word"},
		{"blank line", "dog\n \t\n", "v.txt: line 2: empty, must be a word"},
		{"two words", "dog\n# x\nhot dog\n", "v.txt: line 3: has white space inside, must be one word"},
		{"line separator inside", "a\u2028b\n", "v.txt: line 1: has white space inside, must be one word"},
		{"only CR between lines", "dog\rcat\n", "v.txt: line 1: has white space inside, must be one word"},
		{"word twice", "# x\ndog\ncat\ndog \n", "v.txt: line 4: repeats the word of line 2"},
		{"word too long", "dog\n" + strings.Repeat("x", 257), "v.txt: line 2: word of 257 bytes exceeds 256"},
		{"line too long", "dog\n" + strings.Repeat("x", 64<<10), "v.txt: line 2: longer than 64 KiB, must be a word"},
		{"Latin-1", "dog\ncaf\xe9\n", "v.txt: line 2: not UTF-8"},
		{"surrogate", "\xed\xa0\x80\n", "v.txt: line 1: not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			words, err := readAll(strings.NewReader(c.in), "v.txt")
			if err == nil || err.Error() != c.want || words != nil {
				t.Errorf("got %q, error %v, want %s", words, err, c.want)
			}
			if code := exit.Code(err); code != exit.Malformed {
				t.Errorf("got exit code %d, want %d", code, exit.Malformed)
			}
		})
	}
}

func TestReadLimitsTheNumberOfWords(t *testing.T) {
	if words, _, err := read(strings.NewReader("a\n# comment\nb\nc"), "v.txt", 3); err != nil || len(words) != 3 {
		t.Errorf("at the limit got %v, %v", words, err)
	}
	_, _, err := read(strings.NewReader("a\nb\nc\nd\n"), "v.txt", 3)
	if want := "v.txt: line 4: more than 3 words"; err == nil || err.Error() != want {
		t.Errorf("beyond the limit got %v, want %s", err, want)
	}
}

func TestReadReportsErrorsOfTheInput(t *testing.T) {
	broken := errors.New("broken")
	_, err := readAll(io.MultiReader(strings.NewReader("dog\n"), iotest.ErrReader(broken)), "v.txt")
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the input", err)
	}
}

// TestHash checks that the hash is what sha256sum says of the words' lines (SPEC.md §2.2).
func TestHash(t *testing.T) {
	for _, c := range []struct {
		words Words
		want  string // printf 'cat\ndog\n' | sha256sum
	}{
		{nil, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{Words{"cat", "dog"}, "f641fdcd8af73b2f6334ab63c13d2eb857cd16f2aa4ea0ba20ba0eb9627918b5"},
		{Words{"dog", "cat"}, "3b15bde584a9b8e562f2e4f1afcdd756a424dfc6bdc7a31a6637a1b1d4cc6dfc"},
		{Words{"café", "straße"}, "13e22d9888038a35f016c6063002bced56fdd7f1ebc19ca5912f553410724926"},
	} {
		if got := hex.EncodeToString(c.words.Hash()); got != c.want {
			t.Errorf("%q: got %s, want %s", c.words, got, c.want)
		}
	}
}

// TestHashDoesNotDependOnComments checks that streams over one list of words match, however the file was made.
func TestHashDoesNotDependOnComments(t *testing.T) {
	plain, err := readAll(strings.NewReader("dog\ncat\n"), "plain")
	if err != nil {
		t.Fatal(err)
	}
	commented, err := readAll(strings.NewReader("\uFEFF# made today\r\ndog\r\n# rare\r\n cat"), "commented")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := commented.Hash(), plain.Hash(); !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := (Words{"dog", "cat"}).Write(&b); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "dog\ncat\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := (Words{"dog"}).Write(fullDisk{}); err != errFull {
		t.Errorf("got %v, want %v", err, errFull)
	}
}

// TestDefault checks that the lists which come with the stages are such that Read would take them, word for word, and
// that the default has no stop words.
func TestDefault(t *testing.T) {
	words, err := readAll(strings.NewReader(defaultText), "default.txt")
	if err != nil || !slices.Equal(words, Default()) || len(words) != 12_000 {
		t.Errorf("got %d words, %v", len(words), err)
	}
	stop := StopWords()
	if list, err := readAll(strings.NewReader(stopText), "stop.txt"); err != nil || !slices.Equal(list, stop) {
		t.Errorf("got %d stop words, %v", len(list), err)
	}
	for _, word := range stop {
		if slices.Contains(words, word) {
			t.Errorf("the default vocabulary has the stop word %s", word)
		}
	}
	if got, err := OpenOrDefault(t.Context(), ""); err != nil || !slices.Equal(got, words) {
		t.Errorf("got %d words without a name, %v", len(got), err)
	}
	if _, err := OpenOrDefault(t.Context(), "nowhere.txt"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for a file that is not there", err)
	}
}

// TestFormer: streams of older programs keep their vocabulary, which has a name. A file of that name hides it.
func TestFormer(t *testing.T) {
	t.Chdir(t.TempDir())
	former, err := OpenOrDefault(t.Context(), Former)
	if err != nil || len(former) != 8000 || former[0] != "times" {
		t.Errorf("got %d words, %v", len(former), err)
	}
	if hint := Hint(t.Context(), former.Hash()); !strings.HasPrefix(hint, "--vocab english-8000 ") {
		t.Errorf("hint %q", hint)
	}
	if hint := Hint(t.Context(), Default().Hash()); strings.Contains(hint, Former) {
		t.Errorf("hint %q", hint)
	}
	if err := os.WriteFile(Former, []byte("dog\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if hidden, err := OpenOrDefault(t.Context(), Former); err != nil || !slices.Equal(hidden, Words{"dog"}) {
		t.Errorf("got %d words of the file, %v", len(hidden), err)
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := []byte("dog\ncat\n")
	var zipped, packed bytes.Buffer
	g := gzip.NewWriter(&zipped)
	g.Write(text)
	g.Close()
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(text)
	z.Close()
	want := Words{"dog", "cat"}
	for _, path := range []string{
		file("v.txt", text), file("v.txt.gz", zipped.Bytes()), file("v.txt.zst", packed.Bytes()),
	} {
		if got, err := Open(t.Context(), path); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", filepath.Base(path), got, err, want)
		}
	}

	if _, err := Open(t.Context(), filepath.Join(folder, "nowhere")); exit.Code(err) != exit.Missing {
		t.Errorf("missing file: got %v with exit code %d, want %d", err, exit.Code(err), exit.Missing)
	}
	cut := file("cut.gz", zipped.Bytes()[:zipped.Len()-4])
	_, err = Open(t.Context(), cut)
	if exit.Code(err) != exit.Malformed {
		t.Errorf("cut file: got %v with exit code %d, want %d", err, exit.Code(err), exit.Malformed)
	}
	if n := strings.Count(err.Error(), cut); n != 1 {
		t.Errorf("got %q, must name the file once", err)
	}
}
