package endtoend

import (
	"os/exec"
	"regexp"
	"testing"

	"privpipe/pipelines/testkit"
)

// onScreen starts a script on a terminal.
func onScreen(t *testing.T, folder, script string) *testkit.Terminal {
	t.Helper()
	command := exec.Command("bash", "-c", "set -euo pipefail\n"+script)
	command.Dir = folder
	return testkit.Start(t, command, 200)
}

// The lines of the stages.
const (
	bar     = ` \[=*>? *\] +\d+ %  `
	counted = `\d+ documents(, [\d.]+ (documents/s|s a document))?`
	eta     = `(, ETA \d+s)?`
	rounds  = `(, [\d.]+ (rounds/s|s a round))?`
)

// TestProgress runs stages on a terminal, alone and in pipelines. In each case one kind of line is shown and nothing
// else, and in the end nothing of it is left.
func TestProgress(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, `
cp `+vocabulary+` vocab.txt
for i in {1..120}; do cat comments.jsonl; done >large.jsonl
tokenize text --vocab vocab.txt -o docs.pp comments.jsonl
for i in {1..40}; do cat docs.pp; done >many.pp
account ledger new model.ledger
sample --all docs.pp | estep words | privatize none --run w --ledger model.ledger | mstep words --vocab vocab.txt -o words.pp
mkfifo params
sample --fixed 400 --rounds 2 docs.pp | estep lda --params params | privatize none --run m --ledger model.ledger |
  mstep lda --topics 20 --vocab vocab.txt --params-out params -o model.pp
rm params`)
	slow := func(file, pause string) string { // its lines, one by one
		return `head -n 120 ` + file + ` | while IFS= read -r text; do printf '%s\n' "$text"; sleep ` + pause + `; done`
	}
	const train = `account ledger new ledger
mkfifo params
sample --poisson 0.9 --rounds 25 docs.pp | estep lda --params params | privatize none --run r --ledger ledger |
  mstep lda --topics 20 --vocab vocab.txt --params-out params -o trained.pp`
	for _, c := range []struct{ name, script, line, says string }{
		{"tokenize a file", `tokenize text --workers 1 --vocab vocab.txt -o out.pp large.jsonl`,
			`tokenize` + bar + `[\d.]+ .?B of [\d.]+ .B` + eta + `(, ` + counted + `)?`, ""},
		{"tokenize a redirected file", `tokenize text --workers 1 --vocab vocab.txt -o out.pp <large.jsonl`,
			`tokenize` + bar + `[\d.]+ .?B of [\d.]+ .B` + eta + `(, ` + counted + `)?`, ""},
		{"a vocabulary", `tokenize vocab --public --workers 1 -o out.txt large.jsonl`,
			`tokenize` + bar + `[\d.]+ .?B of [\d.]+ .B` + eta + `(, ` + counted + `)?`, ""},
		{"terms", `tokenize terms -o out.pp large.jsonl`,
			`tokenize` + bar + `[\d.]+ .?B of [\d.]+ .B` + eta + `(, ` + counted + `)?`, ""},
		{"tokenize a pipe", slow("comments.jsonl", "0.01") + ` | tokenize text --vocab vocab.txt -o out.pp`,
			`tokenize: [\d.]+ .?B(, ` + counted + `)?`, ""},
		{"sample", `sample --poisson 0.5 --rounds 800 -o out.pp docs.pp`,
			`sample` + bar + `round \d+ of 800` + eta + rounds + `(, ` + counted + `)?`, ""},
		{"score to a file", `estep lda --score --model model.pp -o out.pp many.pp`, `estep: ` + counted, ""},
		{"infer to a file", `estep lda --infer --model model.pp -o out.jsonl many.pp`, `estep: ` + counted, ""},
		{"score to the next stage", `estep lda --score --model model.pp many.pp | evaluate perplexity -o out.txt`,
			`evaluate: ` + counted,
			"evaluate: warning: the held-out documents are private: no budget covers a perplexity computed from " +
				"them\n"},
		{"a training", train, `mstep(: waiting for the next release|` + bar + `round \d+ of 25` + eta + rounds + `)`,
			"privatize: warning: no privacy: releases are exact sums, and the ledger's epsilon is infinite from now " +
				"on\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := onScreen(t, folder, c.script)
			if code := x.Wait(); code != 0 || x.Screen() != c.says {
				t.Errorf("exit code %d; left on the screen:\n%s", code, x.Screen())
			}
			line := regexp.MustCompile("^" + c.line + "$")
			shown := x.Shown()
			lines := 0
			for _, text := range shown {
				if line.MatchString(text) {
					lines++
				} else if text+"\n" != c.says {
					t.Errorf("shown: %q", text)
				}
			}
			if lines == 0 {
				t.Error("no line is shown")
			} else {
				t.Logf("%d, the last: %s", len(shown), shown[len(shown)-1])
			}
		})
	}
}
