package endtoend

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestMembersUsage gives the figure of membership attacks wrong arguments. TestAll draws it.
func TestMembersUsage(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	topical(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/papers/figures/members.sh")
	write(t, folder, "few.jsonl", `{"id":"a","text":"alpha beta"}`+"\n")
	for arguments, want := range map[string]string{
		"": "wants TEXT and OUT", "--shadows 0 some.jsonl x": "--shadows must be a positive number",
		"nowhere x":                        "no such text: nowhere",
		"--shadows 1 some.jsonl x":         "--shadows must be 2 or more, is 1",
		"--quick --shadows 1 some.jsonl x": "--shadows must be 2 or more, is 1",
		"few.jsonl x":                      "wants 10 documents or more",
	} {
		ends(t, folder, recipe+" "+arguments, 80, want)
	}
}

// TestMembersOfClassifier: an attack on a classifier that was trained on few rows of many features finds its members,
// and one on a classifier that never saw them does not. The specification wants an accuracy of .6 at least, and of at
// most three standard errors above one half. All is of fixed seeds, and no noise is drawn.
func TestMembersOfClassifier(t *testing.T) {
	testkit.Deep(t, "papers")
	t.Parallel()
	const features, rows = 300, 300
	folder := t.TempDir()
	write(t, folder, "schema.json", fmt.Sprintf(`{"intercept": true, "columns": [{"name": "id", "type": "id"},
		{"name": "x", "type": "numbers", "length": %d, "least": 0, "most": 1}, {"name": "class", "type": "label", "positive": "1", "negative": "0"}]}`, features))
	coins := rand.New(rand.NewPCG(7, 8))
	// Of the target, two shadow models, and what none was trained on: the class depends a little on the first ten
	// features.
	for _, name := range []string{"in-0", "out-0", "in-1", "out-1", "in-2", "out-2", "unseen"} {
		var b strings.Builder
		for i := range rows {
			x, sum := make([]float64, features), 0.0
			for j := range x {
				if x[j] = float64(coins.IntN(2)); j < 10 {
					sum += x[j] - 0.5
				}
			}
			class := "0"
			if coins.Float64() < 1/(1+math.Exp(-sum)) {
				class = "1"
			}
			line, err := json.Marshal(map[string]any{"id": fmt.Sprint(name, " ", i), "x": x, "class": class})
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		write(t, folder, name+".jsonl", b.String())
	}
	run(t, folder, `
		tokenize features --schema schema.json -o features.txt
		norm="--row-norm 17.4"
		for part in *.jsonl; do tokenize rows -q --public --schema schema.json -o ${part%.jsonl}-rows.pp $part; done
		mkfifo params
		for model in 0 1 2; do
			sample -q --all -T 10 in-$model-rows.pp | estep blr $norm --params params | privatize none -q |
				mstep blr --kappa 0 --vocab features.txt --params-out params -o model.pp
			for part in in out; do estep blr $norm --score --model model.pp -o $part-$model.pp $part-$model-rows.pp; done
			[[ $model != 0 ]] || estep blr $norm --score --model model.pp -o unseen.pp unseen-rows.pp
		done`)
	for members, c := range map[string]struct{ least, most float64 }{
		"in-0.pp": {0.6, 1}, "unseen.pp": {0, 0.5 + 3*math.Sqrt(0.25/rows/2)},
	} {
		out := run(t, folder, `evaluate attack membership --json --shadow-in in-1.pp --shadow-out out-1.pp --shadow-in in-2.pp --shadow-out out-2.pp \
			--out out-0.pp --in `+members)
		var results []struct {
			Attack   string  `json:"attack"`
			Accuracy float64 `json:"accuracy"`
		}
		if err := json.Unmarshal([]byte(out), &results); err != nil || len(results) != 1 ||
			results[0].Attack != "shadow models" {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s: accuracy %.3f", members, results[0].Accuracy)
		if a := results[0].Accuracy; a < c.least || a > c.most {
			t.Errorf("%s: accuracy %v, want %v to %v", members, a, c.least, c.most)
		}
	}
}
