package endtoend

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mostPassed is how many lines of ours a Gaussian sum over pipes may pass through.
const mostPassed = 2500

// TestGaussianPath lists, for an auditor, each file and the number of its lines that privatize passes through when it releases
// Gaussian sums over pipes: from start to end, with a first charge, a charge after it, and a replay. It builds privatize with
// -tags pipes, and with the coverage counters of the compiler: what they count was run, whatever the imports say. Lines that only
// refuse something are not passed through. Beside each file stand the proofs and tests of its folder. `just path` prints the list.
func TestGaussianPath(t *testing.T) {
	folder := t.TempDir()
	goTool(t, "build", "-cover", "-coverpkg=./...", "-tags", "pipes", "-o", filepath.Join(folder, "privatize"), "./privatize")
	comments(t, folder)
	run(t, folder, `
		head -n 500 comments.jsonl | tokenize text -q -o docs.pp
		account ledger new run.ledger
		account plan -q --epsilon 1 --delta 1e-6 --poisson 0.5 --rounds 2 --ledger run.ledger --model words --matrix words=1xV -o grant.json
		head -c 32 /dev/urandom >coins; chmod 600 coins
		sample -q --poisson 0.5 --rounds 2 --secret coins docs.pp | estep words >contributions.pp
		mkdir counted; export GOCOVERDIR=$PWD/counted
		for start in first replay; do ./privatize -q --grant grant.json --ledger run.ledger <contributions.pp >$start.pp; done
		cmp first.pp replay.pp`)
	goTool(t, "tool", "covdata", "textfmt", "-i="+filepath.Join(folder, "counted"), "-o", filepath.Join(folder, "profile"))

	passed := make(map[string]map[int]bool) // by file
	counted := regexp.MustCompile(`(?m)^privpipe/(\S+):(\d+)\.\d+,(\d+)\.\d+ \d+ [1-9]\d*$`)
	for _, block := range counted.FindAllStringSubmatch(string(readFile(t, filepath.Join(folder, "profile"))), -1) {
		if strings.HasSuffix(block[1], ".pb.go") {
			continue // generated of wire.proto
		}
		from, _ := strconv.Atoi(block[2])
		to, _ := strconv.Atoi(block[3])
		if passed[block[1]] == nil {
			passed[block[1]] = make(map[int]bool)
		}
		for line := from; line <= to; line++ {
			passed[block[1]][line] = true
		}
	}
	var list strings.Builder
	total := 0
	for _, file := range slices.Sorted(maps.Keys(passed)) {
		total += len(passed[file])
		fmt.Fprintf(&list, "%5d of %4d  %s%s\n", len(passed[file]), strings.Count(string(readFile(t, filepath.Join(root, file))), "\n"),
			file, beside(file))
	}
	t.Logf("lines that a Gaussian sum over pipes passes through:\n%s%5d          in all\n", list.String(), total)
	if total > mostPassed || total < mostPassed/2 {
		t.Errorf("%d lines are passed through, may be %d", total, mostPassed)
	}
	for _, must := range []string{"gaussian.go", "clip.go", "store.go", "vector.go", "allow.go"} {
		if !strings.Contains(list.String(), "/"+must) {
			t.Errorf("the list lacks %s, so it is not of this path", must)
		}
	}
}

// beside names the proofs and the number of tests in the folder of a file.
func beside(file string) string {
	folder := filepath.Join(root, path.Dir(file))
	text := ""
	if _, err := os.Stat(filepath.Join(folder, "claim.md")); err == nil {
		text = "  proof: claim.md"
	}
	if tests, _ := filepath.Glob(filepath.Join(folder, "*_test.go")); len(tests) > 0 {
		text += fmt.Sprintf("  tests: %d files", len(tests))
	}
	return text
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
