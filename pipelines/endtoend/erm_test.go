package endtoend

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/seeded"
)

// TestObjectiveOnAdult meets the table of specification.md §3.3. Without perturbation the AUC is a number; with it,
// means of three runs lie in 4.5 standard deviations of what we measured over 15 runs or more.
func TestObjectiveOnAdult(t *testing.T) {
	testkit.Deep(t, "quality")
	t.Parallel()
	folder := seeded.Folder(t, seeded.Chance{Seed: 2, Margin: "0.0015 of an area", Rate: 1e-5})
	adult(t, folder)
	runs := 0
	auc := func(objective string) float64 {
		t.Helper()
		runs++
		out := run(t, folder, fmt.Sprintf(`mkdir run-%[2]d; cd run-%[2]d; account ledger new -q run.ledger
			sample -q --all --run erm ../train.pp |
				estep erm -q --row-norm 3.873 --vocab ../features.txt %[1]s |
				privatize none -q --run erm --ledger run.ledger | mstep erm -q --vocab ../features.txt -o model.pp
			estep erm -q --score --row-norm 3.873 --model model.pp ../test.pp | evaluate auc --json 2>/dev/null`, objective, runs))
		var result struct {
			AUC float64 `json:"auc"`
		}
		if err := json.Unmarshal([]byte(out), &result); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return result.AUC
	}
	for lambda, want := range map[string]float64{"1e-5": .8994, "1e-4": .8885, "1e-3": .8651} {
		if got := auc("--regularisation " + lambda); got < want-1e-3 || got > want+1e-3 {
			t.Errorf("Λ %s, without perturbation: AUC %.4f, want %.4f", lambda, got, want)
		}
	}
	for _, c := range []struct {
		lambda      string
		epsilon     string
		least, most float64
	}{{"1e-4", "4", .8835, .8885}, {"1e-3", "0.5", .848, .867}} {
		mean := 0.0
		for range 3 {
			mean += auc(fmt.Sprintf("--epsilon %s --regularisation %s", c.epsilon, c.lambda)) / 3
		}
		t.Logf("Λ %s, ε %s: AUC %.4f", c.lambda, c.epsilon, mean)
		if mean < c.least || mean > c.most {
			t.Errorf("Λ %s, ε %s: AUC %.4f, want %v to %v", c.lambda, c.epsilon, mean, c.least, c.most)
		}
	}
}

const clinicSchema = `{"intercept": true, "columns": [
	{"name": "age", "type": "number", "least": 0, "most": 100},
	{"name": "ward", "type": "category", "values": ["north", "south"]},
	{"name": "ill", "type": "label", "positive": ["yes"], "negative": ["no"]}]}`

// clinic writes schema.json, train.csv and test.csv: whether somebody is ill depends on age and ward.
func clinic(t *testing.T, folder string) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	write(t, folder, "schema.json", clinicSchema)
	for _, file := range []struct { // in one order, since all rows come from one stream of random numbers
		name string
		rows int
	}{{"train.csv", 2000}, {"test.csv", 500}} {
		var b strings.Builder
		b.WriteString("age,ward,ill\n")
		for range file.rows {
			age, ward := random.IntN(101), []string{"north", "south"}[random.IntN(2)]
			ill := "no"
			if float64(age)+30*random.NormFloat64() > map[string]float64{"north": 30, "south": 70}[ward] {
				ill = "yes"
			}
			fmt.Fprintf(&b, "%d,%s,%s\n", age, ward, ill)
		}
		write(t, folder, file.name, b.String())
	}
}

// TestERMRecipe trains, resumes and refuses. A stopped run sends the weights that were charged.
func TestERMRecipe(t *testing.T) {
	testkit.Deep(t, "papers")
	t.Parallel()
	folder := seeded.Folder(t, seeded.Chance{Seed: 1,
		Margin: "0.065 of the area, of which six runs have 0.885 to 0.886", Rate: 1e-6})
	clinic(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/papers/erm.sh")
	out := run(t, folder, recipe+
		" --schema schema.json --epsilon 2 --regularisation 1e-3 --held test.csv train.csv out 2>&1")
	for _, want := range []string{
		"no privacy: releases are exact sums", "pld         ∞  1e-06", "The paper claims ε 2 of these weights",
		"It is the paper's claim, and the ledger has ∞.", "500        ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	var auc float64
	fmt.Sscanf(run(t, folder, "sed -n 2p out/private/auc.txt"), "%f", &auc)
	t.Logf("AUC %v", auc)
	if auc < .7 || auc > .95 {
		t.Errorf("AUC %v", auc)
	}
	run(t, folder, `cp out/public/model.pp first.pp; rm out/public/model.pp
		`+recipe+` --schema schema.json --epsilon 2 --regularisation 1e-3 train.csv out
		cmp first.pp out/public/model.pp; [[ $(grep -c '"type":"charge"' out/private/run.ledger) == 1 ]]`)
	page, err := os.ReadFile(filepath.Join(folder, "out/public/report.html"))
	if err != nil || !strings.Contains(string(page), "nothing is protected") {
		t.Errorf("the page does not say that nothing is protected: %v", err)
	}

	// Of few rows for so small a Λ the recipe says that the weights are noise, and not of these.
	const noise = "warning: too few rows for this ε and --regularisation"
	few := run(t, folder, recipe+" --schema schema.json --regularisation 1e-5 --epsilon 0.01 train.csv few 2>&1")
	if !strings.Contains(few, noise) || strings.Contains(out, noise) {
		t.Errorf("%s\n%s", out, few)
	}

	out = run(t, folder, recipe+" --schema schema.json --epsilon none --held test.csv train.csv exact 2>&1")
	if !strings.Contains(out, "no privacy: releases are exact sums") || !strings.Contains(out, "pld         ∞") ||
		strings.Contains(out, "claim") {
		t.Errorf("without perturbation:\n%s", out)
	}

	for arguments, message := range map[string]string{
		"":                                                 "wants TRAIN and OUT",
		"train.csv new":                                    "wants --schema",
		"--schema nowhere train.csv new":                   "no such schema: nowhere",
		"--schema schema.json nowhere new":                 "no such text: nowhere",
		"--schema train.csv train.csv new":                 "train.csv",
		"--no-such-flag 1 train.csv new":                   "unknown flag --no-such-flag",
		"--schema schema.json train.csv out":               "out was begun with other settings",
		"--epsilon 0 --schema schema.json a b":             "--epsilon must be a positive number, is 0",
		"--epsilon 1e9 --schema schema.json train.csv new": "must be in [2^-20, 512]",
		"--epsilon none --regularisation 1e-13 --schema schema.json train.csv n": "regularisation must be in",
		"--row-norm -1 --schema schema.json train.csv new": "--row-norm must be a positive " +
			"number, is -1",
		"--positive 'a b' --schema schema.json train.csv new": "--positive must be one word",
		"--delta 1 --schema schema.json train.csv new":        "--delta must be below 1",
		"--held nowhere --schema schema.json train.csv new":   "no such text: nowhere",
	} {
		s := bash(folder, recipe+" "+arguments)
		s.Run()
		if code := s.ProcessState.ExitCode(); code != 80 && code != 90 ||
			!strings.Contains(s.stderr.String(), message) {
			t.Errorf("%s: exit code %d, %q; want 80, %q", arguments, code, s.stderr.String(), message)
		}
		if _, err := os.Stat(filepath.Join(folder, "new")); err == nil {
			t.Errorf("%s: began the folder", arguments)
		}
	}
}
