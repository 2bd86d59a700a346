package endtoend

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestClassesByTopics: from the topics of posts of two newsgroups, estep blr learns their group as well as
// scikit-learn's regression from the same topics, up to 0.01 of the held-out posts. All coins are fixed.
func TestClassesByTopics(t *testing.T) {
	testkit.Deep(t, "peers")
	t.Parallel()
	py, folder := python(t, "sklearn"), t.TempDir()
	decompress(t, shared(t, "data/20newsgroups/20newsgroups.jsonl.zst"), filepath.Join(folder, "all.jsonl"))
	all, err := os.Open(filepath.Join(folder, "all.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	var parts [2]strings.Builder
	lines := bufio.NewScanner(all)
	lines.Buffer(nil, 1<<24)
	for posts := 0; lines.Scan(); {
		var post struct{ Label string }
		if err := json.Unmarshal(lines.Bytes(), &post); err != nil {
			t.Fatal(err)
		}
		if post.Label == "sci.med" || post.Label == "sci.space" {
			parts[posts%3/2].WriteString(lines.Text() + "\n") // the last third is held out
			posts++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "train.jsonl", parts[0].String())
	write(t, folder, "test.jsonl", parts[1].String())
	write(t, folder, "key", strings.Repeat("k", 32))
	write(t, folder, "theta.json", `{"intercept": true, "columns": [{"name": "id", "type": "id"},
		{"name": "topics", "type": "numbers", "length": 20, "least": 0, "most": 1},
		{"name": "label", "type": "label", "positive": "sci.med", "negative": "sci.space"}]}`)
	out := run(t, folder, fmt.Sprintf(`
		chmod 600 key
		tokenize vocab -q --public --size 1000 -o words.txt train.jsonl
		for part in train test; do tokenize text -q --public --vocab words.txt -o $part.pp $part.jsonl; done
		mkfifo params
		sample -q --all -T 1 --run topics train.pp |
			estep collapsed -q --sweeps 50 --statistic counts --secret key --params params |
			privatize none -q --run topics | mstep counts -q --statistic counts --run topics --topics 20 --alpha 1 --eta 0.01 --denoise floor --vocab words.txt \
				--params-out params -o topics.pp
		tokenize features --schema theta.json -o features.txt
		for part in train test; do
			estep gibbs --infer --model topics.pp $part.pp | tokenize rows -q --public --format jsonl --schema theta.json -o $part-rows.pp
			show --private $part-rows.pp >$part.shown
		done
		sample -q --all -T 20 train-rows.pp | estep blr --row-norm 1.41421357 --params params | privatize none -q |
			mstep blr --kappa 0 --vocab features.txt --params-out params -o model.pp
		estep blr --row-norm 1.41421357 --score --model model.pp -o predictions.pp test-rows.pp
		show --private predictions.pp >predictions.shown
		%s %s train.shown test.shown predictions.shown`, py, filepath.Join(root, "pipelines/endtoend/classifier.py")))
	var accuracy struct {
		Ours float64 `json:"accuracy"`
		Peer float64 `json:"peer_accuracy"`
	}
	if err := json.Unmarshal([]byte(out), &accuracy); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("accuracy %.4f, scikit-learn's %.4f", accuracy.Ours, accuracy.Peer)
	if math.Abs(accuracy.Ours-accuracy.Peer) > 0.01 || accuracy.Peer < 0.85 {
		t.Errorf("accuracy %v, scikit-learn's %v", accuracy.Ours, accuracy.Peer)
	}
}
