package endtoend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// yesterday returns a folder with the files of testdata/version1, which the programs before wire version 2 wrote.
func yesterday(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(root, "pipelines/endtoend/testdata/version1"))); err != nil {
		t.Fatal(err)
	}
	return folder
}

// same is a shell function that compares two streams in all but their headers. The first stream may be of version 1.
// near compares two outputs of body, with numbers to 6 digits. Empirical Bayes is rounded otherwise by now, and on each
// kind of machine.
const same = `body() { show --private "$1" | tail -n +2; }
same() { cmp <(body "$1") <(body "$2"); }
near() {
  paste <(tr ',[]' '\n' <"$1") <(tr ',[]' '\n' <"$2") |
    awk -F '\t' '$1 != $2 && !($1 + 0 > 0 && ($1 - $2)^2 <= 1e-12 * $1^2) { bad = 1 } END { exit bad }'
}
`

// TestVersion1: files that the programs before wire version 2 wrote are read by each stage, alone and beside new ones:
// streams, models, checkpoints, grants, ledgers and stored releases.
func TestVersion1(t *testing.T) {
	for name, script := range map[string]string{
		// What was made of the old documents is what is made of them now, by the rule of words that there was.
		"the same streams": `
			show docs.pp | grep -q '"version":1'
			tokenize text --rule 1 --vocab vocab.txt -o new-docs.pp docs.jsonl
			same docs.pp new-docs.pp
			sample --all -T 3 --run night -o new-rounds.pp docs.pp
			same rounds.pp new-rounds.pp
			estep words -o new-contributions.pp rounds.pp
			show new-contributions.pp | grep -q '"version":2'
			same contributions.pp new-contributions.pp
			[[ $(show contributions.pp | grep -o '"settings":"[^"]*"') == $(show new-contributions.pp | grep -o '"settings":"[^"]*"') ]]
			estep words --score --model words.pp -o new-scores.pp docs.pp
			cmp <(body scores.pp) <(body new-scores.pp | sed 's/"round":[0-9]*,//') # of no round, before version 2
			cmp <(evaluate perplexity scores.pp) <(evaluate perplexity new-scores.pp)
			evaluate topics lda.pp >/dev/null`,
		// The stored releases answer, byte for byte, and nothing is charged again.
		"replays": `
			cp run.ledger before.ledger
			privatize --grant grant.json --ledger run.ledger --run night -o again.pp contributions.pp
			same releases.pp again.pp
			estep words rounds.pp | privatize --grant grant.json --ledger run.ledger --run night -o again.pp
			same releases.pp again.pp
			privatize combine --grant grant.json -o new-sums.pp contributions.pp
			same sums.pp new-sums.pp
			privatize --grant grant.json --ledger run.ledger --run night -o again.pp sums.pp
			same releases.pp again.pp
			cmp run.ledger before.ledger
			account verify --releases releases.pp run.ledger
			account verify --releases again.pp run.ledger`,
		// An old grant that was not used yet is used now: the old ledger goes on, by the same chain of hashes.
		"goes on": `
			cp run.ledger before.ledger
			last=$(tail -n 1 run.ledger | grep -o '[0-9a-f]\{64\}"}$' | tr -d '"}')
			sample --all -T 1 --run next docs.pp | estep words | privatize --grant next.json --ledger run.ledger --run next -o next.pp
			head -c $(stat -c %s before.ledger) run.ledger | cmp - before.ledger
			tail -n +$(($(wc -l <before.ledger) + 1)) run.ledger | head -n 1 | grep -q '^{"version":2,.*"previous":"'$last'"'
			account verify run.ledger
			account report --delta 1e-6 run.ledger | grep -q '^next '
			account odometer --delta 1e-6 run.ledger >/dev/null
			! privatize --grant next.json --ledger run.ledger --run other -o no.pp contributions.pp`,
		// Models: from old releases, and from an old checkpoint on.
		"models": `
			mstep words --vocab vocab.txt -o new-words.pp --checkpoint none releases.pp
			# Models had no sums and deviations then.
			near <(body words.pp) <(body new-words.pp | grep -v '"sums"\|"deviations"' |
				sed 's/"records":5/"records":3/')
			mstep lda --topics 2 --vocab vocab.txt --params-out new-params.pp -o new-lda.pp --checkpoint none lda-releases.pp
			# Parameters are the same. Averages weigh rounds otherwise by now, so models have the same shape.
			shape() { body "$1" | sed -E 's/[0-9][0-9.e-]*/0/g'; }
			cmp <(shape lda.pp) <(shape new-lda.pp)
			near <(body all-params.pp) <(body new-params.pp | sed 's/,"eta":0.5//') # which parameters did not have then
			mstep lda --topics 2 --vocab vocab.txt --params-out rest-params.pp -o resumed.pp --checkpoint lda.checkpoint lda-releases.pp
			cmp <(shape lda.pp) <(shape resumed.pp)
			[[ $(body new-params.pp) == *"$(body rest-params.pp | grep -v '"end"')"* ]] # from round 2 on
			estep lda --score --model lda.pp docs.pp | evaluate perplexity - >/dev/null
			privatize --grant lda.json --ledger lda.ledger --run lda -o again.pp lda-contributions.pp
			same lda-releases.pp again.pp`,
		// One round from streams of both versions.
		"mixed": `
			echo '{"id":"new-x","text":"loan bank"}' | tokenize text --rule 1 --vocab vocab.txt -o new-docs.pp
			sample --all -T 3 --run night docs.pp new-docs.pp | estep words -o all.pp
			sample --all -T 3 --run night new-docs.pp | estep words -o new.pp
			account ledger new mixed.ledger
			privatize none -q --ledger mixed.ledger --run night --dataset a -o together.pp all.pp
			account ledger new apart.ledger
			privatize none -q --ledger apart.ledger --run night --dataset a -o apart.pp contributions.pp new.pp
			same together.pp apart.pp`,
	} {
		t.Run(name, func(t *testing.T) { run(t, yesterday(t), same+strings.TrimSpace(script)) })
	}
}
