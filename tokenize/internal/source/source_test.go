package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"privpipe/pipelines/exit"
)

// folder returns a new folder with the given files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// found returns what a Reader finds, as "file line id content", with root left out of the names.
func found(t *testing.T, root string, limit int, names ...string) (chunks []string, err error) {
	t.Helper()
	return foundAs(t, root, Options{Limit: limit, Format: ByName}, names...)
}

func foundAs(t *testing.T, root string, o Options, names ...string) (chunks []string, err error) {
	t.Helper()
	r, err := NewReader(t.Context(), names, o)
	if err != nil {
		return nil, err
	}
	for {
		c, more, err := r.Next()
		if err != nil || !more {
			return chunks, err
		}
		content := string(c.Content)
		if c.Fault != nil {
			content = "too long"
		}
		chunks = append(chunks,
			strings.ReplaceAll(fmt.Sprintf("%s %d %s %q", c.Name, c.Line, c.ID, content), root+"/", ""))
	}
}

func TestReaderOfAFolder(t *testing.T) {
	root := folder(t, map[string]string{
		"d/b.txt": "B", "d/a/z.txt": "Z", "d/c.jsonl": "{}\n", "d/a.jsonl": "{}\n{ }", "d/empty.txt": "",
		"d/notes.md": "no", "d/x.csv": "text\n1\n\"2\n2\"\n", "d/y.tsv": "\n\na\ttext\r\n1\t2",
	})
	want := []string{
		`d/a/z.txt 0 a/z.txt "Z"`, `d/a.jsonl 1  "{}\n"`, `d/a.jsonl 2  "{ }"`, `d/b.txt 0 b.txt "B"`,
		`d/c.jsonl 1  "{}\n"`,
		`d/empty.txt 0 empty.txt ""`, `d/x.csv 2  "1\n\"2\n2\"\n"`, `d/y.tsv 4  ""`, `d/y.tsv 4  "1\t2"`,
	}
	got, err := found(t, root, 100, root+"/d")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}

	// A symbolic link to a folder is that folder.
	if err := os.Symlink(root+"/d", root+"/link"); err != nil {
		t.Fatal(err)
	}
	linked, err := found(t, root, 100, root+"/link")
	if err != nil || len(linked) != len(want) || !strings.HasSuffix(linked[0], ` 0 a/z.txt "Z"`) {
		t.Errorf("got %q, %v of the link", linked, err)
	}
}

// TestReaderOfOneFormat: --format overrides the extensions.
func TestReaderOfOneFormat(t *testing.T) {
	root := folder(t, map[string]string{
		"d/49960": "a", "d/sub/notes.md": "b", "d/x.csv": "c", "d/.hidden": "no", "d/.git/config": "no",
		"e/x": "text\n1\n", "g/x": "text\n1\n", ".f/x": "y",
	})
	if err := os.Symlink(root+"/d", root+"/d/loop"); err != nil {
		t.Fatal(err)
	}
	got, err := foundAs(t, root, Options{Limit: 9, Format: TextFile}, root+"/d", root+"/.f")
	want := []string{`d/49960 0 49960 "a"`, `d/sub/notes.md 0 sub/notes.md "b"`, `d/x.csv 0 x.csv "c"`, `.f/x 0 x "y"`}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("as text: %q, %v, want %q", got, err, want)
	}
	got, err = foundAs(t, root, Options{Limit: 9, Format: CSV}, root+"/e/x", root+"/g")
	if want := []string{`e/x 2  "1\n"`, `g/x 2  "1\n"`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("as CSV: %q, %v, want %q", got, err, want)
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{
		"a.txt": TextFile, "a/b.jsonl": JSONLines, "a.csv": CSV, "a.tsv.gz": TSV, "a.csv.xz": CSV,
		"a.txt.bz2":   TextFile,
		"a.jsonl.zst": JSONLines, "a": "", "-": "", "a.gz": "", "a.csv.gz.gz": "", "a.csv.lz4": "", "csv": "",
		"a.json": JSONLines, "A.TXT": TextFile, "b.NDJSON.GZ": JSONLines, "c.Parq": Parquet, "d.htm": TextFile,
		"e.EML": Mail, "f.md": "",
	} {
		if got := formatOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestReaderOfFiles(t *testing.T) {
	root := folder(t, map[string]string{
		"1.txt": "one", "2.data": "{}\n", "0.data": "{ }\n", "none/x.md": "", "large.txt": "12345",
	})
	// In the order of the arguments.
	got, err := found(t, root, 4, root+"/2.data", root+"/1.txt", root+"/large.txt", root+"/0.data")
	want := []string{`2.data 1  "{}\n"`, `1.txt 0 1.txt "one"`, `large.txt 0 large.txt "too long"`, `0.data 1  "{ }\n"`}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, name := range []string{"none", "nowhere", "nowhere.txt"} {
		if _, err := found(t, root, 4, root+"/"+name); exit.Code(err) != exit.Missing ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error of what is missing", name, err)
		}
	}
}

// TestMeasure: the bytes read of all inputs add up to their total size, which is unknown if an input is no file.
func TestMeasure(t *testing.T) {
	root := folder(t, map[string]string{"d/a.txt": "12345", "d/b.jsonl": "{}\n{}\n", "c.jsonl": "1234567",
		"d/notes.md": "not read"})
	for _, c := range []struct {
		names []string
		total int64
	}{{[]string{root + "/d"}, 11}, {[]string{root + "/c.jsonl", root + "/d"}, 18},
		{[]string{root + "/c.jsonl", os.DevNull}, 0}} {
		r, err := NewReader(t.Context(), c.names, Options{Limit: 100, Format: ByName})
		if err != nil {
			t.Fatal(err)
		}
		var read atomic.Int64
		if total := r.Measure(&read); total != c.total {
			t.Errorf("%v: %d bytes in all, want %d", c.names, total, c.total)
		}
		for more := true; more; {
			if _, more, err = r.Next(); err != nil {
				t.Fatal(err)
			}
		}
		if c.total > 0 && read.Load() != c.total {
			t.Errorf("%v: %d bytes are read of %d", c.names, read.Load(), c.total)
		}
	}
}
