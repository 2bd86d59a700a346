package endtoend

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
)

// TestLDA runs the recipe on real text, and the same command once more, which does nothing again.
func TestLDA(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	comments(t, folder)
	command := filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --epsilon 2 --topics 5 --rounds 4 --held comments.jsonl comments.jsonl out"
	first := run(t, folder, command)
	for _, want := range []string{
		`(?m)^pld +(2|1\.99\d*) +1e-06 .*document +6$`, `topic +share`, `variational bound +[\d.]+ +[\d.]+`,
	} {
		if !regexp.MustCompile(want).MatchString(first) {
			t.Errorf("no %s in\n%s", want, first)
		}
	}
	for _, name := range []string{
		"public/model.pp", "private/run.ledger", "public/grant.json", "public/topics.txt", "public/report.txt",
		"private/perplexity.txt", "public/report.html",
	} {
		if info, err := os.Stat(filepath.Join(folder, "out", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The page has the name of the text, the very ε of account, and marks words by the releases beside the ledger.
	epsilon := strings.TrimSpace(run(t, folder, `sed -n 's/^  "epsilon": \(.*\),$/\1/p' out/public/report.json`))
	page := run(t, folder, "cat out/public/report.html")
	for _, want := range []string{"exactly as account states it: " + epsilon + "<",
		"Of the 60000 pairs of a word and a topic", "<polyline", "<h1>comments</h1>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if again := run(t, folder, command); again != first {
		t.Errorf("the second time it printed\n%s\nand the first\n%s", again, first)
	}
	other := bash(folder, strings.Replace(command, "--epsilon 2", "--epsilon 3", 1))
	if err := other.Run(); other.ProcessState.ExitCode() != 80 ||
		!strings.Contains(other.stderr.String(), "other settings") {
		t.Errorf("other settings in the same folder: %v, %s", err, other.stderr.String())
	}
}

// TestOneLedger trains twice on one ledger: the second run gets only what the first left of ε. Then the ledger and its
// stored releases are put back from before the second: no recipe goes on with them, neither in another folder nor in
// that of the second, which would report too little.
func TestOneLedger(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --public none --topics 3 --rounds 3 --ledger all.ledger comments.jsonl"
	run(t, folder, "account ledger new all.ledger")
	run(t, folder, recipe+" --epsilon 1 one; mkdir backup newest; cp -rp all.ledger* backup")
	if report := run(t, folder, recipe+" --epsilon 2 two"); !regexp.MustCompile(`(?m)^pld +(2|1\.99\d*) +1e-06 .* 10$`).
		MatchString(report) {
		t.Errorf("want ε = 2 over 10 releases:\n%s", report)
	}
	run(t, folder, "cp -rp all.ledger* newest; rm -r all.ledger*; cp -rp backup/. .; account verify all.ledger")
	before := read(t, filepath.Join(folder, "all.ledger"))
	for _, out := range []string{"three", "two", "one"} {
		s := bash(folder, recipe+" --epsilon "+map[string]string{"one": "1", "two": "2", "three": "2.5"}[out]+" "+out)
		s.Run()
		code, said := s.ProcessState.ExitCode(), s.stderr.String()
		if code != 90 || !strings.Contains(said, "all.ledger was changed, or put back from a backup") {
			t.Errorf("%s on an old ledger: exit code %d, %s; want 90", out, code, said)
		}
	}
	if read(t, filepath.Join(folder, "all.ledger")) != before {
		t.Error("a recipe changed an old ledger")
	}
	run(t, folder, "rm -r all.ledger*; cp -rp newest/. .; "+recipe+" --epsilon 2 two")
}

// TestRecipeOfDisjointDatasets trains on two data sets that share no document, each for the whole ε of their ledger: a
// document loses by only its own.
func TestRecipeOfDisjointDatasets(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --public none --epsilon 1 --topics 2 --rounds 3 --ledger all.ledger "
	run(t, folder, `account ledger new --epsilon 1 --delta 1e-6 --disjoint-datasets all.ledger
awk 'NR % 2' comments.jsonl >odd.jsonl; awk 'NR % 2 == 0' comments.jsonl >even.jsonl`)
	run(t, folder, recipe+"--dataset odd odd.jsonl odd")
	if report := run(t, folder, recipe+
		"--dataset even even.jsonl even"); !regexp.MustCompile(`(?m)^pld +(1|0\.99\d*) +1e-06 .* 10$`).
		MatchString(report) {
		t.Errorf("want ε = 1 over 10 releases:\n%s", report)
	}
	s := bash(folder, recipe+"--dataset odd odd.jsonl again")
	if s.Run(); s.ProcessState.ExitCode() != 83 {
		t.Errorf("a second run on one data set: exit code %d, %s; want 83", s.ProcessState.ExitCode(),
			s.stderr.String())
	}
}

// TestNights runs the recipe night after night on one ledger, each time in a new folder and for the same ε. The first
// night spends it. Each later one finds that nothing is left before it charges anything, and the ledger stays as it
// was.
func TestNights(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, "account ledger new all.ledger")
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --public none --topics 3 --rounds 3 --epsilon 1 --ledger all.ledger comments.jsonl night"
	run(t, folder, recipe+"1")
	spent := read(t, filepath.Join(folder, "all.ledger"))
	for night := 2; night <= 6; night++ {
		s := bash(folder, fmt.Sprint(recipe, night))
		s.Run()
		if code := s.ProcessState.ExitCode(); code != 83 ||
			!strings.Contains(s.stderr.String(), "nothing is left of ε 1: ") {
			t.Errorf("night %d: exit code %d, %s; want 83", night, code, s.stderr.String())
		}
	}
	if read(t, filepath.Join(folder, "all.ledger")) != spent {
		t.Error("a later night changed the ledger")
	}
	run(t, folder, "account verify all.ledger; account report all.ledger")
}

// TestStoppedRecipe stops the recipe by SIGTERM, again and again at random moments. Each time it ends soon, with the
// signal's exit code, and no stage goes on after it. In the end the same command trains the model, and nothing was
// charged twice. The moments are random; what must hold is not. Before its traps are set a recipe has started nothing,
// and the signal ends it at once.
func TestStoppedRecipe(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	comments(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") + " --topics 3 --rounds 60 comments.jsonl out"
	random := rand.New(rand.NewPCG(5, 6))
	stopped := 0
	for range 8 {
		s := bash(folder, "exec "+recipe)
		s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		s.WaitDelay = 20 * time.Second
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		untilTrapped(t, s.Process.Pid)
		time.Sleep(time.Duration(random.Float64() * float64(1200*time.Millisecond)))
		s.Process.Signal(syscall.SIGTERM)
		s.Wait()
		switch code := s.ProcessState.ExitCode(); code {
		case 143:
			stopped++
		case 0:
		default:
			t.Errorf("exit code %d, %s; want 143", code, s.stderr.String())
		}
		if left := bash(folder, fmt.Sprintf("pgrep -l -g %d", s.Process.Pid)); left.Run() == nil {
			t.Errorf("the recipe left %s", left.stdout.String())
			syscall.Kill(-s.Process.Pid, syscall.SIGKILL)
		}
	}
	run(t, folder, recipe+"; account verify out/private/run.ledger")
	t.Logf("%d of 8 were stopped", stopped)
	if charged := charges(t, filepath.Join(folder, "out/private/run.ledger")); len(charged) != 60 {
		t.Errorf("%d rounds are charged, want 60", len(charged))
	}
}

// untilTrapped waits until a process has set a trap for SIGTERM.
func untilTrapped(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, caught, _ := strings.Cut(string(status), "SigCgt:")
		var signals uint64
		fmt.Sscanf(caught, "%x", &signals)
		if signals&(1<<(syscall.SIGTERM-1)) != 0 {
			return
		}
	}
	t.Fatal("it traps no SIGTERM")
}

// TestStoppedBuild stops a recipe of a checkout while it builds the stages. The build ends with it.
func TestStoppedBuild(t *testing.T) {
	folder := t.TempDir()
	run(t, folder, `mkdir bin; printf '#!/bin/sh\necho >%q; exec sleep 3600\n' "$PWD/started" >bin/go; chmod +x bin/go`)
	s := bash(folder, "exec env -u PRIVPIPE_BIN PATH=$PWD/bin:$PATH "+filepath.Join(root, "pipelines/recipes/lda.sh")+
		" comments.jsonl out")
	s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.WaitDelay = 20 * time.Second
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(folder, "started")); err == nil {
			break
		}
	}
	s.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(runDeadline, func() { syscall.Kill(-s.Process.Pid, syscall.SIGKILL) })
	s.Wait()
	if code := s.ProcessState.ExitCode(); !late.Stop() || code != 143 {
		t.Errorf("exit code %d, %s; want 143, and not when the build is over", code, s.stderr.String())
	}
	if left := bash(folder, fmt.Sprintf("pgrep -l -g %d", s.Process.Pid)); left.Run() == nil {
		t.Errorf("the build goes on: %s", left.stdout.String())
		syscall.Kill(-s.Process.Pid, syscall.SIGKILL)
	}
}

// TestLostRace: of two runs that were planned on one ledger the second to charge it is refused. Run again, it is
// planned again.
func TestLostRace(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, "account ledger new all.ledger")
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --topics 3 --rounds 3 --vocab english-8000 --public none --force --ledger all.ledger comments.jsonl"
	run(t, folder, recipe+" --epsilon 1 first")
	// The second was planned before the first charged anything.
	run(t, folder, `
mkdir -p second/private second/public
account ledger new second/private/other.ledger
cp first/private/documents.pp second/private
sed 's/--epsilon 1/--epsilon 1.5/' first/private/settings >second/private/settings
for grant in words-grant grant; do
  jq '.id = "late-'$grant'" | del(.budget.beside)' first/public/$grant.json >second/public/$grant.json
done`)
	s := bash(folder, recipe+" --epsilon 1.5 second")
	if err := s.Run(); err != nil {
		t.Fatalf("%v\n%s", err, s.stderr.String())
	}
	run(t, folder, "account verify all.ledger")
}

// TestFirstCause: a recipe ends with the code of the stage that failed, not with that of those which it cut short.
func TestFirstCause(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	comments(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") + " --topics 3 --rounds 40 comments.jsonl out"
	run(t, folder, recipe)
	// A charge of another data set under the same grant.
	s := bash(folder, "rm out/public/model.pp; "+
		"sed -i 's/dataset default/dataset other/' out/private/settings; "+recipe+" --dataset other")
	s.Run()
	if code := s.ProcessState.ExitCode(); code != 83 {
		t.Errorf("exit code %d, %s; want 83", code, s.stderr.String())
	}
	s = bash(folder, "sed -i 's/dataset other/dataset default/' out/private/settings; "+
		"exec 9>>out/private/run.ledger; flock 9; "+recipe)
	s.Run()
	if code := s.ProcessState.ExitCode(); code != 91 {
		t.Errorf("exit code %d, %s; want 91", code, s.stderr.String())
	}
}

// TestOtherFolder is a cron job that is started in another folder: there is no ledger there, so it stops, and begins
// none. Nor does a ledger that somebody begins there take the grant.
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

// TestOtherModel sends contributions of one model to the M-step of another. The grant is for the M-step's, so nothing
// is charged for what nobody could learn from.
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
	run(t, folder, filepath.Join(root, "pipelines/recipes/online-lda.sh")+
		" --topics 5 --batch 256 --rounds 5 comments.jsonl out")
	report := run(t, folder, "account report --delta 1e-6 out/private/run.ledger")
	if !regexp.MustCompile(`(?m)^pld +(∞|inf|Inf|\+Inf)`).MatchString(report) {
		t.Errorf("a run without noise reports\n%s", report)
	}
	page := run(t, folder, "cat out/public/report.html")
	if alarm, section := strings.Index(page, "<strong>No protection.</strong>"),
		strings.Index(page, "<section"); alarm < 0 || alarm > section {
		t.Error("the page of a run without noise does not begin with it")
	}
}

// TestPublicScores: where everybody may read the held-out text, the page has its perplexity, of each round if it was
// traced. Where the held-out text is private, the page has no perplexity.
func TestPublicScores(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, "head -n 300 comments.jsonl >held.jsonl; tokenize text --public -o held.pp held.jsonl")
	recipe := filepath.Join(root, "pipelines/recipes/online-lda.sh") + " --topics 5 --batch 256 --rounds 4 "
	for name, c := range map[string]struct {
		flags    string
		rounds   int // with a row in the table of perplexities
		polyline bool
	}{
		"private": {"--trace --held held.jsonl", 0, false},
		"final":   {"--held held.pp", 1, false},
		"traced":  {"--trace --held held.pp", 4, true},
	} {
		run(t, folder, recipe+c.flags+" comments.jsonl "+name)
		_, quality, _ := strings.Cut(run(t, folder, "cat "+name+"/public/report.html"), `<div id="quality"`)
		quality, _, _ = strings.Cut(quality, `<h3 id="theorems-title"`)
		if rows := strings.Count(quality, `<th scope="row"`); rows != c.rounds ||
			strings.Contains(quality, "<polyline") != c.polyline {
			t.Errorf("%s: %d rows, want %d, and a chart: %v; in\n%s", name, rows, c.rounds, c.polyline, quality)
		}
	}
}

// TestPapers runs the systems of the papers as published, and each command once more, which does nothing again. The
// reported guarantee is sound, and the paper's claim stands below it. The noise of the baselines is by bisection of the
// papers' equations in Python.
func TestPapers(t *testing.T) {
	testkit.Deep(t, "papers")
	folder := t.TempDir()
	comments(t, folder)
	// A thousand documents, so that the claims are known.
	run(t, folder, "head -n 1000 comments.jsonl >thousand.jsonl")
	for _, c := range []struct{ name, command, rows string }{
		// Two clipped contributions are up to √2 times the paper's sensitivity apart: 1.24/√2 = 0.87681….
		{"vips", "vips-lda.sh --batch 100 --rounds 3 --delta 1e-4",
			`replace-one +document +3\n¦vips20 +ε 2\.133\n¦3 +gaussian +0\.8768\d+ \(claimed 1\.24\) +fixed\(100/1000\) × 3 +yes\n`},
		{"no clipping", "vips-lda.sh --batch 100 --rounds 3 --delta 1e-4 --share 1",
			`3 +gaussian +0\.8768\d+ \(claimed 1\.24\) +fixed\(100/1000\) × 3 +yes\n`},
		{"strong", "vips-lda.sh --batch 100 --rounds 3 --delta 1e-4 --composition strong",
			`zcdp16-strong +ε 2\.133\n¦\(claimed 3\.8757\d*\)`},
		{"linear", "vips-lda.sh --batch 100 --rounds 3 --delta 1e-4 --composition linear",
			`zcdp16-linear +ε 2\.133\n¦\(claimed 2\.1808\d*\)`},
		{"zcdp", "zcdp-lda.sh --batch 100",
			`zcdp16 +ε 1\n¦4 +gaussian +[\d.]+ \(claimed 2\.2880\d*\) +fixed\(100/1000\) × 4 +yes\n`},
		{"zcdp strong", "zcdp-lda.sh --batch 100 --delta 1e-6 --composition zcdp16-strong",
			`zcdp16-strong +ε 1\n¦× 4 +yes\n`},
		{"zcdp linear", "zcdp-lda.sh --batch 100 --epsilon 2 --composition zcdp16-linear",
			`zcdp16-linear +ε 2\n¦× 4 +yes\n`},
		// A tenth of the noise, for a batch that is a tenth.
		{"literal", "zcdp-lda.sh --batch 100 --literal", `pld +71\.\d+ +0\.0001 ¦\(claimed 0\.22880\d*\)`},
		{"ma", "ma-lda.sh --rate 0.2 --rounds 3",
			`add-remove +document +3\n¦ma16 +ε [\d.]+\n¦3 +gaussian +1\.24 +poisson\(0\.2\) × 3 +yes\n`},
		{"ma batch", "ma-lda.sh --rate 0.2 --clip batch",
			`5 +gaussian +0\.8768\d+ \(claimed 1\.24\) +poisson\(0\.2\) × 5 +yes\n`},
	} {
		t.Run(c.name, func(t *testing.T) {
			command := fmt.Sprintf("%s --topics 5 thousand.jsonl %q",
				filepath.Join(root, "pipelines/recipes/papers", c.command), c.name)
			report := run(t, folder, command)
			for _, want := range strings.Split(c.rows, "¦") {
				if !regexp.MustCompile(want).MatchString(report) {
					t.Errorf("no %s in\n%s", want, report)
				}
			}
			if again := run(t, folder, command); again != report {
				t.Errorf("the second time it printed\n%s\nand the first\n%s", again, report)
			}
			reseeded := bash(folder, command+" --seed 2")
			if reseeded.Run(); reseeded.ProcessState.ExitCode() != 80 ||
				!strings.Contains(reseeded.stderr.String(), "other settings") {
				t.Errorf("another seed in the same folder: exit code %d, %s", reseeded.ProcessState.ExitCode(),
					reseeded.stderr.String())
			}
			run(t, folder, fmt.Sprintf("account verify %q/private/run.ledger", c.name))
			// The page has the δ of the command, and ε as account has it.
			epsilon := run(t, folder, fmt.Sprintf(
				`sed -n 's/^  "epsilon": \(.*\),$/\1/p' %q/public/report.json`, c.name))
			other := strings.Contains(c.command, "--delta 1e-6")
			page := run(t, folder, fmt.Sprintf("cat %q/public/report.html", c.name))
			for _, want := range []string{
				"exactly as account states it: " + strings.TrimSpace(epsilon) + "<",
				"<dt>δ, at most</dt><dd>" + map[bool]string{false: "0.0001", true: "1e-06"}[other] + "</dd>",
				"<polyline",
			} {
				if !strings.Contains(page, want) {
					t.Errorf("the page has no %q", want)
				}
			}
		})
	}
}

// TestPapersRefuse gives the papers' recipes settings that they cannot have, before anything is charged.
func TestPapersRefuse(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	for command, message := range map[string]string{
		"zcdp-lda.sh --composition moments": "--composition must be zcdp16",
		"zcdp-lda.sh --batch 0":             "--batch must be a positive number",
		"zcdp-lda.sh --batch 1000000":       "larger than the number of documents",
		"vips-lda.sh --composition zcdp16":  "--composition must be moments",
		"vips-lda.sh --batch x":             "--batch must be a positive number",
		"ma-lda.sh --clip none":             "--clip must be document or batch",
		"ma-lda.sh --rate 0":                "must be given, and not be 0",
		"ma-lda.sh --rate 2":                "sampling rate must be in (0, 1]",
		"ma-lda.sh --topics 0":              "--topics must be a positive number",
		"zcdp-lda.sh --epsilon 0":           "epsilon must be", "vips-lda.sh --sigma 0": "noise multiplier must be",
	} {
		s := bash(folder, filepath.Join(root, "pipelines/recipes/papers", command)+" comments.jsonl out")
		if s.Run(); s.ProcessState.ExitCode() != 80 || !strings.Contains(s.stderr.String(), message) {
			t.Errorf("%s: exit code %d, %q; want 80, %q", command, s.ProcessState.ExitCode(), s.stderr.String(),
				message)
		}
		ledger, err := os.ReadFile(filepath.Join(folder, "out/private/run.ledger"))
		if err == nil && strings.Contains(string(ledger), `"charge"`) {
			t.Errorf("%s: it was charged", command)
		}
	}
}

// TestRecipeUsage gives each recipe wrong arguments, in the gate those that are of no paper. Its --help has all shared
// flags but those that it refuses, since it would ignore them.
func TestRecipeUsage(t *testing.T) {
	t.Parallel()
	papers := testkit.Repeats(t, "papers", 0, 1) > 0
	shared := strings.Fields(run(t, t.TempDir(),
		fmt.Sprintf("source %q; echo $shared", filepath.Join(root, "pipelines/recipes/stages.sh"))))
	texts := []string{"vocab", "columns", "phrases"} // not of tables and images
	for recipe, refused := range map[string][]string{
		"lda.sh": nil, "online-lda.sh": nil, "papers/vips-lda.sh": nil, "papers/zcdp-lda.sh": nil,
		"papers/ma-lda.sh": nil, "papers/sub-lda.sh": nil,
		"wall/wall.sh": shared,
		// A sampler has a process for each partition, and some have one partition.
		"collapsed-gibbs.sh": {"workers", "partitions"}, "papers/cdp-lda.sh": {"workers", "partitions"},
		"papers/hdp-lda.sh":  {"workers"},
		"papers/lp-lda.sh":   {"brokers", "run", "workers", "partitions"}, // it runs over pipes
		"blr.sh":             append([]string{"seed"}, texts...),
		"papers/vips-blr.sh": append([]string{"seed"}, texts...), "papers/dpvi.sh": texts,
		"sbn.sh":             append([]string{"delimiter"}, texts...),
		"papers/vips-sbn.sh": append([]string{"delimiter"}, texts...),
	} {
		if strings.HasPrefix(recipe, "papers/") && !papers {
			continue
		}
		path := filepath.Join(root, "pipelines/recipes", recipe)
		input, flag := "TEXT", "--topics"
		switch {
		case recipe == "wall/wall.sh":
		case slices.Contains(refused, "delimiter"):
			input, flag = "IMAGES", "--hidden"
		case slices.Contains(refused, "columns"):
			input, flag = "TRAIN", "--schema"
			path += " --schema " + filepath.Join(root, "pipelines/recipes/schemas/adult.json")
		}
		cases := map[string]string{
			"": "wants " + input + " and OUT", "a b c": "wants " + input + " and OUT",
			"--no-such-flag 1 a b": "unknown flag --no-such-flag",
			"nowhere out":          "no such text: nowhere", "a b " + flag: flag + " needs a value",
		}
		if recipe == "lda.sh" { // it takes several texts
			input, cases["a b c"], cases["- a c"] = "TEXT…", "no such text: a", "standard input must be the only text"
		}
		for _, flag := range refused {
			cases["--"+flag+" 1 a b"] = "unknown flag --" + flag
		}
		for arguments, message := range cases {
			s := bash(t.TempDir(), path+" "+arguments)
			s.Run()
			if code := s.ProcessState.ExitCode(); code != 80 || !strings.Contains(s.stderr.String(), message) {
				t.Errorf("%s %s: exit code %d, %q; want 80, %q", recipe, arguments, code, s.stderr.String(), message)
			}
		}
		help := run(t, t.TempDir(), path+" --help")
		if !strings.Contains(help, input+" OUT") {
			t.Errorf("%s --help lacks its arguments: %s", recipe, help)
		}
		unwritten := bash(t.TempDir(), path+" --help >/dev/full")
		if unwritten.Run(); unwritten.ProcessState.Success() || strings.Contains(unwritten.stderr.String(), "wants") {
			t.Errorf("%s --help without room goes on: %s", recipe, unwritten.stderr.String())
		}
		for _, flag := range shared {
			if has := strings.Contains(help, "\n  --"+flag+" "); has == slices.Contains(refused, flag) {
				t.Errorf("%s --help has --%s: %v", recipe, flag, has)
			}
		}
	}
}

// TestTextOfAllKinds gives a recipe's first steps each kind of text, twice: the second time the documents are there.
func TestTextOfAllKinds(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "docs.jsonl", `{"id":"a.txt","text":"alpha beta beta"}`+"\n")
	write(t, folder, "vocab.txt", "alpha\nbeta\n")
	write(t, folder, "docword.x.txt", "1\n2\n2\n1 1 1\n1 2 2\n")
	if err := os.Mkdir(filepath.Join(folder, "texts"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "texts/a.txt", "Alpha beta, beta!\n")
	write(t, folder, "semicolons.csv", "post;body\na;\"alpha, beta\"\n")
	write(t, folder, "docs.tsv", "id\ttext\na\talpha beta beta\n")
	write(t, folder, "phrases.txt", "beta_beta\n")
	write(t, folder, "more.txt", "alpha\nbeta\nbeta_beta\n")
	write(t, folder, "docs.parquet", parquetOf(t, "alpha beta beta"))
	run(t, folder, "tokenize text --vocab vocab.txt -o docs.pp docs.jsonl; gzip -kf docs.jsonl")
	for arguments, want := range map[string]string{
		"docs.jsonl": `{"0":1,"1":2}`, "docs.jsonl.gz": `{"0":1,"1":2}`, "docword.x.txt": `{"0":1,"1":2}`,
		"texts":   `{"0":1,"1":2}`,
		"docs.pp": `{"0":1,"1":2}`, "docs.tsv": `{"0":1,"1":2}`, "docs.parquet": `{"0":1,"1":2}`,
		"--delimiter ';' --columns id=post,text=body semicolons.csv": `{"0":1,"1":1}`,
		"--columns=body --delimiter=';' semicolons.csv":              `{"0":1,"1":1}`,
		"--phrases phrases.txt --vocab more.txt docs.jsonl":          `{"0":1,"2":1}`,
	} {
		steps := firstSteps("--vocab vocab.txt " + arguments + " out")
		shown := run(t, folder, "rm -rf out;"+steps+steps+"show --private out/private/documents.pp")
		if !strings.Contains(shown, `"words":`+want) {
			t.Errorf("%s: %s", arguments, shown)
		}
	}
}

// TestTextFlags: lda.sh hands --keep and --rule to the tokenizer, which cuts the text by them. Bags of words are cut
// already, so they are refused.
func TestTextFlags(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "docs.jsonl", `{"id":"a.txt","text":"alpha http://beta.example/beta"}`+"\n")
	write(t, folder, "vocab.txt", "alpha\nbeta\n")
	write(t, folder, "docword.txt", "")
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") + " --vocab vocab.txt --public none --topics 2 "
	cases := []struct{ flags, words string }{
		{"--keep urls ", `{"0":1,"1":2}`}, {"", `{"0":1}`}, {"--rule 1 ", `{"0":1,"1":2}`},
		{"--keep=html --rule=2 ", `{"0":1}`},
	}
	for _, c := range cases[:testkit.Repeats(t, "operations", 2, len(cases))] {
		flags, words := c.flags, c.words
		ends(t, folder, "rm -rf out; "+recipe+flags+"docs.jsonl out", 83, "") // one document is not worth the budget
		shown := run(t, folder, "show --private out/private/documents.pp")
		if !strings.Contains(shown, `"words":`+words) {
			t.Errorf("%s: %s", flags, shown)
		}
	}
	for arguments, want := range map[string]string{
		"--rule 3 docs.jsonl": "--rule", "--keep cats docs.jsonl": "--keep",
		"--rule 1 docword.txt": "--keep, --rule and --date are for a text, and docword.txt has bags",
	} {
		ends(t, folder, recipe+arguments+" none", 80, want)
	}
}

// TestSeveralTexts: lda.sh reads several texts, patterns and standard input, and hands the tokenizer how to read them.
// With other texts a folder is not resumed.
func TestSeveralTexts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "a.jsonl", `{"id":"a","text":"alpha"}`+"\n")
	write(t, folder, "b.jsonl", `{"id":"b","text":"beta"}`+"\n")
	write(t, folder, "c.csv", "id;text;x\nc;caf\xe9 \"beta\n")
	write(t, folder, "docword.txt", "1\n2\n1\n1 1 1\n")
	write(t, folder, "vocab.txt", "alpha\nbeta\ncafé\n")
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") + " --vocab vocab.txt --public none --topics 2 "
	for _, c := range []struct {
		arguments, want string
		code            int // 83: so few documents are not worth the budget
	}{
		{"a.jsonl b.jsonl out", `(?s)"id":"a","words":\{"0":1.*"id":"b","words":\{"1":1`, 83},
		{"'?.jsonl' out", `(?s)"id":"a".*"id":"b"`, 83}, // the same texts
		{"b.jsonl out", "begun with other settings or another text", 80},
		{"- in <a.jsonl", `"id":"a"`, 83},
		{"- in <a.jsonl", `"id":"a"`, 83},
		{"- in <b.jsonl", "begun with other settings or another text", 80},
		{"--encoding windows-1252 --delimiter ';' --quote none --ragged c.csv csv",
			`"id":"c","words":\{"1":1,"2":1`, 83},
		{"--format lines a.jsonl lines", `"words":\{"0":1`, 83},
		{"a.jsonl docword.txt none", "bags of words must be the only text, and docword.txt has them", 80},
		{"a.jsonl 'x*' none", "no such text: x\\*", 80},
	} {
		fields := strings.Fields(strings.Split(c.arguments, " <")[0])
		s := bash(folder, recipe+c.arguments)
		s.Run()
		got := s.stderr.String()
		if c.code == 83 {
			got += run(t, folder, "show --private "+fields[len(fields)-1]+"/private/documents.pp")
		}
		if code := s.ProcessState.ExitCode(); code != c.code || !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%s: exit code %d, %s", c.arguments, code, got)
		}
	}
}

// firstSteps are those of a recipe with these arguments: it keeps the documents.
func firstSteps(arguments string) string {
	return fmt.Sprintf(`
(source %q
take "$shared" %s
text_and_folder
same ""
keep "$inside/documents.pp" documents "$text" "$inside/documents.pp")
`, filepath.Join(root, "pipelines/recipes/stages.sh"), arguments)
}

// TestOtherReading: documents that were made with other flags are not used in silence, nor is what was made of another
// held-out text.
func TestOtherReading(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "docs.csv", "text,body\nalpha,beta\n")
	write(t, folder, "phrases.txt", "alpha_beta\n")
	write(t, folder, "docs.pp", "")
	write(t, folder, "docword.txt", "")
	for _, test := range []struct{ first, second, want string }{
		{"docs.csv", "--columns body docs.csv", "other settings or another text"},
		{"--columns body docs.csv", "docs.csv",
			"other settings or another text: repeat them, or name another folder ( --columns body)"},
		{"--columns body docs.csv", "--columns text docs.csv", "other settings"},
		{"docs.csv", "--delimiter , docs.csv", "other settings"},
		{"docs.csv", "--phrases phrases.txt docs.csv", "other settings"},
		{"--phrases phrases.txt docs.csv", "docs.csv", "other settings"},
		{"docs.csv", "--phrases nowhere.txt docs.csv", "no such list of phrases: nowhere.txt"},
		{"docs.csv", "--columns body docs.pp",
			"--rule and --date are for a text, and docs.pp has bags of words"},
		{"docs.csv", "--vocab phrases.txt --phrases phrases.txt docword.txt", "docword.txt has bags of words"},
		{"docs.csv", "--delimiter ';' docs.pp", "docs.pp has bags of words"},
	} {
		s := bash(folder, "rm -rf out;"+firstSteps(test.first+" out")+firstSteps(test.second+" out"))
		s.Run()
		if code := s.ProcessState.ExitCode(); code != 80 || !strings.Contains(s.stderr.String(), test.want) {
			t.Errorf("%s, then %s: exit code %d, %s; want 80, %s", test.first, test.second, code, s.stderr.String(),
				test.want)
		}
	}
	write(t, folder, "one.jsonl", `{"id":"one","text":"alpha"}`+"\n")
	write(t, folder, "two.jsonl", `{"id":"two","text":"beta"}`+"\n")
	held := func(name string) string {
		return fmt.Sprintf(`
(source %q
take "$shared" --held %s docs.csv out
text_and_folder
held_documents)
show --private out/private/held.pp
stat -c %%y out/private/held.pp
`, filepath.Join(root, "pipelines/recipes/stages.sh"), name)
	}
	one, two := run(t, folder, held("one.jsonl")), run(t, folder, held("two.jsonl"))
	if !strings.Contains(one, `"id":"one"`) || !strings.Contains(two, `"id":"two"`) ||
		run(t, folder, held("two.jsonl")) != two {
		t.Errorf("the held-out documents of one are %s, of two %s", one, two)
	}
}

// TestTitleOfSeveral: a text's name may be the id of its only document. So the public page of several texts has no name
// of any text.
func TestTitleOfSeveral(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "MARKER-1.txt", "a")
	write(t, folder, "MARKER-2.txt", "b")
	for arguments, want := range map[string]string{
		"'MARKER-*.txt' out": "out", "'MARKER-1*' out": "out", "MARKER-1.txt MARKER-2.txt out": "out",
		"MARKER-1.txt out":                "",
		"--title mine 'MARKER-*.txt' out": "mine", "--run night 'MARKER-*.txt' out": "night",
	} {
		got := run(t, folder, "source "+filepath.Join(root, "pipelines/recipes/stages.sh")+`
several=yes
take "$shared" `+arguments+`
text_and_folder
echo "$title"`)
		if strings.TrimSpace(got) != want {
			t.Errorf("%s: the title is %q, want %q", arguments, got, want)
		}
	}
}

// TestKilledStage: the recipe reports that a signal ended a stage. It does so also where another stage ends first, and
// says nothing, because its input was cut.
func TestKilledStage(t *testing.T) {
	t.Parallel()
	s := bash(t.TempDir(), "source "+filepath.Join(root, "pipelines/recipes/stages.sh")+`
pipeline bash -c 'exec >&-; sleep 1; kill -9 $$' -- bash -c 'cat; exit 90'`)
	s.Run()
	code, said := s.ProcessState.ExitCode(), s.stderr.String()
	if code != 137 || !strings.Contains(said, "a stage was ended by a signal: exit code 137\n") {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// TestStagesNoted: bash 5.2 on a busy machine may note a stage's end before the recipe waits for any stage. The recipe
// then has no stage to wait for. The recipe still ends as its stages do.
func TestStagesNoted(t *testing.T) {
	for command, want := range map[string]int{
		"true -- true": 0, "bash -c 'exit 83' -- cat": 83, "cat -- bash -c 'exit 82' -- bash -c 'exit 90'": 82,
		"true -- bash -c 'exit 141'": 141,
	} {
		s := bash(t.TempDir(), fmt.Sprintf(`
source %q
wait() {
  if [[ $1 == -n ]]; then
    unset pid
    return 127
  fi
  builtin wait "$@"
}
pipeline %s
`, filepath.Join(root, "pipelines/recipes/stages.sh"), command))
		s.Run()
		if code := s.ProcessState.ExitCode(); code != want {
			t.Errorf("%s: exit code %d, %s; want %d", command, code, s.stderr.String(), want)
		}
	}
}

// TestPrune removes a run's stored releases once its model is made. A round that is asked for again is then refused,
// never drawn again. While a privatizer holds the ledger nothing is removed.
func TestPrune(t *testing.T) {
	folder := corpus(t)
	run(t, folder, `
account ledger new run.ledger
account plan --epsilon 1 --delta 1e-6 --all --rounds 2 --id night --ledger run.ledger --model words --matrix words=1xV --vocab vocab.txt -o budget.json
sample --all --rounds 2 docs.pp | estep words >two.pp
privatize --grant budget.json --ledger run.ledger -o once.pp two.pp
cp run.ledger before.ledger
exec 9<run.ledger; flock 9
account prune --used-up run.ledger 9<&- && exit 1 || [[ $? == 91 ]]
exec 9<&-
privatize --grant budget.json --ledger run.ledger -o again.pp two.pp
cmp once.pp again.pp
account prune --used-up run.ledger
[[ -z $(find run.ledger.releases/night -type f) ]]`)
	s := bash(folder, "privatize --grant budget.json --ledger run.ledger -o third.pp two.pp")
	if s.Run(); s.ProcessState.ExitCode() != 83 {
		t.Errorf("a pruned round: exit code %d, %s; want 83", s.ProcessState.ExitCode(), s.stderr.String())
	}
	run(t, folder, "cmp run.ledger before.ledger; [[ ! -e third.pp ]]; account verify run.ledger 2>said; grep -q 'of "+
		"this run are not there' said")
}

// TestUselessInput gives the recipe text that is not worth its ε. The recipe releases the size of the text, under a
// grant that takes at most 2 % of μ². It stops by that release alone; --force goes on with the rest. --unit settles the
// unit of the budget before anything is charged. The noise on the number of documents is ± 100, and on a share at most
// ± 0.1. No outcome is within five standard deviations of its limit.
func TestUselessInput(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, `
for i in 1 2 3 4; do sed 's/[\\]./ /g; s/"id":"/&'$i-'/' comments.jsonl | tr a-zA-Z n-za-mN-ZA-M | sed 's/"grkg"/"text"/; s/"vq"/"id"/'; done >rot13.jsonl
{ printf '{"text":"'; grep -o '[a-z ]*' comments.jsonl | tr '\n' ' '; echo '"}'; } >one.jsonl
awk '{ sub(/^{/, "{\"user\":\"u" NR % 1500 "\","); print }' comments.jsonl >users.jsonl`)
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") + " --public none --topics 2 --rounds 2 "
	for text, c := range map[string]struct {
		why     string
		charges int
	}{"rot13.jsonl": {"vocabulary", 1}, "one.jsonl": {"fewer than 1000 (account advise --min-documents)", 1},
		"users.jsonl": {"--unit", 0}} {
		s := bash(folder, recipe+text+" "+text+".out")
		if s.Run(); s.ProcessState.ExitCode() != 83 || !strings.Contains(s.stderr.String(), c.why) {
			t.Errorf("%s: exit code %d, %q; want 83, %q", text, s.ProcessState.ExitCode(), s.stderr.String(), c.why)
		}
		if s.stdout.String() != "" {
			t.Errorf("%s: %s", text, s.stdout.String())
		}
		ledger, _ := os.ReadFile(filepath.Join(folder, text+".out/private/run.ledger"))
		if n := strings.Count(string(ledger), `"charge":`); n != c.charges {
			t.Errorf("%s: %d charges, want %d", text, n, c.charges)
		}
	}
	// What may follow from the release may change in the folder, and nothing else.
	others := []string{
		"--epsilon 3", "--columns text=vq,user=id", "--rounds 3", "--rate 0.5", "--vocab english-8000 --epsilon 3",
		"--format lines", "--rule 1",
	}
	for _, flags := range others[:testkit.Repeats(t, "operations", 2, len(others))] {
		ends(t, folder, recipe+flags+" --force rot13.jsonl rot13.jsonl.out", 80, "other settings")
	}
	run(t, folder, recipe+"--force --topics 3 --keep urls --vocab english-8000 rot13.jsonl rot13.jsonl.out; "+
		"account verify rot13.jsonl.out/private/run.ledger")
	if s := bash(folder, recipe+"--documents 999 one.jsonl stated"); s.Run() == nil || s.ProcessState.ExitCode() != 83 {
		t.Errorf("999 documents: exit code %d", s.ProcessState.ExitCode())
	}
	report := run(t, folder, recipe+"--unit user users.jsonl users.jsonl.out")
	if !regexp.MustCompile(`(?m)^pld +1 .* user +4$`).MatchString(report) {
		t.Errorf("want a report about users:\n%s", report)
	}
	if testkit.Repeats(t, "operations", 0, 1) == 0 {
		return
	}
	// Stated documents need no release of a size.
	report = run(t, folder, recipe+"--unit user --documents 1500 users.jsonl stated")
	if !regexp.MustCompile(`(?m)^pld +1 .* user +3$`).MatchString(report) {
		t.Errorf("want a report of a run without a size:\n%s", report)
	}
}

// TestFolderMoves begins in one folder and goes on in another, with the text and the vocabulary under other names.
func TestFolderMoves(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --public none --epsilon 2 --topics 2 --rounds 2 "
	first := run(t, folder, fmt.Sprintf("cp %q v.txt; mkdir a; %s --vocab v.txt comments.jsonl a/out", vocabulary,
		recipe))
	again := run(t, folder, fmt.Sprintf("mkdir b; mv a/out b/moved; mv v.txt b; mv comments.jsonl b; cd b; %s "+
		"--vocab $PWD/v.txt ../b/comments.jsonl moved",
		recipe))
	if again != first {
		t.Errorf("moved, it printed\n%s\nand before\n%s", again, first)
	}
	run(t, folder, "cd b; [[ $(stat -c %a moved/private/settings) == 600 ]]")
	s := bash(folder, "cd b; sed -i '1s/^/zzz\\n/' v.txt; "+recipe+" --vocab v.txt comments.jsonl moved")
	if s.Run(); s.ProcessState.ExitCode() != 80 || !strings.Contains(s.stderr.String(), "other settings") {
		t.Errorf("another vocabulary: exit code %d, %s", s.ProcessState.ExitCode(), s.stderr.String())
	}
}

// TestFolderLocked: a recipe ends with 91 in the folder of another one, and says whose it is, before it changes
// anything there. The lock ends with the recipe, however that ends, and with the stages that it left.
func TestFolderLocked(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	recipes := filepath.Join(root, "pipelines/recipes")
	run(t, folder, `mkdir out; echo '{"text":"cat dog"}' >text.jsonl; echo cat >vocab.txt; : >out/.lock
cp `+recipes+`/schemas/adult.json schema.json`)
	// What holds the lock is a child of a recipe that was killed. It reads the FIFO until the test opens it.
	holder := bash(folder, `mkfifo go; source `+recipes+`/stages.sh
own out; (read -r <go) >/dev/null 2>&1 & kill -9 $$`)
	holder.Run()
	for _, command := range []string{
		"lda.sh text.jsonl out", "gibbs.sh text.jsonl out", "online-lda.sh text.jsonl out",
		"collapsed-gibbs.sh text.jsonl out", "sbn.sh --image 2x2 text.jsonl out",
		"blr.sh --schema schema.json text.jsonl out", "public.sh text.jsonl out.pp", "quickstart.sh out",
		"papers/lp-lda.sh text.jsonl out", "papers/sub-lda.sh text.jsonl out", "papers/cdp-lda.sh text.jsonl out",
		"papers/vips-blr.sh --schema schema.json text.jsonl out", "papers/erm.sh --schema schema.json text.jsonl out",
		"papers/made.sh out", "papers/all.sh --quick out", "papers/figures/F14.sh out",
		"papers/figures/F1.sh --runs 1 text.jsonl text.jsonl out",
		"papers/figures/bags.sh --positive a --negative b text.jsonl out",
		"papers/figures/corpus.sh --vocab vocab.txt text.jsonl out",
	} {
		before := run(t, folder, "ls -lA --time-style=full-iso out")
		s := bash(folder, "ln -sfn out out.pp.work; exec "+recipes+"/"+command)
		s.Run()
		code, said := s.ProcessState.ExitCode(), s.stderr.String()
		if want := fmt.Sprintf("process %d;", holder.Process.Pid); code != 91 || !strings.Contains(said, want) {
			t.Errorf("%s: exit code %d, %s; want 91, %s", command, code, said, want)
		}
		if after := run(t, folder, "ls -lA --time-style=full-iso out"); after != before {
			t.Errorf("%s changed the folder:\n%s\nbefore\n%s", command, after, before)
		}
	}
	run(t, folder, `echo >go; for ((i = 0; i < 600; i++)); do ! flock -n out/.lock true || exit 0; sleep 0.1; done
exit 1`)
	run(t, folder, "source "+recipes+"/stages.sh; own out")
}

// TestFolderLockedByProcess is where there is no flock: a process that is alive holds the folder, and none that is dead
// does.
func TestFolderLockedByProcess(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	own := `type() { return 1; }; own out; echo owned`
	source := "source " + filepath.Join(root, "pipelines/recipes/stages.sh") + "; "
	run(t, folder, source+own)
	run(t, folder, source+own)
	for holder, want := range map[string]int{fmt.Sprint(os.Getpid()): 91, "2147483646": 0} {
		write(t, folder, "out/.lock", "lda.sh, process "+holder+"\n")
		s := bash(folder, source+own)
		s.Run()
		if code := s.ProcessState.ExitCode(); code != want {
			t.Errorf("held by process %s: exit code %d, %s; want %d", holder, code, s.stderr.String(), want)
		}
	}
}

// TestReadOnlyFolder: a folder that cannot be written is refused with the code of what cannot be opened, and not in the
// shell's words.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	run(t, folder, "mkdir -p out/.lock; : >file") // root writes into any folder, but not into a folder as a file
	for out, rule := range map[string]string{
		"out": "cannot write in the folder out", "file": "cannot make the folder file",
		"file/out": "cannot make the folder file/out",
	} {
		s := bash(folder, filepath.Join(root, "pipelines/recipes/papers/figures/F14.sh")+" "+out)
		s.Run()
		if got, want := s.stderr.String(), "F14.sh: error: "+rule+"\n"; s.ProcessState.ExitCode() != 82 || got != want {
			t.Errorf("%s: exit code %d, %q; want 82, %q", out, s.ProcessState.ExitCode(), got, want)
		}
	}
}

// TestRecipeLinked runs a recipe by links to it, and as cron does, whose PATH has no Go: that stops it at once.
func TestRecipeLinked(t *testing.T) {
	folder := t.TempDir()
	run(t, folder, fmt.Sprintf("ln -s %q one; ln -s one two; mkdir kafka; ln -s %q kafka/topics",
		filepath.Join(root, "pipelines/recipes/lda.sh"), filepath.Join(root, "pipelines/recipes/kafka/topics.sh")))
	if help := run(t, folder, "./two --help"); !strings.Contains(help, "TEXT… OUT") {
		t.Errorf("by a link: %s", help)
	}
	if help := run(t, folder, "kafka/topics --help"); !strings.Contains(help, "<brokers>") {
		t.Errorf("by a link: %s", help)
	}
	// A copy lacks what it is to read, and must not go on.
	s := bash(folder, fmt.Sprintf("cp %q copy; ./copy docs.jsonl out", filepath.Join(root, "pipelines/recipes/lda.sh")))
	if s.Run(); s.ProcessState.ExitCode() == 0 || strings.Contains(s.stderr.String(), "mkdir") {
		t.Errorf("a copy: exit code %d, %s", s.ProcessState.ExitCode(), s.stderr.String())
	}
	// A copy of all recipes has no stages beside it.
	s = bash(folder, fmt.Sprintf("mkdir -p alone/pipelines; cp -r %q alone/pipelines; env -u PRIVPIPE_BIN "+
		"alone/pipelines/recipes/lda.sh docs.jsonl out",
		filepath.Join(root, "pipelines/recipes")))
	const without = `^lda\.sh: error: no stages in /\S*/libexec/privpipe: start the recipe in a checkout or from an installation, or name their folder in PRIVPIPE_BIN\n$`
	if s.Run(); s.ProcessState.ExitCode() != 82 || !regexp.MustCompile(without).MatchString(s.stderr.String()) {
		t.Errorf("without stages: exit code %d, %s", s.ProcessState.ExitCode(), s.stderr.String())
	}
	s = bash(folder, "if PATH=/usr/bin:/bin type go >/dev/null 2>&1; then echo Go is not on PATH >&2; exit 82; fi; "+
		"env -u PRIVPIPE_BIN PATH=/usr/bin:/bin ./one docs.jsonl out")
	if s.Run(); s.ProcessState.ExitCode() != 82 || !strings.Contains(s.stderr.String(), "Go is not on PATH") {
		t.Errorf("without Go: exit code %d, %s", s.ProcessState.ExitCode(), s.stderr.String())
	}
}

// TestChosenWords: the words of the topics are chosen by the release of word frequencies, and all else that is released
// is as it was planned before. The chosen words have no stop word, and --extra-words are among them. If another run
// charges the ledger after the release of words, the recipe stops: the noise would follow from what was released
// meanwhile.
func TestChosenWords(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	write(t, folder, "own words.txt", "Zyzzyva\r\n\ngoroutine\n")
	write(t, folder, "left-out.txt", "error\n")
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --topics 2 --rounds 2 --words 3000 --extra-words 'own words.txt' --stop left-out.txt --ledger all.ledger " +
		"comments.jsonl "
	run(t, folder, "account ledger new all.ledger; "+recipe+"out")
	words := strings.Fields(string(readFile(t, filepath.Join(folder, "out/public/vocabulary.txt"))))
	if len(words) != 3000 || !slices.Contains(words, "zyzzyva") || !slices.Contains(words, "goroutine") {
		t.Errorf("chose %d words", len(words))
	}
	for _, not := range []string{"the", "and", "error"} {
		if slices.Contains(words, not) {
			t.Errorf("chose %s", not)
		}
	}
	// By the release, not by the dictionary: words of programs are among the first.
	if at := slices.Index(words, "returns"); at < 0 || at > 100 {
		t.Errorf("returns is word %d", at)
	}
	run(t, folder, `cmp <(grep -o '"noise_multiplier": [0-9.]*' out/public/planned.json) \
			<(grep -o '"noise_multiplier": [0-9.]*' out/public/grant.json)
		account verify all.ledger`)

	if testkit.Repeats(t, "operations", 0, 1) == 0 {
		return
	}
	// The second run stops after its words, as if it had been killed; another run charges the ledger; then the second
	// goes on.
	second := recipe + "--epsilon 2 second"
	run(t, folder, `mkdir bin; ln -s "$PRIVPIPE_BIN"/* bin/; rm bin/tokenize
		printf '#!/bin/sh\n[ "$1" != cut ] || exit 7\nexec "%s/tokenize" "$@"\n' "$PRIVPIPE_BIN" >bin/tokenize; chmod +x bin/tokenize`)
	if s := bash(folder, "PRIVPIPE_BIN=$PWD/bin "+second); s.Run() == nil || s.ProcessState.ExitCode() != 7 {
		t.Fatalf("exit code %d, %s", s.ProcessState.ExitCode(), s.stderr.String())
	}
	run(t, folder, `account plan --more 0.1 --delta 1e-6 --all --ledger all.ledger --model size --matrix size=1x4 -o other.json
		sample --all out/private/sizes.pp | estep size | privatize --grant other.json --ledger all.ledger -o other.pp`)
	s := bash(folder, second)
	if s.Run(); s.ProcessState.ExitCode() != 83 ||
		!strings.Contains(s.stderr.String(), "another run has charged the ledger") {
		t.Errorf("exit code %d, %s; want 83", s.ProcessState.ExitCode(), s.stderr.String())
	}
}

// TestRuns: equal runs on one ledger have equal noise on words, and nearly equal noise on topics. One more is refused.
func TestRuns(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, "account ledger new --epsilon 1 --delta 1e-6 year.ledger")
	command := filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --runs 3 --ledger year.ledger --topics 3 --rounds 4 --force comments.jsonl "
	var words, topics []float64
	for i := range 3 {
		run(t, folder, fmt.Sprint(command, "run-", i))
		for grant, noises := range map[string]*[]float64{"words-grant": &words, "grant": &topics} {
			var g struct {
				Noise float64 `json:"noise_multiplier"`
			}
			text := read(t, filepath.Join(folder, fmt.Sprint("run-", i), "public", grant+".json"))
			if err := json.Unmarshal([]byte(text), &g); err != nil {
				t.Fatal(err)
			}
			*noises = append(*noises, g.Noise)
		}
	}
	if words[0] != words[1] || words[1] != words[2] || slices.Max(topics) > 1.1*slices.Min(topics) {
		t.Errorf("noise of words %v, of topics %v", words, topics)
	}
	report := run(t, folder, "account report --delta 1e-6 year.ledger")
	if !strings.Contains(report, "\npld         1  ") {
		t.Errorf("three of three runs cost not ε 1:\n%s", report)
	}
	ends(t, folder, "cp year.ledger before; "+command+"run-3", 83, "all 3 runs of ε 1 are done")
	run(t, folder, "cmp before year.ledger")
}

// TestMore: each run of many adds its part to the ledger, in its own folder, until the budget is spent. The last but
// one gets what is left. The next one is refused, and charges nothing.
func TestMore(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, "account ledger new --epsilon 0.5 --delta 1e-6 year.ledger")
	command := filepath.Join(root, "pipelines/recipes/lda.sh") +
		" --more 0.2 --ledger year.ledger --topics 3 --rounds 4 --force comments.jsonl "
	for month, want := range []string{"0.2", "0.4", "0.5"} {
		run(t, folder, fmt.Sprint(command, "month-", month))
		report := run(t, folder, "account report --delta 1e-6 year.ledger")
		if !strings.Contains(report, "\npld         "+want+"  ") {
			t.Errorf("after month %d ε is not %s:\n%s", month, want, report)
		}
	}
	ends(t, folder, "cp year.ledger before; "+command+"month-3", 83, "the ledger's own budget is ε 0.5")
	run(t, folder, "cmp before year.ledger; "+command+"month-1") // a month that is done is done
	ends(t, folder, strings.Replace(command, "--ledger year.ledger ", "", 1)+"no", 80, "--more and --runs are for")
}
