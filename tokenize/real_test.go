package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
)

// shared returns the path of a file of the shared folder, or skips the test.
func shared(t *testing.T, path ...string) string {
	t.Helper()
	file := filepath.Join(append([]string{os.Getenv("PRIVPIPE_SHARED")}, path...)...)
	if _, err := os.Stat(file); err != nil || os.Getenv("PRIVPIPE_SHARED") == "" {
		t.Skipf("no %s: this test needs the shared data (PRIVPIPE_SHARED)", file)
	}
	return file
}

// tokenized runs tokenize and returns the documents of its output.
func tokenized(t *testing.T, arguments ...string) (h *wire.Header, documents []*wire.Document) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.pp")
	program, err := exec.LookPath("tokenize") // testscript puts the test binary there
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, append(arguments, "-o", path)...).CombinedOutput(); err != nil ||
		len(out) > 0 {
		t.Fatalf("tokenize %s: %v\n%s", arguments, err, out)
	}
	in, h, err := endpoint.OpenStream(t.Context(), path, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS},
		Values: true})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for {
		record, err := in.Next()
		if err == io.EOF {
			return h, documents
		}
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, record.GetDocument())
	}
}

// TestAdult reads both files of Adult: every row has the intercept and at most 15 features, and its label.
func TestAdult(t *testing.T) {
	for _, c := range []struct {
		name           string
		rows, positive int
	}{{"adult.data.zst", 32561, 7841}, {"adult.test.zst", 16281, 3846}} {
		h, documents := tokenized(t, "rows", "--schema", "../pipelines/recipes/schemas/adult.json",
			shared(t, "data", "adult", c.name))
		positive, names := 0, make(map[string]bool)
		for _, d := range documents {
			id, square := uint32(0), 0.0
			for i, gap := range d.WordGaps {
				id += gap
				v := float64(math.Float32frombits(binary.LittleEndian.Uint32(d.Values[4*i:])))
				square += v * v
			}
			if id != 105 || len(d.WordGaps) > 15 || square > 15 {
				t.Fatalf("%s: a row of %d features, the last %d, of norm %v", c.name, len(d.WordGaps), id,
					math.Sqrt(square))
			}
			names[d.Id] = true
			switch d.Label {
			case "1":
				positive++
			case "0":
			default:
				t.Fatalf("%s: label %q", c.name, d.Label)
			}
		}
		if h.VocabularySize != 106 || len(documents) != c.rows || len(names) != c.rows || positive != c.positive {
			t.Errorf("%s: %d features, %d rows, %d names, %d positive; want 106, %d, %d, %d",
				c.name, h.VocabularySize, len(documents), len(names), positive, c.rows, c.rows, c.positive)
		}
	}
}

// TestMNIST reads the digits: the first training image is a 5, and has as many pixels on as its file says.
func TestMNIST(t *testing.T) {
	images, labels := shared(t, "data", "mnist", "train-images-idx3-ubyte.gz"),
		shared(t, "data", "mnist", "train-labels-idx1-ubyte.gz")
	h, documents := tokenized(t, "images", "--labels", labels, images)
	if h.VocabularySize != 784 || len(documents) != 60_000 {
		t.Fatalf("%d images of %d pixels, want 60000 of 784", len(documents), h.VocabularySize)
	}
	first := documents[0]
	var picture [28][28]byte
	for row := range picture {
		copy(picture[row][:], strings.Repeat(" ", 28))
	}
	id := uint32(0)
	for _, gap := range first.WordGaps {
		id += gap
		picture[id/28][id%28] = '#'
	}
	var drawn bytes.Buffer
	for _, row := range picture[5:12] {
		drawn.WriteString(strings.TrimRight(string(row[:]), " ") + "\n")
	}
	const want = "" +
		"                 ## ###\n" +
		"           ############\n" +
		"        ##########\n" +
		"        ##########\n" +
		"         # ###   #\n" +
		"           ##\n" +
		"           ###\n"
	if first.Label != "5" || drawn.String() != want {
		t.Errorf("label %s\n%s\nwant\n%s", first.Label, drawn.String(), want)
	}
	_, random := tokenized(t, "images", "--bernoulli", images)
	// The mean intensity of the training images is 33.3 (0.1307, as the means that are subtracted from them in the
	// field).
	on := 0
	for _, d := range random {
		on += len(d.Counts)
	}
	if share := float64(on) / 60_000 / 784; math.Abs(share-0.1307) > 1e-4 {
		t.Errorf("with coins a share of %v of the pixels is on, want 0.1307", share)
	}
}
