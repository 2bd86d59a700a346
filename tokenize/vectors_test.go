package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/npy"
)

// vectors are files of vectors that are awkward to write in a script: those of NumPy and of Parquet.
func vectors(t *testing.T) map[string][]byte {
	t.Helper()
	parquet, err := os.ReadFile("internal/parquet/testdata/vectors.parquet")
	if err != nil {
		t.Fatal(err)
	}
	array := func(rows, columns int, cells ...float64) []byte {
		var b bytes.Buffer
		if err := npy.Write(&b, rows, columns, cells); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	archive := func(add ...func(*npy.Archive) error) []byte {
		var b bytes.Buffer
		a := npy.NewArchive(&b)
		for _, f := range append(add, (*npy.Archive).Close) {
			if err := f(a); err != nil {
				t.Fatal(err)
			}
		}
		return b.Bytes()
	}
	three := func(a *npy.Archive) error { return a.Floats("vectors", []float64{3, 4, 0, -1, 0.5, 0.25}, 3, 2) }
	names := func(name string, values ...string) func(*npy.Archive) error {
		return func(a *npy.Archive) error { return a.Strings(name, values) }
	}
	plain := "\x93NUMPY\x01\x00\x3c\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n"
	for _, x := range []float32{3, 4, 0, -1, 0.5, 0.25} {
		plain += string(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
	}
	// Several chunks of 1 MiB, in which vectors come twice.
	var many []float64
	for i := range 6000 {
		for j := range 64 {
			many = append(many, float64((i*i+j)%29)-14)
		}
	}
	whole := archive(three, names("ids", "a", "b", "c"), names("users", "ann", "bob", "ann"),
		names("labels", "x", "", "y"))
	torn := bytes.Clone(whole)
	torn[60] ^= 0xff
	return map[string][]byte{
		"three.npy": []byte(plain), "double.npy": array(3, 2, 3, 4, 0, -1, 0.5, 0.25),
		"less.npy": array(2, 2, 3, 4, 0.5, 0.25),
		"same.npy": array(4, 2, 3, 4, 0, -1, 3, 4, 0.5, 0.25), "many.npy": array(6000, 64, many...),
		"three.npz": whole, "torn.npz": torn, "unnamed.npz": archive(three),
		"few.npz":        archive(three, names("ids", "a", "MARKER")),
		"no-vectors.npz": archive(names("ids", "a")),
		"three.parquet":  parquet,
		"swap.npy":       array(2, 2, 0, 1, 1, 0), "mean.npy": array(1, 2, 3, 3), "wide.npy": array(1, 3, 1, 2, 3),
	}
}

// TestPythonProjects: the Python of FORMATS.md makes the matrix of --project. The vector 1, 2, 3 and so on gives each
// cell another weight, so another sign of a cell changes the sum.
func TestPythonProjects(t *testing.T) {
	page, err := os.ReadFile("FORMATS.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?ms)^```python\n(.*?)^```").FindSubmatch(page)
	python, err := exec.LookPath(cmp.Or(os.Getenv("PYTHON"), "python3"))
	if err != nil {
		t.Skip(err)
	}
	const rows, dimension, seed = 5, 600, 77
	printed, err := exec.Command(python, "-c", string(block[1])+fmt.Sprintf(`
for i in range(1, %[1]d + 1):
    print(sum(cell * (j + 1) for j, cell in enumerate(row(%[2]d, i, %[1]d, %[3]d))))
`, rows, seed, dimension)).Output()
	if err != nil {
		t.Fatal(err)
	}
	line := `{"vector":[1`
	for j := 2; j <= dimension; j++ {
		line += fmt.Sprint(",", j)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.jsonl"), []byte(line+"]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("bash", "-euo", "pipefail", "-c", fmt.Sprintf(
		"tokenize vectors --dimension %d --project %d --seed %d --norm 1e6 a.jsonl | show --private | sed -n 2p",
		dimension, rows, seed))
	command.Dir = folder
	shown, err := command.Output()
	var record printedRecord
	if err := cmp.Or(err, json.Unmarshal(shown, &record)); err != nil {
		t.Fatal(err)
	}
	for i, want := range strings.Fields(string(printed)) {
		want, err := strconv.ParseFloat(want, 64)
		got := 1e6 * record.Document.Words[strconv.Itoa(i)]
		if err != nil || math.Abs(got-want) > 1e-5*math.Abs(want) {
			t.Errorf("row %d projects to %v, Python's to %v", i+1, got, want)
		}
	}
}
