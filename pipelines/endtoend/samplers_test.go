package endtoend

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
)

// samplers are the recipes of Gibbs samplers with flags, and what their reports say. ¦ stands between the patterns.
var samplers = []struct{ name, command, rows string }{
	{"collapsed", "../collapsed-gibbs.sh --rounds 3 --sweeps 2 --inherent-report --held comments.jsonl",
		`pld +∞¦3 +none +0 +all × 3 +no¦plug-in`},
	// (ε_L + ε_I) · 10 = 110, of which the laplace noise is in units of a word's sensitivity, 2.
	{"hdp", "hdp-lda.sh --rounds 10",
		`replace-one +word +10\n¦pure: ε 110 at δ 0\n¦10 +laplace +1, draws of ε 10 +all × 10 +no\n`},
	{"hdp half", "hdp-lda.sh --rounds 4 --epsilon-laplace 0.5 --inherent 3",
		`pure: ε 14 at δ 0\n¦4 +laplace +2, draws of ε 3 +all × 4 +no\n`},
	{"hdp printed", "hdp-lda.sh --rounds 3 --printed",
		`pld +∞¦ε 3\d(\.\d+)?, which is not proven\n¦3 +laplace +unbounded \(claimed 2\), draws of ε 10 +all × 3 +no\n`},
	{"hdp none", "hdp-lda.sh --rounds 3 --epsilon-laplace none", `pld +∞¦3 +none +0 +all × 3 +no\n`},
	{"cdp", "cdp-lda.sh --rounds 3",
		`pld +∞¦cdp-first +default +1 +laplace +0\.5 +all × 1 +no\n¦cdp +default +3 +none +0 +all × 3 +no\n`},
	{"cdp plus", "cdp-lda.sh --rounds 3 --plus",
		`pld +∞¦ε 3, which is not proven\n¦3 +laplace +unbounded \(claimed 1\) +all × 3 +no\n`},
	// Each of the 8,000 bits of a document has ε₁ = 3, or those of at most 2·10 words.
	{"lp", "lp-lda.sh --sweeps 3 --vocab english-8000 --held comments.jsonl",
		`pure: ε 2\.4e\+04 at δ 0\n¦randomized-response +flip 0\.0474259 of 8000 bits or words +all × 1 +no\n¦plug-in`},
	{"lp few", "lp-lda.sh --sweeps 2 --most-words 10 --batches 3 --prior comments.jsonl",
		`pure: ε 60 at δ 0\n¦flip 0\.0474259 of 20 bits or words +all × 1 +no\n`},
	// Of ε 20 each of ⌊20/log(10·8000/100)⌋ = 2 words has 10.
	{"lp words", "lp-lda.sh --sweeps 3 --document-epsilon 20",
		`pure: ε 20 at δ 0\n¦flip 4\.5398e-05 of 2 bits or words +all × 1 +no\n`},
	{"lp words batches", "lp-lda.sh --sweeps 2 --document-epsilon 20 --report-words 5 --most-words 10 --batches 3 " +
		"--prior comments.jsonl",
		`pure: ε 20 at δ 0\n¦flip 0\.0179862 of 5 bits or words +all × 1 +no\n`},
	{"lp none", "lp-lda.sh --sweeps 2 --epsilon none --batches 2", `pld +∞¦2 +none +0 +epoch × 2`},
	{"sub", "sub-lda.sh --rounds 3 --epsilon 2",
		`pld +(2|1\.99\d*) +1e-06 .*add-remove +document +3\n¦3 +gaussian +[\d.]+ +poisson\(0\.5\) × 3 +yes\n`},
	// σ = √(14/(2·2)), and a word that is exchanged changes a sum by √2. Three rounds of that noise have ε = 6.67 at δ
	// = 1e-6, their draws 30.
	{"sub word", "sub-lda.sh --rounds 3 --level word",
		`pld +36\.[67]\d* +1e-06 .*word +3\n¦3 +gaussian +1\.32288, draws of ε 10 +all × 3 +no\n`},
	{"sub adaptive", "sub-lda.sh --rounds 3 --level word --adaptive 1.5",
		`pld +36\.[67]\d* ¦3 +gaussian +1\.32288, draws of ε 10 +all × 3 +no\n`},
	{"sub literal", "sub-lda.sh --rounds 3 --level literal", `pld +∞¦3 +none +0 +all × 3 +no\n`},
	{"sub printed", "sub-lda.sh --rounds 3 --level printed --adaptive 1.5 --least-rate 0",
		`pld +∞¦ε 34\.\d+, which is not proven\n¦3 +gaussian +unbounded \(claimed 1\.87083\), draws of ε 10 +all × 3 +no\n`},
}

// sampler is the path of a recipe with its flags.
func sampler(command string) string { return filepath.Join(root, "pipelines/recipes/papers", command) }

// TestSamplers runs the recipes of Gibbs samplers, and each command once more, from another folder: it prints the same,
// and charges nothing.
func TestSamplers(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, "mv comments.jsonl all.jsonl; head -n 1000 all.jsonl >comments.jsonl; mkdir elsewhere")
	for _, c := range samplers {
		t.Run(c.name, func(t *testing.T) {
			if strings.Contains(c.name, " ") { // a variant
				testkit.Deep(t, "papers")
			}
			t.Parallel()
			out := strings.ReplaceAll(c.name, " ", "-")
			report := run(t, folder, fmt.Sprintf("%s --topics 3 comments.jsonl %s", sampler(c.command), out))
			for _, want := range strings.Split(c.rows, "¦") {
				if !regexp.MustCompile(want).MatchString(report) {
					t.Errorf("no %s in\n%s", want, report)
				}
			}
			charged := read(t, filepath.Join(folder, out, "private/run.ledger"))
			again := run(t, filepath.Join(folder, "elsewhere"), fmt.Sprintf("%s --topics 3 ../comments.jsonl ../%s",
				strings.NewReplacer("--held ", "--held ../", "--prior ", "--prior ../").Replace(sampler(c.command)),
				out))
			if again != report || read(t, filepath.Join(folder, out, "private/run.ledger")) != charged {
				t.Errorf("the second time it printed\n%s\nand the first\n%s", again, report)
			}
			run(t, folder, "account verify "+out+"/private/run.ledger")
			other := bash(folder, fmt.Sprintf("%s --topics 3 --alpha 2 comments.jsonl %s", sampler(c.command), out))
			if other.Run(); other.ProcessState.ExitCode() != 80 ||
				!strings.Contains(other.stderr.String(), "other settings") {
				t.Errorf("another prior in the same folder: exit code %d, %s", other.ProcessState.ExitCode(),
					other.stderr.String())
			}
		})
	}
}

// TestKilledSampler kills all processes of one recipe once some rounds are charged. It runs the same command again,
// with the same key. The second command ends the run and charges each round once. Where no release has noise, the model
// equals the model of an undisturbed run.
func TestKilledSampler(t *testing.T) {
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, "mv comments.jsonl all.jsonl; head -n 1000 all.jsonl >comments.jsonl; (umask 077; head -c 32 "+
		"/dev/urandom >key)")
	for name, c := range map[string]struct {
		command string
		exact   bool // no release has noise
		charges int
	}{
		"collapsed": {"../collapsed-gibbs.sh --sweeps 1 --inherent-report", true, 12},
		"hdp":       {"hdp-lda.sh", false, 12},
		"hdp-none":  {"hdp-lda.sh --epsilon-laplace none", true, 12},
		"cdp":       {"cdp-lda.sh", false, 13},
		"printed":   {"hdp-lda.sh --printed", false, 12},
		"document":  {"sub-lda.sh", false, 12},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "collapsed" && name != "hdp" {
				testkit.Deep(t, "papers")
			}
			t.Parallel()
			begin := func(out string) string {
				run(t, folder, fmt.Sprintf("mkdir -p %s/private; (umask 077; cp key %[1]s/private/gibbs.key)", out))
				return fmt.Sprintf("%s --topics 3 --rounds 12 --run %s comments.jsonl %s", sampler(c.command), name,
					out)
			}
			killed := begin(name)
			ledger := filepath.Join(folder, name, "private/run.ledger")
			s := bash(folder, "exec "+killed)
			s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := s.Start(); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
				text, _ := os.ReadFile(ledger)
				if strings.Count(string(text), `"charge":{`) >= 4 || time.Now().After(deadline) {
					break
				}
			}
			syscall.Kill(-s.Process.Pid, syscall.SIGKILL)
			if err := s.Wait(); err == nil {
				t.Error("it had ended before the kill")
			}
			run(t, folder, killed+"; account verify "+name+"/private/run.ledger")
			text := read(t, ledger)
			if got := strings.Count(text, `"charge":{`); got != c.charges {
				t.Errorf("%d charges, want %d", got, c.charges)
			}
			if !c.exact {
				return
			}
			run(t, folder, begin(name+"-whole"))
			files := "public/model.pp private/state.pp public/topics.txt"
			if name == "collapsed" {
				files += " private/inherent.jsonl"
			}
			run(t, folder, fmt.Sprintf("for file in %s; do cmp %s/$file %[2]s-whole/$file; done", files, name))
		})
	}
}

// TestOtherRun resumes a sampler under another name of the run: its topics are of the first, so it is refused. Without
// --run, or with the same, it goes on in another folder.
func TestOtherRun(t *testing.T) {
	steps := func(flags string) string {
		return fmt.Sprintf(`(source %q; take "$shared" %s text.txt out; text_and_folder; keeps_topics; echo "$run")`,
			filepath.Join(root, "pipelines/recipes/stages.sh"), flags)
	}
	folder := t.TempDir()
	run(t, folder, "echo alpha >text.txt; "+steps("--run night"))
	for _, flags := range []string{"", "--run night"} {
		if got := strings.TrimSpace(run(t, folder, steps(flags))); got != "night" {
			t.Errorf("%q goes on as run %q, want night", flags, got)
		}
	}
	s := bash(folder, steps("--run day"))
	if s.Run(); s.ProcessState.ExitCode() != 80 ||
		!strings.Contains(s.stderr.String(), "out was begun as run night: leave --run out") {
		t.Errorf("another run: exit code %d, %s", s.ProcessState.ExitCode(), s.stderr.String())
	}
}

// TestSamplersRefuse gives the recipes of samplers numbers that they cannot have. They say so before they read the
// text.
func TestSamplersRefuse(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "text.jsonl", `{"text":"alpha"}`+"\n")
	for command, message := range map[string]string{
		"../collapsed-gibbs.sh --alpha 0":             "--alpha must be a positive number, is 0",
		"../collapsed-gibbs.sh --beta x":              "--beta must be a positive number, is x",
		"../collapsed-gibbs.sh --sweeps 0":            "--sweeps must be a positive number, is 0",
		"../collapsed-gibbs.sh --rounds 1.5":          "--rounds must be a positive number",
		"../collapsed-gibbs.sh --seed x":              "--seed must be a whole number",
		"../collapsed-gibbs.sh --trace":               "--trace needs --held",
		"../collapsed-gibbs.sh --plus":                "unknown flag --plus",
		"hdp-lda.sh --inherent 0":                     "--inherent must be a positive number",
		"hdp-lda.sh --inherent 2000":                  "--inherent must be at most 1000",
		"hdp-lda.sh --epsilon-laplace 0":              "--epsilon-laplace must be a positive number, is 0",
		"hdp-lda.sh --epsilon-laplace e":              "--epsilon-laplace must be a positive number, is e",
		"hdp-lda.sh --epsilon-laplace some":           "--epsilon-laplace must be a positive number, is some",
		"hdp-lda.sh --printed --epsilon-laplace none": "--printed needs noise on the counts",
		"hdp-lda.sh --delta 1":                        "--delta must be below 1",
		"hdp-lda.sh --beta 0":                         "--beta must be a positive number",
		"hdp-lda.sh --alpha=-1":                       "--alpha must be a positive number, is -1",
		"hdp-lda.sh --rounds 0":                       "--rounds must be a positive number",
		"hdp-lda.sh --seed -1":                        "--seed must be a whole number, is -1",
		"cdp-lda.sh --epsilon 0":                      "--epsilon must be a positive number, is 0",
		"cdp-lda.sh --epsilon 1e-400":                 "--epsilon must be a positive number",
		"cdp-lda.sh --epsilon -1 --plus":              "--epsilon must be a positive number",
		"cdp-lda.sh --trace":                          "--trace needs --held",
		"lp-lda.sh --epsilon 0":                       "--epsilon must be a positive number, is 0",
		"lp-lda.sh --batches 0":                       "--batches must be a positive number",
		"lp-lda.sh --epsilon 1 --document-epsilon 2": "--epsilon is of a bit, --document-epsilon of a document: " +
			"give one",
		"lp-lda.sh --document-epsilon 0":                  "--document-epsilon must be a positive number, is 0",
		"lp-lda.sh --report-words 2":                      "--report-words belongs to --document-epsilon",
		"lp-lda.sh --document-epsilon 2 --report-words 0": "--report-words must be a positive number, is 0",
		"lp-lda.sh --sweeps x":                            "--sweeps must be a positive number, is x",
		"lp-lda.sh --most-words 0":                        "--most-words must be a positive number",
		"lp-lda.sh --correlation 0":                       "--correlation must be a positive number",
		"lp-lda.sh --correlation 2 --batches 2":           "--correlation must be at most 1",
		"lp-lda.sh --omega 2":                             "--omega must be in [0, 1] or auto, is 2",
		"lp-lda.sh --omega x":                             "--omega must be in [0, 1] or auto, is x",
		"lp-lda.sh --prior text.jsonl":                    "--prior is for --batches",
		"lp-lda.sh --batches 2 --prior nowhere":           "no such text: nowhere",
		"lp-lda.sh --brokers x":                           "unknown flag --brokers",
		"lp-lda.sh --trace":                               "--trace needs --held",
		"sub-lda.sh --level nobody":                       "--level must be document, word, printed or literal, is",
		"sub-lda.sh --adaptive 1.5":                       "level document samples documents, and ignores --adaptive",
		"sub-lda.sh --beta 1":                             "ignores --beta",
		"sub-lda.sh --level word --epsilon 1":             "--level word ignores --epsilon",
		"sub-lda.sh --level word --least-rate 0.1": "without --adaptive all words have one rate, which " +
			"ignores --least-rate",
		"sub-lda.sh --level printed --partitions 2": "--level printed ignores --partitions",
		"hdp-lda.sh --printed --partitions 4": "--printed has one partition, and ignores " +
			"--partitions",
		"sub-lda.sh --gamma 0":                                       "--gamma must be a positive number",
		"sub-lda.sh --gamma 1.1":                                     "--gamma must be at most 1",
		"sub-lda.sh --epsilon x":                                     "--epsilon must be a positive number",
		"sub-lda.sh --level word --order 0":                          "--order must be a positive number",
		"sub-lda.sh --level word --epsilon-at-order 0":               "--epsilon-at-order must be a positive number",
		"sub-lda.sh --level word --adaptive 2":                       "--adaptive must be above 1 and below 1/γ, is 2",
		"sub-lda.sh --level word --adaptive 1":                       "--adaptive must be above 1",
		"sub-lda.sh --level word --adaptive 1.5 --least-rate 0":      "--level word needs a --least-rate above 0",
		"sub-lda.sh --level printed --adaptive 1.5 --least-rate 0.6": "--least-rate must be at most --gamma, is 0.6",
		"sub-lda.sh --level printed --adaptive 1.5 --frequent 2":     "--frequent must be at most 1",
		"sub-lda.sh --level word --inherent 2000":                    "--inherent must be at most 1000",
	} {
		s := bash(folder, sampler(command)+" text.jsonl out")
		if s.Run(); s.ProcessState.ExitCode() != 80 || !strings.Contains(s.stderr.String(), message) {
			t.Errorf("%s: exit code %d, %q; want 80, %q", command, s.ProcessState.ExitCode(), s.stderr.String(),
				message)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "out/*")); left != nil {
			t.Errorf("%s: left %v", command, left)
		}
	}
}

// TestSamplerProgress runs recipes on a terminal with one line of the whole training. account shows the line where
// there is a grant, and mstep where there is none. Nothing of the line is left.
func TestSamplerProgress(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	comments(t, folder)
	for command, line := range map[string]string{
		"hdp-lda.sh --rounds 20":                "account",
		"../collapsed-gibbs.sh --rounds 20":     "mstep",
		"hdp-lda.sh --rounds 20 --printed":      "account",
		"cdp-lda.sh --rounds 20 --epsilon 0.5":  "mstep",
		"sub-lda.sh --rounds 20 --level word":   "account",
		"sub-lda.sh --rounds 20 --gamma 0.1":    "account",
		"../collapsed-gibbs.sh --rounds 20 --x": "",
	} {
		x := onScreen(t, folder, sampler(command)+" --topics 3 comments.jsonl out-"+regexp.MustCompile(`\W+`).
			ReplaceAllString(command, "-"))
		if code := x.Wait(); (code == 0) != (line != "") {
			t.Errorf("%s: exit code %d\n%s", command, code, x.Screen())
		}
		lines := 0
		for _, shown := range x.Shown() {
			if !strings.Contains(shown, " of 20") {
				continue
			}
			if lines++; !strings.HasPrefix(shown, line+" [") {
				t.Errorf("%s shows %q, want a line of %s", command, shown, line)
			}
		}
		if line != "" && lines == 0 || line == "" && lines > 0 {
			t.Errorf("%s shows %d lines of progress: %q", command, lines, x.Shown())
		}
		if strings.Contains(x.Screen(), " of 20") {
			t.Errorf("%s: left on the screen:\n%s", command, x.Screen())
		}
	}
}
