package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/testkit"
)

// drawn is a model of random topics, with words that a careless writer would break.
func drawn(topics int) *parameters {
	words := []string{"naïve", "猫", "🐈", `quote"d`, "o'clock", "back\\slash", "<script>", "a,b"}
	for len(words) < 90 {
		words = append(words, "w"+string(rune('a'+len(words)/26))+string(rune('a'+len(words)%26)))
	}
	random := rand.NewPCG(1, 2)
	gamma := distuv.Gamma{Alpha: 0.3, Beta: 0.01, Src: random}
	m := &parameters{Topics: &modelfile.Topics{Words: words, Number: topics}, alpha: 0.125, eta: 0.25}
	for range topics * len(words) {
		m.Cells = append(m.Cells, 1e-3+gamma.Rand())
	}
	for k := range topics {
		row := m.Row(k)
		for i := range row {
			row[i] *= float64(1 + (3*k)%7) // sizes in another order than numbers
		}
		total := sum(row)
		for _, l := range row {
			m.weights = append(m.weights, float64(float32(l/total)))
		}
	}
	return m
}

// save writes an export into a folder.
func save(t *testing.T, folder, name string, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// python runs a script of testdata, or skips where the packages that it imports are missing.
func python(t *testing.T, imports, script string, args ...string) {
	t.Helper()
	interpreter := cmp.Or(os.Getenv("PYTHON"), "python3")
	if out, err := exec.Command(interpreter, "-c", "import "+imports).CombinedOutput(); err != nil {
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		t.Skipf("%s (set PYTHON to another; .ci/peers installs one) cannot import %s: %v, %s", interpreter, imports,
			err, lines[len(lines)-1])
	}
	out, err := exec.Command(interpreter,
		append([]string{filepath.Join("testdata", script)}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	t.Logf("%s: %s", script, out)
}

// TestPyLDAvis: pyLDAvis makes of the same topics what we export, and opens it. Two topics lie on a line.
func TestPyLDAvis(t *testing.T) {
	testkit.Deep(t, "peers")
	for _, topics := range []int{7, 3, 2} {
		folder, m := t.TempDir(), drawn(topics)
		arrays := save(t, folder, "arrays.npz", func(w io.Writer) error { return writeNPZ(w, m) })
		python(t, "numpy, pyLDAvis", "ldavis.py",
			arrays, save(t, folder, "vis.json", func(w io.Writer) error { return writeLDAvis(w, m.Topics) }))
	}
}

// TestGensimLoads: LdaModel.load makes a model that infers what gensim's formulas say.
func TestGensimLoads(t *testing.T) {
	testkit.Deep(t, "peers")
	folder, m := t.TempDir(), drawn(7)
	arrays := save(t, folder, "arrays.npz", func(w io.Writer) error { return writeNPZ(w, m) })
	python(t, "numpy, gensim", "gensim_load.py",
		arrays, save(t, folder, "model.gensim", func(w io.Writer) error { return writeGensim(w, m) }))
}

// TestPickle reads the file for gensim with Python alone, so that it is tested where gensim is not installed.
func TestPickle(t *testing.T) {
	interpreter := cmp.Or(os.Getenv("PYTHON"), "python3")
	if err := exec.Command(interpreter, "-c", "").Run(); err != nil {
		t.Skipf("no %s (set PYTHON to another): %v", interpreter, err)
	}
	m := drawn(200) // more bytes than are written at once
	want, err := json.Marshal(map[string]any{
		"topics": m.Number, "words": m.Words, "alpha": m.alpha, "eta": m.eta, "weights": m.weights, "lambda": m.Cells,
	})
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(interpreter, "testdata/pickle_check.py",
		save(t, t.TempDir(), "model.gensim", func(w io.Writer) error { return writeGensim(w, m) }))
	command.Stdin = bytes.NewReader(want)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestOneTopic: pyLDAvis refuses one topic; its place is the origin here.
func TestOneTopic(t *testing.T) {
	v := newView(drawn(1).Topics)
	if len(v.Coordinates.X) != 1 || v.Coordinates.X[0] != 0 || v.Coordinates.Y[0] != 0 ||
		math.Abs(v.Coordinates.Percent[0]-100) > 1e-9 {
		t.Errorf("coordinates %+v", v.Coordinates)
	}
}
