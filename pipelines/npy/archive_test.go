package npy

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
)

// member returns the bytes of a file of an archive.
func member(t *testing.T, archive []byte, name string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func archive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	a := NewArchive(&b)
	for _, err := range []error{
		a.Floats("matrix", []float64{1, -0.5}, 1, 2),
		a.Floats("number", []float64{0.25}),
		a.Strings("words", []string{"ä", "cat", "", "🐈"}),
		a.Strings("none", nil),
		a.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestArchive(t *testing.T) {
	b := archive(t)
	if got := member(t, b, "matrix.npy"); got != bytes12 {
		t.Errorf("the matrix is %q, want %q", got, bytes12)
	}
	if got := member(t, b, "number.npy"); !strings.Contains(got, "'shape': (), }") ||
		!strings.HasSuffix(got, "\x00\xd0\x3f") {
		t.Errorf("the number is %q", got)
	}
	// Three code points wide, little-endian: ä is U+00E4, the cat U+1F408.
	want := "\xe4\x00\x00\x00" + strings.Repeat("\x00", 8) + "c\x00\x00\x00a\x00\x00\x00t\x00\x00\x00" +
		strings.Repeat("\x00", 12) +
		"\x08\xf4\x01\x00" + strings.Repeat("\x00", 8)
	if got := member(t, b, "words.npy"); !strings.Contains(got,
		"'descr': '<U3', 'fortran_order': False, 'shape': (4,), }") ||
		!strings.HasSuffix(got, "\n"+want) {
		t.Errorf("the words are %q", got)
	}
	if again := archive(t); !bytes.Equal(b, again) {
		t.Error("the same arrays have other bytes")
	}
}

// TestArchiveRefuses: a shape that the cells do not fill is never written.
func TestArchiveRefuses(t *testing.T) {
	if err := NewArchive(io.Discard).Floats("m", make([]float64, 5), 2, 3); err == nil ||
		!strings.Contains(err.Error(), "5 cells for the shape (2, 3)") {
		t.Errorf("got %v", err)
	}
}

// TestNumPyLoadsArchive asks NumPy itself, where it is installed.
func TestNumPyLoadsArchive(t *testing.T) {
	numpy(t, archive(t), `
a = np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False)
assert sorted(a) == ["matrix", "none", "number", "words"], sorted(a)
assert a["matrix"].tolist() == [[1, -0.5]] and a["number"] == 0.25 and a["number"].shape == ()
assert a["words"].tolist() == ["ä", "cat", "", "🐈"] and a["none"].tolist() == [], a["words"]
`)
}
