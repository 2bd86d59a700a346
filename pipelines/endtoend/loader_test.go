package endtoend

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

	"privpipe/pipelines/testkit"
)

// themed is a vocabulary. It has three themes, and words that no document of the training has.
const themed = "cat dog café mouse\nsea ship fish wave\nbread wine cake salt\nnew rare"

// themedDocuments are texts of one or two themes each. Those to infer also have words of no topic; some are short, or
// of equal parts, and the last has no word: where inference has several fixed points, or nothing to go by.
func themedDocuments(t *testing.T, training bool) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	themes := strings.Split(themed, "\n")
	var lines bytes.Buffer
	for i := range 200 {
		a, b := strings.Fields(themes[i%3]), strings.Fields(themes[random.IntN(3)])
		var words []string
		for range 5 + random.IntN(30) {
			words = append(words, a[random.IntN(len(a))], b[random.IntN(len(b))])
		}
		switch {
		case training:
		case i == 199:
			words = []string{"unknown"}
		case i%2 == 0:
			words = append(words[:1+i%5], "new", "rare", "rare", "new", "new")
		}
		document := map[string]string{"id": string(rune('a'+i%26)) + strings.Repeat("é", i/26),
			"text": strings.Join(words, " ")}
		if err := json.NewEncoder(&lines).Encode(document); err != nil {
			t.Fatal(err)
		}
	}
	return lines.Bytes()
}

// TestLoader trains a small model, exports it, and has Python read all of it: our package, gensim, scikit-learn and
// pyLDAvis.
func TestLoader(t *testing.T) {
	testkit.Deep(t, "peers")
	const needs = "numpy, pandas, pyarrow, gensim, sklearn, pyLDAvis"
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	if out, err := exec.Command(python, "-c", "import "+needs).CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Skipf("%s (set PYTHON to another; .ci/peers installs one) cannot import %s: %v, %s", python, needs, err,
			lines[len(lines)-1])
	}
	script := filepath.Join(root, "pipelines/python/privpipe_test.py")
	folder := t.TempDir()
	for name, content := range map[string][]byte{
		"training.jsonl": themedDocuments(t, true), "documents.jsonl": themedDocuments(t, false),
		"vocabulary.txt": []byte(strings.ReplaceAll(themed, " ", "\n") + "\n"),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	shell := exec.Command("bash", "-c", `set -euo pipefail
for name in training documents; do
  tokenize text --public --vocab vocabulary.txt -o "$name.pp" "$name.jsonl"
done
while read -r name beta alpha eta; do
  mkfifo "$name.params"
  sample --fixed 50 --rounds 20 training.pp </dev/null |
    estep lda --params "$name.params" --top-topics 0 --word-weight count --norm 0 |
    privatize none |
    mstep lda-paper --topics 3 --alpha "$alpha" --eta "$eta" --vocab vocabulary.txt --beta "$beta" \
      --params-out "$name.params" -o "$name.pp"
  mstep export --format npz -o "$name.npz" "$name.pp"
  mstep export --format csv -o "$name.csv" "$name.pp"
  mstep export --format gensim -o "$name.gensim" "$name.pp"
  mstep export --format ldavis -o "$name.json" "$name.pp"
  evaluate topics --csv --top 4 -o "$name-topics.csv" "$name.pp"
  for format in jsonl parquet npz; do
    estep lda --infer --format "$format" --model "$name.pp" -o "$name.topics.$format" documents.pp
  done
done <<'END'
mean mean 0.25 0.125
expected-log expected-log 0.25 0.125
small expected-log 0.02 0.02
zero expected-log 1 0.01
END
exec "$0" -B "$1"`, python, script)
	shell.Dir = folder
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
