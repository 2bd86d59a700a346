package endtoend

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestGibbsRecipe runs gibbs.sh on real text: estep gibbs samples its topics. The same command once more does nothing
// again. lda.sh in the same folder is another setting.
func TestGibbsRecipe(t *testing.T) {
	testkit.Deep(t, "papers")
	folder := t.TempDir()
	comments(t, folder)
	recipes, flags := filepath.Join(root, "pipelines/recipes"), " --epsilon 2 --topics 5 --rounds 10 comments.jsonl out"
	// The estep of this folder of stages notes its models.
	run(t, folder, `mkdir bin; ln -s "$PRIVPIPE_BIN"/* bin/; rm bin/estep
		printf '#!/bin/sh\necho "$1" >>"%s/esteps"; exec "%s/estep" "$@"\n' "$PWD" "$PRIVPIPE_BIN" >bin/estep; chmod +x bin/estep`)
	first := run(t, folder, `PRIVPIPE_BIN=$PWD/bin `+recipes+"/gibbs.sh"+flags)
	if esteps := string(readFile(t, filepath.Join(folder, "esteps"))); esteps != "size\nwords\ngibbs\n" {
		t.Errorf("it ran these models of estep: %q", esteps)
	}
	if want := `(?m)^pld +(2|1\.99\d*) +1e-06 .*document +12$`; !regexp.MustCompile(want).MatchString(first) {
		t.Errorf("no %s in\n%s", want, first)
	}
	if again := run(t, folder, recipes+"/gibbs.sh"+flags); again != first {
		t.Errorf("the second time it printed\n%s\nand the first\n%s", again, first)
	}
	other := bash(folder, recipes+"/lda.sh"+flags)
	if err := other.Run(); other.ProcessState.ExitCode() != 80 ||
		!strings.Contains(other.stderr.String(), "other settings") {
		t.Errorf("another E-step in the same folder: %v, %s", err, other.stderr.String())
	}
}

// TestGibbsChain runs the chain that keeps its topics from round to round, at unit word. Its draws are charged in every
// round, and its counts are whole. Under one key two runs throw the same coins. Draws that the grant does not state are
// refused.
func TestGibbsChain(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, `
		tokenize text -q -o docs.pp comments.jsonl
		plan() {
			account plan-paper --unit word --mechanism laplace --clipping proved --sensitivity 2 --clip 1 --noise-multiplier 4 \
				--all -T 4 --model lda --matrix topics=5xV "$@"
		}
		plan --draws 2 -o grant.json
		plan -o undrawn.json
		(umask 077; head -c 32 /dev/urandom >key)`)
	const chain = `
		mkdir $out; account ledger new -q $out/ledger; mkfifo $out/params
		sample --all -T 4 --run chain docs.pp |
			estep gibbs --keep --state $out/state.pp --secret key --statistic counts --top-topics 0 --word-weight count --norm 0 $draws --params $out/params |
			tee $out/contributions.pp | $privatize |
			mstep lda -q --topics 5 --kappa 0 --params-out $out/params -o $out/model.pp`
	const laplace = "privatize='eval privatize laplace --run chain --grant grant.json --ledger $out/ledger';"
	run(t, folder, "set -o pipefail; out=word draws='--draws 2'; "+laplace+chain)
	if charges := run(t, folder,
		`grep -c '"charge":{.*"unit":"word".*"draws":2' word/ledger`); strings.TrimSpace(charges) != "4" {
		t.Errorf("%s charges with draws, want 4", strings.TrimSpace(charges))
	}
	if report := run(t, folder, "account report --delta 1e-6 word/ledger"); !strings.Contains(report, "word") {
		t.Errorf("no unit in\n%s", report)
	}
	// Rounds whose draws are not those of the grant are refused, also where neither flag says anything of draws.
	for name, c := range map[string]struct{ grant, draws string }{
		"more": {"grant.json", "--draws 3"}, "unbounded": {"grant.json", ""}, "undrawn": {"undrawn.json", ""},
	} {
		wrong := bash(folder, "set -o pipefail; out="+name+" draws='"+c.draws+"'; "+
			strings.Replace(laplace, "grant.json", c.grant, 1)+chain)
		if err := wrong.Run(); err == nil ||
			!strings.Contains(wrong.stderr.String(), "another privacy loss of its draws") {
			t.Errorf("%s, draws that are not the grant's: %v, %s", name, err, wrong.stderr.String())
		}
	}
	// Without noise the chain is the same twice, and each round has all words.
	const none = "privatize='eval privatize none --run chain --ledger $out/ledger';"
	run(t, folder, "set -o pipefail; out=one draws=; "+none+chain)
	run(t, folder, "set -o pipefail; out=two draws=; "+none+chain+"; cmp one/contributions.pp two/contributions.pp")
	sums := run(t, folder, `
		sum() { tr -dc '0-9,\n' | tr ',' '\n' | awk '{n += $1} END {print n}'; }
		for r in 1 4; do show --private one/contributions.pp | grep '"contribution":{"round":'$r, | grep -o '"values":\[[^]]*\]' | sum; done
		show --private docs.pp | grep -o '"words":{[^}]*}' | sed 's/"[^"]*"://g' | sum`)
	if n := strings.Fields(sums); len(n) != 3 || n[0] != n[2] || n[1] != n[2] || n[0] == "0" {
		t.Errorf("the rounds count %s words", sums)
	}
}
