package python

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit/stages"
)

func TestMain(m *testing.M) { stages.Main(m) }

const vocabulary = "cat dog café mouse\nsea ship fish wave\nbread wine cake salt"

// documents are texts of one or two themes of the vocabulary each.
func documents(t *testing.T) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	themes := strings.Split(vocabulary, "\n")
	var lines bytes.Buffer
	for i := range 200 {
		a, b := strings.Fields(themes[i%3]), strings.Fields(themes[random.IntN(3)])
		var words []string
		for range 5 + random.IntN(30) {
			words = append(words, a[random.IntN(len(a))], b[random.IntN(len(b))])
		}
		document := map[string]string{"id": string(rune('a'+i%26)) + strings.Repeat("é", i/26), "text": strings.Join(words, " ")}
		if err := json.NewEncoder(&lines).Encode(document); err != nil {
			t.Fatal(err)
		}
	}
	return lines.Bytes()
}

// TestLoader trains a small model, exports it, and has Python read all of it: privpipe.py, gensim, scikit-learn and pyLDAvis.
func TestLoader(t *testing.T) {
	const needs = "numpy, pandas, pyarrow, gensim, sklearn, pyLDAvis"
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	if out, err := exec.Command(python, "-c", "import "+needs).CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Skipf("%s (set PYTHON to another; .ci/peers installs one) cannot import %s: %v, %s", python, needs, err, lines[len(lines)-1])
	}
	script, err := filepath.Abs("privpipe_test.py")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, content := range map[string][]byte{
		"documents.jsonl": documents(t), "vocabulary.txt": []byte(strings.ReplaceAll(vocabulary, " ", "\n") + "\n"),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	shell := exec.Command("bash", "-c", `set -euo pipefail
tokenize text --public --vocab vocabulary.txt -o documents.pp documents.jsonl
for beta in mean expected-log; do
  mkfifo "$beta.params"
  sample --fixed 50 --rounds 20 documents.pp |
    estep lda --params "$beta.params" --top-topics 0 --word-weight count --norm 0 |
    privatize none |
    mstep lda --topics 3 --alpha 0.25 --eta 0.125 --vocab vocabulary.txt --denoise floor --beta "$beta" --params-out "$beta.params" -o "$beta.pp"
  mstep export --format npz -o "$beta.npz" "$beta.pp"
  mstep export --format csv -o "$beta.csv" "$beta.pp"
  mstep export --format gensim -o "$beta.gensim" "$beta.pp"
  mstep export --format ldavis -o "$beta.json" "$beta.pp"
  evaluate topics --csv --top 4 -o "$beta-topics.csv" "$beta.pp"
  for format in jsonl parquet npz; do
    estep lda --infer --tolerance 1e-6 --format "$format" --model "$beta.pp" -o "$beta.topics.$format" documents.pp
  done
done
exec "$0" -B "$1"`, python, script)
	shell.Dir = folder
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
