package endtoend

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/seeded"
)

// TestAttackTopics attacks tokens with the streams that tee kept during a run. With bounded draws of tokens, no
// attacker learns more than the bound says: after T rounds a word's probability is at most e^(T·E)/V. With unbounded
// draws, the attacker learns more.
func TestAttackTopics(t *testing.T) {
	testkit.Deep(t, "audits")
	const chain = `
		mkdir $out; account ledger new -q $out/ledger; mkfifo $out/params
		sample --all -T 20 --run $out docs.pp |
			estep gibbs --keep --secret key --statistic counts --top-topics 0 --word-weight count --norm 0 $draws --params $out/params |
			(umask 077; tee $out/z.pp) | privatize none --run $out --ledger $out/ledger |
			mstep counts -q --statistic counts --topics 8 --alpha 1 --eta 0.1 --denoise floor --run $out \
				--params-out >(tee -p $out/params.pp >$out/params) -o $out/model.pp`
	folder := seeded.Folder(t, seeded.Chance{Seed: 1, Margin: "a third of the bound; 25 times the least without one",
		Rate: 1e-6})
	comments(t, folder)
	run(t, folder, "tokenize text -q -o docs.pp comments.jsonl; (umask 077; head -c 32 /dev/urandom >key)")
	run(t, folder, "out=open draws="+chain)
	run(t, folder, "out=bound draws='--draws 0.02'"+chain)
	attack := func(out string) (exact, words float64) {
		var result struct {
			Tokens int
			Chance float64
			Rounds []struct {
				Round    int
				Equation struct{ Probability float64 } `json:"equation_24"`
				Exact    struct{ Probability float64 }
			}
		}
		text := run(t, folder, "evaluate attack topics -q --assignments "+out+"/z.pp --params "+out+
			"/params.pp --tokens 100 --rounds 10 --json")
		if err := json.Unmarshal([]byte(text), &result); err != nil {
			t.Fatal(err)
		}
		if result.Tokens != 100 || len(result.Rounds) != 2 || result.Rounds[1].Round != 20 ||
			!(result.Rounds[1].Equation.Probability > 0) {
			t.Errorf("%s: %s", out, text)
		}
		return result.Rounds[1].Exact.Probability, 1 / result.Chance
	}
	exact, words := attack("bound")
	t.Logf("with a bound %v of at most %v", exact, math.Exp(20*0.02)/words)
	if most := math.Exp(20*0.02) / words; exact > most {
		t.Errorf("the probability of a word is %v, above %v", exact, most)
	}
	open, _ := attack("open")
	t.Logf("without %v, of at least %v", open, 100/words)
	if open < 100/words {
		t.Errorf("without a bound on draws the attack is right with probability %v of %v words", open, words)
	}
	other := bash(folder, "evaluate attack topics --assignments open/z.pp --params bound/params.pp")
	if err := other.Run(); other.ProcessState.ExitCode() != 90 ||
		!strings.Contains(other.stderr.String(), "of run open, parameters of run bound") {
		t.Errorf("parameters of another run: %v, %s", err, other.stderr.String())
	}
}
