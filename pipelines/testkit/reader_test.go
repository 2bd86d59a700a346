package testkit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// python is the interpreter that PYTHON names, and what it lacks to run reader.py, if anything.
var python, lacking = cmp.Or(os.Getenv("PYTHON"), "python3"), sync.OnceValue(func() error {
	out, err := exec.Command(python, "-c", "import grpc_tools, google.protobuf, xxhash, zstandard").CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return fmt.Errorf("%w, %s", err, lines[len(lines)-1])
})

// reader runs reader.py, the second implementation of SPEC.md.
func reader(t *testing.T, stdin []byte, args ...string) []byte {
	t.Helper()
	if err := lacking(); err != nil {
		t.Skipf("%s (set PYTHON to another) needs the packages grpcio-tools, protobuf, xxhash and zstandard: %v",
			python, err)
	}
	command := exec.Command(python, append([]string{"reader.py"}, args...)...)
	command.Stdin = bytes.NewReader(stdin)
	out, err := command.Output()
	if err != nil {
		var stopped *exec.ExitError
		errors.As(err, &stopped)
		t.Fatalf("reader.py %s: %v\n%s%s", strings.Join(args, " "), err, out, stopped.Stderr)
	}
	return out
}

// TestReaderAgreesOnVectors checks that the specification is enough to read what we read and refuse what we refuse.
func TestReaderAgreesOnVectors(t *testing.T) {
	out := reader(t, nil, "check", "vectors")
	if want := []byte(" passed, 0 failed\n"); !bytes.HasSuffix(out, want) {
		t.Errorf("reader.py check:\n%s", out)
	}
}

// TestOursIsReadByPython has a stream of ours, in compressed frames, read by the second implementation.
func TestOursIsReadByPython(t *testing.T) {
	list := make([]*wire.Record, 300)
	for i := range list {
		d := &wire.Document{Id: fmt.Sprint("ä", i)}
		d.WordGaps, d.Counts = []uint32{uint32(i % 90), 1, 3}, []uint32{1, uint32(i + 1), 1 << 20}
		list[i] = &wire.Record{Body: &wire.Record_Document{Document: d}}
	}
	out := reader(t, compressed(t, documents(), list...), "show")
	lines := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	if len(lines) != len(list)+2 { // header and end
		t.Fatalf("%d lines for %d documents", len(lines), len(list))
	}
	for i, line := range lines[1 : len(lines)-1] {
		var got struct {
			Document struct {
				ID     string   `json:"id"`
				Gaps   []uint32 `json:"word_gaps"`
				Counts []uint32 `json:"counts"`
			} `json:"document"`
		}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		want := list[i].GetDocument()
		d := got.Document
		if d.ID != want.Id || !slices.Equal(d.Gaps, want.WordGaps) || !slices.Equal(d.Counts, want.Counts) {
			t.Fatalf("document %d: got %s, want %v", i, line, want)
		}
	}
}

// TestPythonIsReadByUs has a stream of the second implementation read by ours.
func TestPythonIsReadByUs(t *testing.T) {
	const lines = `{"id": "ä", "words": {"7": 2, "3": 1}}
{"id": "empty", "words": {}}
{"id": "ends", "words": {"0": 16777215, "9": 1}}
`
	want := []*wire.Document{
		{Id: "ä", WordGaps: []uint32{3, 4}, Counts: []uint32{1, 2}},
		{Id: "empty"},
		{Id: "ends", WordGaps: []uint32{0, 9}, Counts: []uint32{1<<24 - 1, 1}},
	}
	written := reader(t, []byte(lines), "documents", "--vocabulary-size", "10")
	r, err := stream.NewReader(bytes.NewReader(written), "reader.py")
	if err != nil {
		t.Fatal(err)
	}
	h, err := r.Header()
	if err != nil || h.Kind != wire.Kind_DOCUMENTS || h.Side != wire.Side_PRIVATE || h.VocabularySize != 10 {
		t.Fatalf("header %v, %v", h, err)
	}
	for _, w := range want {
		record, err := r.Next()
		if err != nil || !proto.Equal(record.GetDocument(), w) {
			t.Errorf("got %v, %v, want %v", record, err, w)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("got %v, want the end", err)
	}
}

// TestPythonHashesParameters: the specification is enough to work out which model scores are of.
func TestPythonHashesParameters(t *testing.T) {
	h := releases()
	h.Kind, h.Unit = wire.Kind_PARAMETERS, 0
	h.Matrices = []*wire.Matrix{{Name: "a", Rows: 2, Columns: 2, Element: wire.Element_FLOAT64},
		{Name: "b", Rows: 1, Columns: 1, Element: wire.Element_FLOAT32}}
	var list []*wire.Record
	for round := range uint32(2) {
		cells := [][]byte{stream.AppendCells(nil, []float64{1, 2}),
			stream.AppendCells(nil, []float64{3, float64(round)}), stream.AppendCells(nil, []float32{5})}
		list = append(list, &wire.Record{Round: round,
			Body: &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: []*wire.Scalar{{Name: "alpha",
				Value: 0.25}, {Name: "é"}}}}})
		for i, values := range cells {
			b := &wire.Block{Matrix: uint32(i / 2), Offset: uint64(2*i) % 4, Values: values}
			list = append(list, &wire.Record{Round: round, Body: &wire.Record_Block{Block: b}})
		}
	}
	content := compressed(t, h, list...)
	name := filepath.Join(t.TempDir(), "parameters.pp")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := stream.NewReader(bytes.NewReader(content), name)
	if err == nil {
		_, err = r.Header()
	}
	var want strings.Builder
	for range 2 {
		var set *stream.Set
		if err == nil {
			set, err = stream.ReadSet(r, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&want, "%d %x\n", set.Round, set.Digest())
	}
	if got := string(reader(t, nil, "digest", name)); got != want.String() {
		t.Errorf("reader.py has the digests\n%s, want\n%s", got, want.String())
	}
}
