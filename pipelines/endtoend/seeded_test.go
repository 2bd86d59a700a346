package endtoend

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/seeded"
)

// TestSeeds runs each test that states a seeded.Chance with 20 fresh seeds. What it rejects wrongly is in Refutes.
func TestSeeds(t *testing.T) {
	testkit.Deep(t, "seeds")
	seeded.Again(t)
}

// secrets makes all random draws that a training's numbers depend on, into the folder out. The draws are a key of the
// caller, coins of sample and of estep, and noise for sums, reports and weights. The compared texts have numbers only,
// without names.
func secrets(t *testing.T, folder, out string) map[string]string {
	t.Helper()
	run(t, folder, `
		[[ -e rows.pp ]] || {
			comments "$(go env GOROOT)/src/fmt" >docs.jsonl
			tokenize vocab -q --public --size 100 -o vocab.txt docs.jsonl
			tokenize text -q --vocab vocab.txt -o docs.pp docs.jsonl
			tokenize features --schema schema.json -o features.txt
			tokenize rows -q --schema schema.json -o rows.pp train.csv
		}
		mkdir -p `+out+`; cd `+out+`; rm -rf *
		for name in ledger flips.ledger paper.ledger; do account ledger new -q $name; done; mkfifo params
		head -c 32 /dev/urandom | od -A n -t x1 >key
		sample -q --poisson 0.5 -T 2 ../docs.pp | show --private | grep -o '"id":"[^"]*"' >coins
		sample -q --all ../docs.pp | estep gibbs --statistic counts --top-topics 0 --word-weight count --norm 0 --params params | tee drawn.pp |
			privatize none -q --ledger paper.ledger | mstep lda -q --topics 2 --vocab ../vocab.txt --params-out params -o model.pp
		show --private drawn.pp | grep -o '"values":.*' >sampled
		account plan -q --ledger ledger --noise-multiplier 2 --delta 1e-6 --all --vocab ../vocab.txt --model words --matrix words=1xV -o sum.json
		sample -q --all ../docs.pp | estep words | privatize -q --grant sum.json --ledger ledger | show | grep -o '"values":.*' >sum
		account plan-words -q --ledger flips.ledger --mechanism randomized-response --flip 0.3 --max-words 10 --vocab ../vocab.txt -o flips.json
		privatize randomized-response -q --grant flips.json --ledger flips.ledger ../docs.pp | show | grep -o '"words":.*' >flips
		sample -q --all --run erm ../rows.pp | estep erm --row-norm 1.7321 --epsilon 1 --regularisation 1e-3 --vocab ../features.txt |
			show --private | grep -o '"values":.*' >weights`)
	all := make(map[string]string)
	for _, file := range []string{"key", "coins", "sampled", "sum", "flips", "weights"} {
		all[file] = read(t, filepath.Join(folder, out, file))
		if len(all[file]) < 32 {
			t.Fatalf("%s holds %q", file, all[file])
		}
	}
	return all
}

// TestSeededBuild: the same seed gives the same coins and noise, in another folder, and with another number of
// processors. Another seed gives others. The shipped stages give others each time, even with the variables of the
// seeded build: two equal keys have probability 2^-256.
func TestSeededBuild(t *testing.T) {
	one, two, other, shipped := seeded.From(t, 1), seeded.From(t, 1), seeded.From(t, 2), t.TempDir()
	for _, folder := range []string{one, two, other, shipped} {
		clinic(t, folder)
	}
	first := secrets(t, one, "out")
	t.Setenv("GOMAXPROCS", "3")
	second, third := secrets(t, two, "out"), secrets(t, other, "out")
	t.Setenv("PRIVPIPE_SEED", "1")
	t.Setenv("PRIVPIPE_DRAWS", "1 "+shipped)
	before, after := secrets(t, shipped, "out"), secrets(t, shipped, "out")
	for file := range first {
		if first[file] != second[file] {
			t.Errorf("%s differs with the same seed", file)
		}
		if first[file] == third[file] {
			t.Errorf("%s is the same with another seed", file)
		}
		if before[file] == after[file] || before[file] == first[file] {
			t.Errorf("%s of the shipped stages does not differ", file)
		}
	}
}

// TestSeededBuildIsMarked: a seeded build says what it is, in ledgers, releases and on stderr. It draws nothing without
// a seed, and refuses a ledger that it did not begin. No shipped program has its source.
func TestSeededBuildIsMarked(t *testing.T) {
	t.Parallel()
	folder := seeded.From(t, 1)
	clinic(t, folder)
	secrets(t, folder, "out")
	run(t, folder, `
		head -n 1 out/ledger | grep -q '"ledger":{"id":"5eeded5eeded5eed[0-9a-f]\{16\}"'
		account report --delta 1e-6 out/ledger | grep -q protects-nobody-
		cd out
		for name in mine late; do
			account ledger new -q $name.ledger
			account plan -q --ledger $name.ledger --noise-multiplier 2 --delta 1e-6 --all --id $name --vocab ../vocab.txt --model words --matrix words=1xV -o $name.json
		done
		sample -q --all ../docs.pp | estep words -o contributions.pp
		privatize --grant mine.json --ledger mine.ledger -o release.pp contributions.pp 2>said
		grep -q '^privatize: a seeded build: .* which protect nobody$' said
		show release.pp | grep -q '"release":.*"grant":"protects-nobody-mine"'`)
	plain := filepath.Join(os.Getenv("PRIVPIPE_BIN"), "account")
	run(t, folder, plain+` ledger new -q real.ledger; cp real.ledger before.ledger
		`+plain+` plan -q --ledger real.ledger --noise-multiplier 2 --delta 1e-6 --all --vocab vocab.txt --model words --matrix words=1xV -o real.json`)
	for command, want := range map[string]struct {
		code    int
		message string
	}{
		"privatize --grant real.json --ledger real.ledger -o released.pp out/contributions.pp": {83,
			"refused: real.ledger: a seeded build, which protects nobody, did not begin this ledger"},
		"account report real.ledger": {83, "did not begin this ledger"},
		"unset PRIVPIPE_DRAWS; sample --poisson 0.5 -T 2 -o rounds.pp docs.pp": {80,
			"needs PRIVPIPE_DRAWS"},
		"unset PRIVPIPE_DRAWS; cd out; privatize --grant late.json --ledger late.ledger contributions.pp": {80,
			"needs PRIVPIPE_DRAWS"},
	} {
		s := bash(folder, command)
		if s.Run(); s.ProcessState.ExitCode() != want.code || !strings.Contains(s.stderr.String(), want.message) {
			t.Errorf("%s: exit code %d, %s; want %d, %s", command, s.ProcessState.ExitCode(), s.stderr.String(),
				want.code, want.message)
		}
	}
	run(t, folder, "cmp real.ledger before.ledger; [[ ! -e released.pp ]]")
	for _, e := range seeded.Env(folder) {
		if bin, is := strings.CutPrefix(e, "PRIVPIPE_BIN="); is && bin != os.Getenv("PRIVPIPE_BIN") {
			for _, program := range []string{"account", "estep", "privatize", "sample"} {
				if !bytes.Contains(readFile(t, filepath.Join(bin, program)), []byte(seeded.Marker)) {
					t.Errorf("the seeded %s does not have %q", program, seeded.Marker)
				}
			}
		}
	}
	programs, err := os.ReadDir(os.Getenv("PRIVPIPE_BIN"))
	if err != nil || len(programs) < 8 {
		t.Fatalf("%d programs, %v", len(programs), err)
	}
	for _, p := range programs {
		if !p.IsDir() && bytes.Contains(readFile(t, filepath.Join(os.Getenv("PRIVPIPE_BIN"), p.Name())),
			[]byte(seeded.Marker)) {
			t.Errorf("the shipped %s has %q", p.Name(), seeded.Marker)
		}
	}
}
