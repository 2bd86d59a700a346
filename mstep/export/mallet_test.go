package export

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/testkit"
)

// fields returns the fields of each line of a file with tabs.
func fields(text []byte) [][]string {
	var lines [][]string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return lines
}

// TestAsMallet: of a model that Mallet trained, we write what Mallet wrote (testdata/mallet/make.sh).
func TestAsMallet(t *testing.T) {
	weights, err := os.ReadFile("testdata/mallet/weights.txt")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := os.ReadFile("testdata/mallet/keys.txt")
	if err != nil {
		t.Fatal(err)
	}
	m := &parameters{Topics: &modelfile.Topics{Number: 2}, alpha: 0.125}
	for _, line := range fields(weights) {
		if line[0] == "0" {
			m.Words = append(m.Words, line[1])
		}
		weight, err := strconv.ParseFloat(line[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		m.Cells = append(m.Cells, weight)
	}

	var b bytes.Buffer
	if err := writeMalletWeights(&b, m.Topics); err != nil || !bytes.Equal(b.Bytes(), weights) {
		t.Errorf("weights, error %v:\n%s\nMallet's:\n%s", err, &b, weights)
	}
	b.Reset()
	if err := writeMalletKeys(&b, m, 1); err != nil {
		t.Fatal(err)
	}
	ours, mallets := fields(b.Bytes()), fields(keys)
	if len(ours) != len(mallets) {
		t.Fatalf("%d lines, Mallet has %d", len(ours), len(mallets))
	}
	for topic, line := range mallets {
		if !slices.Equal(ours[topic][:2], line[:2]) || len(ours[topic]) != len(line) {
			t.Errorf("topic %d: %q, Mallet has %q", topic, ours[topic], line)
		}
		// Mallet leaves out words without a token, and puts equal words in another order; their weights are the same.
		row := m.Row(topic)
		weight := func(word string) float64 { return row[slices.Index(m.Words, word)] }
		got, ended := strings.CutSuffix(ours[topic][2], " ")
		if words := strings.Fields(got); !ended || len(words) != len(m.Words) {
			t.Errorf("topic %d: %q, want all words, each with a space after it", topic, ours[topic][2])
		}
		for place, word := range strings.Fields(line[2]) {
			if our := strings.Fields(got)[place]; weight(our) != weight(word) {
				t.Errorf("topic %d, word %d: %s, Mallet has %s", topic, place, our, word)
			}
		}
	}
}

// TestLittleMalletWrapper: the Python readers of Mallet's files read ours.
func TestLittleMalletWrapper(t *testing.T) {
	testkit.Deep(t, "peers")
	folder, m := t.TempDir(), drawn(3)
	python(t, "numpy, little_mallet_wrapper", "mallet_load.py",
		save(t, folder, "arrays.npz", func(w io.Writer) error { return writeNPZ(w, m) }),
		save(t, folder, "keys.txt", func(w io.Writer) error { return writeMalletKeys(w, m, 1) }),
		save(t, folder, "weights.txt", func(w io.Writer) error { return writeMalletWeights(w, m.Topics) }))
}
