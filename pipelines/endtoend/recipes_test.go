package endtoend

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLDA runs the recipe on real text, and the same command once more, which does nothing again.
func TestLDA(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	command := filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --epsilon 2 --topics 5 --rounds 10 --held comments.jsonl comments.jsonl out"
	first := run(t, folder, command)
	for _, want := range []string{`(?m)^pld +(2|1\.99\d*) +1e-06 .*document +11$`, `topic +share`, `variational bound +[\d.]+ +[\d.]+`} {
		if !regexp.MustCompile(want).MatchString(first) {
			t.Errorf("no %s in\n%s", want, first)
		}
	}
	for _, name := range []string{"model.pp", "run.ledger", "grant.json", "topics.txt", "report.txt", "perplexity.txt"} {
		if info, err := os.Stat(filepath.Join(folder, "out", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if again := run(t, folder, command); again != first {
		t.Errorf("the second time it printed\n%s\nand the first\n%s", again, first)
	}
	other := bash(folder, strings.Replace(command, "--epsilon 2", "--epsilon 3", 1))
	if err := other.Run(); other.ProcessState.ExitCode() != 80 || !strings.Contains(other.stderr.String(), "other settings") {
		t.Errorf("other settings in the same folder: %v, %s", err, other.stderr.String())
	}
}

// TestOneLedger trains twice on one ledger: the second run gets only what the first left of ε.
func TestOneLedger(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") + " --topics 3 --rounds 3 --ledger all.ledger comments.jsonl"
	run(t, folder, "account ledger new all.ledger")
	run(t, folder, recipe+" --epsilon 1 one")
	if report := run(t, folder, recipe+" --epsilon 2 two"); !regexp.MustCompile(`(?m)^pld +(2|1\.99\d*) +1e-06 .* 8$`).MatchString(report) {
		t.Errorf("want ε = 2 over 8 releases:\n%s", report)
	}
}

// TestNights runs the recipe night after night on one ledger, each time in a new folder and for the same ε. The first night
// spends it. Each later one finds that nothing is left before it charges anything, and the ledger stays as it was.
func TestNights(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, "account ledger new all.ledger")
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") + " --topics 3 --rounds 3 --epsilon 1 --ledger all.ledger comments.jsonl night"
	run(t, folder, recipe+"1")
	spent := read(t, filepath.Join(folder, "all.ledger"))
	for night := 2; night <= 6; night++ {
		s := bash(folder, fmt.Sprint(recipe, night))
		s.Run()
		if code := s.ProcessState.ExitCode(); code != 83 || !strings.Contains(s.stderr.String(), "no noise keeps it within 1") {
			t.Errorf("night %d: exit code %d, %s; want 83", night, code, s.stderr.String())
		}
	}
	if read(t, filepath.Join(folder, "all.ledger")) != spent {
		t.Error("a later night changed the ledger")
	}
	run(t, folder, "account verify all.ledger; account report all.ledger")
}

// TestOtherFolder is a cron job that is started in another folder: there is no ledger there, so it stops, and begins none. Nor
// does a ledger that somebody begins there take the grant.
func TestOtherFolder(t *testing.T) {
	folder := corpus(t)
	run(t, folder, `
account ledger new run.ledger
account plan --epsilon 1 --delta 1e-6 --poisson 0.5 --rounds 2 --ledger run.ledger --model lda --matrix topics=3xV --vocab vocab.txt -o budget.json
privatize --grant budget.json --ledger run.ledger -o once.pp contributions.pp
mkdir elsewhere`)
	for _, test := range []struct {
		first string
		code  int
	}{{"true", 82}, {"account ledger new run.ledger", 83}} {
		s := bash(filepath.Join(folder, "elsewhere"), test.first+
			"; privatize --grant ../budget.json --ledger run.ledger -o again.pp ../contributions.pp")
		s.Run()
		if code := s.ProcessState.ExitCode(); code != test.code {
			t.Errorf("after %s: exit code %d, %s; want %d", test.first, code, s.stderr.String(), test.code)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "elsewhere/*.pp")); left != nil {
		t.Errorf("left %v", left)
	}
}

// TestOtherModel sends contributions of one model to the M-step of another. The grant is for the M-step's, so nothing is
// charged for what nobody could learn from.
func TestOtherModel(t *testing.T) {
	folder := corpus(t)
	s := bash(folder, `
account ledger new run.ledger
account plan --epsilon 1 --delta 1e-6 --all --rounds 2 --ledger run.ledger --model lda --matrix topics=3xV --vocab vocab.txt -o budget.json
sample --all --rounds 2 docs.pp | estep words | privatize --grant budget.json --ledger run.ledger -o out.pp`)
	s.Run()
	if code := s.ProcessState.ExitCode(); code != 83 || !strings.Contains(s.stderr.String(), `for model "lda"`) {
		t.Errorf("exit code %d, %s; want 83", code, s.stderr.String())
	}
	if ledger := read(t, filepath.Join(folder, "run.ledger")); strings.Contains(ledger, `"charge"`) {
		t.Errorf("it was charged: %s", ledger)
	}
}

// TestOnlineLDA runs the recipe without privacy: the ledger says so for ever.
func TestOnlineLDA(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, filepath.Join(root, "pipelines/recipes/online-lda.sh")+" --topics 5 --batch 256 --rounds 5 comments.jsonl out")
	if report := run(t, folder, "account report --delta 1e-6 out/run.ledger"); !regexp.MustCompile(`(?m)^pld +(∞|inf|Inf|\+Inf)`).MatchString(report) {
		t.Errorf("a run without noise reports\n%s", report)
	}
}

// TestVIPS runs the system of the paper as published. What is reported is sound for it, not what the paper claims.
func TestVIPS(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	report := run(t, folder, filepath.Join(root, "pipelines/recipes/papers/vips-lda.sh")+
		" --topics 5 --batch 1000 --rounds 3 --delta 1e-4 comments.jsonl out")
	// Two clipped contributions are up to √2 times the paper's sensitivity apart: 1.24/√2 = 0.87681….
	for _, want := range []string{`replace-one +document +3\n`, `3 +gaussian +0\.8768\d+ \(claimed 1\.24\) +fixed\(1000/\d+\) × 3 +yes\n`} {
		if !regexp.MustCompile(want).MatchString(report) {
			t.Errorf("no %s in\n%s", want, report)
		}
	}
}

// TestRecipeUsage gives each recipe wrong arguments.
func TestRecipeUsage(t *testing.T) {
	for _, recipe := range []string{"lda.sh", "online-lda.sh", "papers/vips-lda.sh", "wall/wall.sh"} {
		path := filepath.Join(root, "pipelines/recipes", recipe)
		for arguments, message := range map[string]string{
			"": "wants TEXT and OUT", "a b c": "wants TEXT and OUT", "--no-such-flag 1 a b": "unknown flag --no-such-flag",
			"nowhere out": "no such text: nowhere", "a b --topics": "--topics needs a value",
		} {
			s := bash(t.TempDir(), path+" "+arguments)
			s.Run()
			if code := s.ProcessState.ExitCode(); code != 80 || !strings.Contains(s.stderr.String(), message) {
				t.Errorf("%s %s: exit code %d, %q; want 80, %q", recipe, arguments, code, s.stderr.String(), message)
			}
		}
		if help := run(t, t.TempDir(), path+" --help"); !strings.Contains(help, "TEXT OUT") {
			t.Errorf("%s --help: %s", recipe, help)
		}
	}
}

// TestTextOfAllKinds gives the recipe's first step each kind of text.
func TestTextOfAllKinds(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "docs.jsonl", `{"id":"a.txt","text":"alpha beta beta"}`+"\n")
	write(t, folder, "vocab.txt", "alpha\nbeta\n")
	write(t, folder, "docword.x.txt", "1\n2\n2\n1 1 1\n1 2 2\n")
	if err := os.Mkdir(filepath.Join(folder, "texts"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "texts/a.txt", "Alpha beta, beta!\n")
	for _, text := range []string{"docs.jsonl", "docs.jsonl.gz", "docword.x.txt", "texts", "docs.pp"} {
		shown := run(t, folder, fmt.Sprintf(`
gzip -kf docs.jsonl
tokenize text --vocab vocab.txt -o docs.pp docs.jsonl
source %q
documents vocab.txt %s out.pp
show --private out.pp`, filepath.Join(root, "pipelines/recipes/stages.sh"), text))
		if !strings.Contains(shown, `"words":{"0":1,"1":2}`) {
			t.Errorf("%s: %s", text, shown)
		}
	}
}
