package export

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"testing"

	"privpipe/pipelines/npy"
)

// unzipped returns the content of each file of an archive.
func unzipped(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	read := make(map[string][]byte)
	for _, f := range z.File {
		in, err := f.Open()
		if err == nil {
			read[f.Name], err = io.ReadAll(in)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return read
}

// TestNPZ reads each array of an npz back.
func TestNPZ(t *testing.T) {
	m := drawn(3)
	var b bytes.Buffer
	if err := writeNPZ(&b, m); err != nil {
		t.Fatal(err)
	}
	read := unzipped(t, b.Bytes())
	for name, want := range map[string][]float64{"lambda.npy": m.Cells, "weights.npy": m.weights} {
		if got, err := npy.Read(bytes.NewReader(read[name]), m.Number, len(m.Words)); err != nil ||
			!slices.Equal(got, want) {
			t.Errorf("%s: error %v, cells %v, want %v", name, err, got, want)
		}
	}
	for name, want := range map[string]float64{"alpha.npy": 0.125, "eta.npy": 0.25} {
		content := read[name]
		if len(content) != 128+8 || math.Float64frombits(binary.LittleEndian.Uint64(content[128:])) != want {
			t.Errorf("%s is %q, want %v", name, content, want)
		}
	}
	if len(read) != 5 || !bytes.Contains(read["words.npy"], []byte("'<U10', 'fortran_order': False, 'shape': (90,)")) {
		t.Errorf("%d arrays; the words begin %.128q", len(read), read["words.npy"])
	}
}
