package endtoend

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestMeasures trains a logistic regression without noise on 600 rows and measures it on 400 others. evaluate and
// scikit-learn say the same of the predictions. The area under the ROC curve equals the area of scikit-learn's own
// regression on the same rows, up to 0.01. evaluate report takes the predictions for the model's predictions.
func TestMeasures(t *testing.T) {
	testkit.Deep(t, "peers")
	t.Parallel()
	py, folder := python(t, "sklearn"), t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range []struct {
		name string
		rows int
	}{{"train.jsonl", 600}, {"test.jsonl", 400}} {
		var lines strings.Builder
		for i := range f.rows {
			a, b := random.Float64(), random.Float64()
			class := "no"
			if random.Float64() < 1/(1+math.Exp(1-4*a+3*b)) {
				class = "yes"
			}
			fmt.Fprintf(&lines, `{"id": "%s-%d", "a": %.3f, "b": %.3f, "class": %q}`+"\n", f.name, i, a, b, class)
		}
		write(t, folder, f.name, lines.String())
	}
	write(t, folder, "schema.json", `{"intercept": true, "columns": [{"name": "id", "type": "id"}, {"name": "a", "type": "number", "least": 0, "most": 1},
		{"name": "b", "type": "number", "least": 0, "most": 1}, {"name": "class", "type": "label", "positive": "yes", "negative": "no"}]}`)
	out := run(t, folder, fmt.Sprintf(`
		tokenize features --schema schema.json -o features.txt
		for part in train test; do
			tokenize rows -q --public --schema schema.json -o $part.pp $part.jsonl
			show --private $part.pp >$part.shown
		done
		mkfifo params
		sample -q --all -T 12 train.pp | estep blr --row-norm 1.7320509 --params params | privatize none -q |
			mstep blr --kappa 0 --vocab features.txt --params-out params -o model.pp
		estep blr --row-norm 1.7320509 --score --model model.pp -o predictions.pp test.pp
		show --private predictions.pp >predictions.shown
		evaluate report --model model.pp --predictions predictions.pp page.html
		grep -q 'class="effect"' page.html
		evaluate auc --json predictions.pp
		evaluate classes --json predictions.pp
		%s %s train.shown test.shown predictions.shown`, py, filepath.Join(root, "pipelines/endtoend/classifier.py")))
	type measures struct {
		Peer      float64 `json:"peer"`
		AUC       float64 `json:"auc"`
		LogLoss   float64 `json:"log_loss"`
		Accuracy  float64 `json:"accuracy"`
		MacroF1   float64 `json:"macro_f1"`
		Confusion [][]int `json:"confusion"`
	}
	var ours, theirs measures // the two lines of evaluate have different members
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, into := range []*measures{&ours, &ours, &theirs} {
		if err := json.Unmarshal([]byte(lines[i]), into); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	t.Logf("AUC %.4f, scikit-learn's regression %.4f", ours.AUC, theirs.Peer)
	if math.Abs(ours.AUC-theirs.Peer) > 0.01 || theirs.Peer < 0.7 {
		t.Errorf("AUC %v, scikit-learn's regression %v", ours.AUC, theirs.Peer)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if !near(ours.AUC, theirs.AUC) || !near(ours.LogLoss, theirs.LogLoss) || !near(ours.Accuracy, theirs.Accuracy) ||
		!near(ours.MacroF1, theirs.MacroF1) ||
		!reflect.DeepEqual(ours.Confusion, theirs.Confusion) {
		t.Errorf("evaluate has %+v, scikit-learn %+v", ours, theirs)
	}
}
