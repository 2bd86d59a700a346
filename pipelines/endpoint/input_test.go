package endpoint_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

const marker = "MARKER" // of private text, that no message may have

func gzipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}

func zstandard(t *testing.T, text string) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true))
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll([]byte(text), nil)
}

func TestOpenText(t *testing.T) {
	text := strings.Repeat(marker+"\n", 1000)
	gz, zst := gzipped(text), zstandard(t, text)
	flipped := func(b []byte) []byte {
		b = bytes.Clone(b)
		b[len(b)-5] ^= 1 // of both formats: in the checksum, or beside it
		return b
	}
	// RFC 8878 §3.1.1: a window of 2^28 bytes, and one raw block of nothing.
	wide := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 1, 0, 0}
	for _, c := range []struct {
		name    string
		content []byte
		want    string // empty: damaged
	}{
		{"plain.txt", []byte(text), text},
		{"two.gz", slices.Concat(gz, gz), text + text},
		{"two.zst", slices.Concat(zst, zst), text + text},
		{"plain.txt.d", gz, string(gz)}, // by its name, not by a guess
		{"cut.gz", gz[:len(gz)-9], ""},
		{"cut.zst", zst[:len(zst)-5], ""},
		{"flipped.gz", flipped(gz), ""},
		{"flipped.zst", flipped(zst), ""},
		{"empty.gz", nil, ""},
		{"empty.zst", nil, ""},
		{"text.gz", []byte(text), ""},
		{"text.zst", []byte(text), ""},
		{"behind.gz", slices.Concat(gz, []byte(text)), ""},
		{"behind.zst", slices.Concat(zst, []byte(text)), ""},
		{"wide.zst", wide, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, t.TempDir(), c.name, c.content)
			var got []byte
			in, err := endpoint.OpenText(path)
			if err == nil {
				got, err = io.ReadAll(in)
				in.Close()
			}
			if c.want != "" {
				if err != nil || string(got) != c.want {
					t.Errorf("got %d bytes, %v", len(got), err)
				}
				return
			}
			wantCode(t, err, exit.Malformed)
			if err != nil && (!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), marker)) {
				t.Errorf("the error must name the file and nothing of its content: %v", err)
			}
		})
	}
}

// TestArchiveThatCannotBeRead is not damaged: the operating system's own error says what to do.
func TestArchiveThatCannotBeRead(t *testing.T) {
	for _, name := range []string{"folder.gz", "folder.zst"} {
		folder := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		in, err := endpoint.OpenText(folder)
		if err == nil {
			_, err = io.ReadAll(in)
			in.Close()
		}
		wantCode(t, err, exit.Missing)
	}
}

func TestDistinct(t *testing.T) {
	folder := t.TempDir()
	a, b := write(t, folder, "a", nil), write(t, folder, "b", nil)
	link, hard := filepath.Join(folder, "link"), filepath.Join(folder, "hard")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(a, hard); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		output string
		inputs []string
		code   int
	}{
		{a, []string{a}, exit.Usage},
		{a, []string{b, folder + "/../" + filepath.Base(folder) + "/a"}, exit.Usage},
		{a, []string{link}, exit.Usage},
		{link, []string{a}, exit.Usage},
		{hard, []string{a}, exit.Usage},
		{a, []string{b}, exit.OK},
		{a, nil, exit.OK},
		{filepath.Join(folder, "new"), []string{a, filepath.Join(folder, "new")}, exit.OK}, // the input is missing, later
		{os.DevNull, []string{os.DevNull}, exit.OK},
		{endpoint.Stdio, []string{endpoint.Stdio}, exit.OK},
		{"", []string{""}, exit.OK},
	} {
		wantCode(t, endpoint.Distinct(c.output, c.inputs...), c.code)
	}
}

func TestReadFileHasALimit(t *testing.T) {
	path := write(t, t.TempDir(), "grant.json", []byte(marker))
	if b, err := endpoint.ReadFile(path, int64(len(marker))); err != nil || string(b) != marker {
		t.Errorf("got %q, %v", b, err)
	}
	_, err := endpoint.ReadFile(path, int64(len(marker))-1)
	wantCode(t, err, exit.Malformed)
}

// TestCounting: what is read of a file is counted as the file has it, compressed or not, and comes to its size.
func TestCounting(t *testing.T) {
	text := strings.Repeat(marker+"\n", 100_000)
	for name, content := range map[string][]byte{"a.txt": []byte(text), "a.gz": gzipped(text), "a.zst": zstandard(t, text), "empty.txt": nil} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		var read atomic.Int64
		in, err := endpoint.OpenTextCounting(path, &read)
		if err != nil {
			t.Fatal(err)
		}
		if name == "a.txt" {
			io.ReadFull(in, make([]byte, 1000))
			if n := read.Load(); n != 1000 {
				t.Errorf("%d bytes are counted of 1000", n)
			}
		}
		io.Copy(io.Discard, in)
		in.Close()
		if size, known := endpoint.Size(path); !known || size != int64(len(content)) || read.Load() != size {
			t.Errorf("%s: size %d, %v, and %d read, of %d", name, size, known, read.Load(), len(content))
		}
	}
	for _, name := range []string{t.TempDir(), "nowhere", os.DevNull} {
		if size, known := endpoint.Size(name); known {
			t.Errorf("%s has a size, %d", name, size)
		}
	}
}
