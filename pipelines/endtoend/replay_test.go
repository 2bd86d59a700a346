package endtoend

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit/seeded"
)

// replayed makes a folder with words and documents, some of them equal, empty or of one user, and returns the folder of
// the programs of the seeded build.
func replayed(t *testing.T, folder string) (bin string) {
	t.Helper()
	random := rand.New(rand.NewPCG(21, 22))
	var lines strings.Builder
	for i := range 30 {
		text := ""
		for range []int{0, 4, 9, 30}[i%4] {
			text += " " + bagWords[random.IntN(12)]
		}
		if i == 17 {
			text = "waa wab"
		}
		fmt.Fprintf(&lines, "{%q:%q,%q:%q,%q:%q}\n", "text", text, "user", fmt.Sprint("u", max(0, i-9)), "label",
			fmt.Sprint(i%2))
	}
	fmt.Fprintf(&lines, "{%q:%q}\n{%[1]q:%[2]q}\n", "text", "waa wab wab")
	write(t, folder, "vocab.txt", strings.Join(bagWords[:12], "\n")+"\n")
	write(t, folder, "docs.jsonl", lines.String())
	run(t, folder, "tokenize text -q --vocab vocab.txt -o docs.pp docs.jsonl")
	for _, e := range seeded.Env(folder) {
		if value, is := strings.CutPrefix(e, "PRIVPIPE_BIN="); is {
			bin = value
		}
	}
	return bin
}

// replay writes a pipeline to a folder, and replays it on docs.pp. It returns the exit code and what was printed.
func replay(t *testing.T, folder, bin, flags, pipeline string) (code int, printed string) {
	t.Helper()
	name := fmt.Sprintf("%x.sh", rand.Uint64())
	write(t, folder, name, "set -euo pipefail\n"+pipeline)
	s := bash(folder, fmt.Sprintf(`evaluate replay --bin %s --folder . %s -- bash "$PWD/%s"`, bin, flags, name))
	s.Run()
	return s.ProcessState.ExitCode(), s.stdout.String() + s.stderr.String()
}

// topicsTwice is a pipeline of two rounds of topics. The noise hides little, so that a wrong sum shows in the model.
const topicsTwice = `account ledger new run.ledger
account plan --noise-multiplier 2 --delta 1e-6 --poisson 0.8 --rounds 2 --ledger run.ledger --model lda:2 \
	--vocab "$OLDPWD/vocab.txt" -o grant.json
mkfifo params
sample --poisson 0.8 --rounds 2 --secret coins documents.pp | estep lda --params params |
	privatize --grant grant.json --ledger run.ledger |
	mstep lda --topics 2 --vocab "$OLDPWD/vocab.txt" --params-out params -o model.pp
evaluate topics --top 3 model.pp
`

// TestReplay: a sound pipeline of the seeded build passes, and pipelines that tell something of their documents do not.
// No noise of the test is from a shipped program, whose folder is refused.
func TestReplay(t *testing.T) {
	t.Parallel()
	folder := seeded.From(t, 1)
	bin := replayed(t, folder)
	code, printed := replay(t, folder, bin, "docs.pp", topicsTwice)
	if code != 0 || !strings.Contains(printed, "Neighbours differ by add-remove of a document.") ||
		strings.Count(printed, "within the claim") != 9 || !strings.Contains(printed, "1.000  within the claim") {
		t.Errorf("exit code %d: %s", code, printed)
	}
	for name, c := range map[string]struct{ script, found string }{
		"a count on standard error": {"show --private documents.pp | wc -l >&2\n", "messages: 1 lines more"},
		"a count in a file":         {"show --private documents.pp | wc -l >count\n", "files: count has other bytes"},
		"a test of the number of documents": {"show --private documents.pp | wc -l | grep -qx 34 || exit 7\n",
			"exit code: 7, not 0"},
		"coins by the number of documents": {
			"(umask 077; printf %032d \"$(show --private documents.pp | wc -l)\" >coins)\n", "sums: "},
	} {
		t.Run(name, func(t *testing.T) {
			code, printed := replay(t, folder, bin, "--case 'without the first' --case 'with a loud one' docs.pp",
				c.script+topicsTwice)
			if code != 83 || !strings.Contains(printed, c.found) {
				t.Errorf("exit code %d, must be 83 and say %s: %s", code, c.found, printed)
			}
		})
	}
	shipped := os.Getenv("PRIVPIPE_BIN")
	code, printed = replay(t, folder, shipped, "docs.pp", topicsTwice)
	if code != 80 || !strings.Contains(printed, filepath.Join(shipped, "account")+" is not of a seeded build") {
		t.Errorf("shipped programs: exit code %d, %s", code, printed)
	}
	// A seeded build whose privatize is passed by protects nothing either.
	code, printed = replay(t, folder, bin, "docs.pp", `account() { `+shipped+`/account "$@"; }
privatize() { `+shipped+`/privatize "$@"; }
`+topicsTwice)
	if code != 80 || !strings.Contains(printed, "no privatize of --bin made") {
		t.Errorf("a shipped privatize beside the seeded build: exit code %d, %s", code, printed)
	}
}
