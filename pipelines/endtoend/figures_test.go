package endtoend

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/seeded"
)

// figures are the papers' figures that have a recipe, and the findings that hold of all.sh --quick beyond what chance
// may do.
var figures = []struct {
	name  string
	holds []string
}{
	{"F1", []string{
		"S = 400, noise as printed: non-private .* < zCDP ", "S = 400, noise as printed: zCDP .* < advanced ",
		"S = 400, noise of the sum: non-private .* < zCDP ", "S = 400, zCDP: noise as printed .* < noise of the sum ",
	}},
	{"F2", []string{
		"noise as printed, .*: zCDP .* < non-private ", "noise as printed, .*: advanced .* < zCDP ",
		"noise as printed, .*: linear .* < zCDP ",
	}},
	{"F3", []string{
		"S = 1000, σ = 1.24: moments .* < strong ", "S = 1000, σ = 1.24: moments .* < no clipping ",
		"S = 1000, .* clipped as printed: unigram .* < clipped ", "S = 1000, .*: each document .* < minibatch ",
		"S = 1000, .*: Poisson sampling .* is within 10 % and chance of ",
	}},
	{"F4", []string{
		"round \\d+: non-private .* < moments ", "round \\d+: moments .* < strong ",
		"round \\d+: moments .* < no clipping ",
		"F5, .*: strong .* < moments ",
	}},
	{"F9", []string{
		"equation 24 finds words of plain", "equation 24 finds words of CDP-LDA\\+",
		"equation 24 finds few words of HDP-LDA ε_I = 10",
		"the exact likelihood finds words of HDP-LDA ε_I = 10",
	}},
	{"F10", []string{
		"ε = .*: HDP-LDA .* < HDP-LDA as printed ", "ε = .*: HDP-LDA .* < CDP-LDA\\+ ",
	}},
	{"F15", []string{
		"K = 10: γ = 1 .* < γ = 0.1 ", "K = 10: SUB-LDA at γ = 1 .* is within 5 % and chance of HDP-LDA ",
		"K = 10, γ = 1: noise once a round .* < before each draw ",
	}},
	{"F6", []string{
		"ε = 0.03: BLR \\(PLD\\) .* < BLR without noise ", "ε = 0.03: BLR \\(strong\\) .* < BLR \\(PLD\\) ",
	}},
	{"F7", []string{
		"both fall with σ: BLR at σ = 40 .* < at σ = none ", "both fall with σ: DPVI at σ = 40 .* < at σ = none ",
	}},
	{"F8", []string{
		"K = 5, S = 400: strong .* < moments ", "K = 5, S = 400: moments .* is at least the mean image ",
	}},
	{"F11", []string{
		"ε = 1: CDP-LDA .* < LP-LDA ", "LP-LDA falls: ε₁ = 8 .* < ε₁ = 1 ",
		"ε₁ = 8: LP-LDA .* is within 5 % and chance of plain ",
	}},
	{"F12", []string{
		"plain: the classifier learns: accuracy (0\\.[89]|1)",
		"LP-LDA, the accuracy of the classifier rises: ε = 0.1 .* < ε = 8 ",
		"CDP-LDA, macro F1 rises: ε = 0.1 .* < ε = 8 ", "LP-LDA, ε = 0.1: accuracy of the attack on the classifier ",
		"CDP-LDA, ε = 0.1: accuracy of the attack on the topics ",
	}},
	{"F13", []string{
		"prior data helps, ε₁ = 3: with it .* < without it ",
	}},
	{"members", []string{
		`without privacy: the attack works, its area is 0\.[5-9]`,
		`ε = 1: 0\.\d+ of the members are found at 1 % false alarms, of at most 0\.027 allowed$`,
		`ε = 1: the attack is worse than without privacy, 0\.[45]\d+ against`,
	}},
	{"F14", []string{"α = 2: the exact ", "α = 5: the exact ", "α = 14: the exact ", "table 3"}},
}

// TestAll runs all systems and figures of the papers by all.sh --quick. The data are the comments of Go, made text of
// five topics, a made table and made images. Each row runs, and the findings hold that so little data decide.
//
// The findings of Gibbs samplers and of tables failed in none of many runs. Each other system ran fifteen times. The
// perplexities' logarithms had standard deviations of .04 to .11. The standard deviation of the first words'
// probabilities was up to .19. Without privacy the membership attack had an area of .67 to .73 in five runs, with a
// deviation of .025. The area must be more than .55.
func TestAll(t *testing.T) {
	testkit.Deep(t, "papers")
	folder := seeded.Folder(t, seeded.Chance{Seed: 1, Margin: "orders that must hold are 4.5 deviations apart",
		Rate: 1e-2})
	begun := time.Now()
	ran := allRows(t, folder, "out")
	t.Logf("%.0f s", time.Since(begun).Seconds())
	for system := 1; system <= 21; system++ {
		if !ran[fmt.Sprint(system)] {
			t.Errorf("system %d did not run", system)
		}
	}
	for _, f := range figures {
		if !ran[f.name] {
			t.Errorf("%s did not run", f.name)
			continue
		}
		drawn(t, filepath.Join(folder, "out"), f.name, f.holds)
	}
	if _, err := os.Stat(filepath.Join(folder, "out/work")); err == nil {
		t.Error("the runs are left")
	}
	// Four runs of each system, and the exact frequencies once.
	points := read(t, filepath.Join(folder, "out/F4.csv"))
	for row, want := range map[string]int{"after each round,strong,line,2,": 4,
		"after each round,unigram,level,1,": 1} {
		if got := strings.Count(points, "\n"+row); got != want {
			t.Errorf("F4.csv has %d rows %s, want %d", got, row, want)
		}
	}
}

// allRows runs all rows of all.sh --quick into a folder. It returns the rows that ran.
func allRows(t *testing.T, folder, out string) (ran map[string]bool) {
	t.Helper()
	s := bash(folder, filepath.Join(root, "pipelines/recipes/papers/all.sh")+" --quick "+out)
	err := s.Run()
	t.Logf("%s%s", s.stdout.String(), s.stderr.String())
	ran = make(map[string]bool)
	for line := range strings.Lines(s.stdout.String()) {
		row := regexp.MustCompile(`^([F+\w]+)\t(\S.*)\t\d+ s\t` +
			`(runs|holds|undecided \(\d+ of \d+\)|failed \(1\))\n$`).FindStringSubmatch(line)
		if row == nil {
			t.Fatalf("a line %q", line)
		}
		for _, number := range strings.Split(row[1], "+") {
			ran[number] = true
		}
		figure := strings.HasPrefix(row[1], "F") || strings.HasSuffix(row[1], "members")
		if strings.HasPrefix(row[3], "failed") || figure == (row[3] == "runs") {
			t.Errorf("row %s: %s", row[1], row[3])
		}
		if info, err := os.Stat(filepath.Join(folder, out, row[1]+".log")); err != nil || info.Size() == 0 {
			t.Errorf("the log of row %s: %v", row[1], err)
		}
	}
	if err != nil {
		t.Error(err)
	}
	return ran
}

// drawn checks the files of a figure: what its findings say, its CSV, and that its pictures are whole.
func drawn(t *testing.T, out, name string, holds []string) {
	t.Helper()
	findings := read(t, filepath.Join(out, name+"-findings.txt"))
	for _, holds := range holds {
		if !regexp.MustCompile("(?m)^holds\tmust\t" + holds).MatchString(findings) {
			t.Errorf("%s: no finding %q holds:\n%s", name, holds, findings)
		}
	}
	if info, err := os.Stat(filepath.Join(out, name+".csv")); err != nil || info.Size() < 100 {
		t.Errorf("the CSV: %v", err)
	}
	if name == "F2" { // a table
		return
	}
	if svg := read(t, filepath.Join(out, name+".svg")); !strings.Contains(svg, "</svg>") {
		t.Errorf("%s.svg does not end", name)
	}
}

// TestAllFails: a row that fails ends all.sh with 1. It names the row, the other rows run, and what they made is left
// for the same command, which runs only the failed row's command to its end again. Here account has another number in
// table 3.
func TestAllFails(t *testing.T) {
	testkit.Deep(t, "papers")
	t.Parallel()
	folder := t.TempDir()
	otherTable(t, folder)
	command := filepath.Join(root, "pipelines/recipes/papers/all.sh") + " --quick --rows '20 10 F14' out"
	s := bash(folder, "PRIVPIPE_BIN=$PWD/bin "+command)
	s.Run()
	for _, want := range []string{`(?m)^10\t.*\truns$`, `(?m)^20\t.*\truns$`,
		`(?m)^F14\tfigures/F14.sh --quick exact\t\d+ s\tfailed \(1\)$`} {
		if !regexp.MustCompile(want).MatchString(s.stdout.String()) {
			t.Errorf("no %s in\n%s", want, s.stdout.String())
		}
	}
	if code := s.ProcessState.ExitCode(); code != 1 || strings.Count(s.stdout.String(), "\n") != 3 ||
		!strings.Contains(s.stderr.String(), "row F14: F14.sh: error: a finding that must hold does not") {
		t.Errorf("exit code %d, %s", code, s.stderr.String())
	}
	ledger := read(t, filepath.Join(folder, "out/work/collapsed/private/run.ledger"))
	run(t, folder, "cp out/work/collapsed/private/run.ledger before")
	s = bash(folder, command)
	if err := s.Run(); err != nil || !regexp.MustCompile(`(?m)^F14\t.*\tholds$`).MatchString(s.stdout.String()) {
		t.Errorf("the second time: %v, %s%s", err, s.stdout.String(), s.stderr.String())
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "out/work")); left != nil || ledger == "" {
		t.Errorf("left %v", left)
	}
}

// TestAllUsage gives all.sh wrong arguments, and data that is not there.
func TestAllUsage(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for arguments, want := range map[string]struct {
		code    int
		message string
	}{
		"--quick":                  {80, "wants OUT"},
		"--quick a b":              {80, "wants OUT"},
		"a":                        {80, "wants DATA and OUT"},
		"nowhere out":              {80, "no such folder: nowhere"},
		"--jobs 0 --quick out":     {80, "--jobs must be a positive number, is 0"},
		"--no-such-flag --quick x": {80, "unknown flag --no-such-flag"},
		"--rows '14 22' --quick x": {80, "no such row: 22"},
		". out":                    {82, "cannot unpack"},
	} {
		s := bash(folder, filepath.Join(root, "pipelines/recipes/papers/all.sh")+" "+arguments)
		s.Run()
		if code := s.ProcessState.ExitCode(); code != want.code || !strings.Contains(s.stderr.String(), want.message) {
			t.Errorf("%s: exit code %d, %q; want %d, %q", arguments, code, s.stderr.String(), want.code, want.message)
		}
	}
}

// TestFigureAgain draws figures of few rounds, and each command once more: it runs nothing again, since with fresh
// noise it would find something else. Nothing large is left of the runs. So few rounds may well fail what must hold.
func TestFigureAgain(t *testing.T) {
	testkit.Deep(t, "papers")
	t.Parallel()
	folder := t.TempDir()
	topical(t, folder)
	for name, arguments := range map[string]string{
		"F9":      "--rounds 10 --topics 2 some.jsonl rest.jsonl",
		"F11":     "--epsilons 8 --rounds 2 --topics 2 --runs 1 some.jsonl rest.jsonl",
		"F15":     "--rates '0.1 1' --topics 2 --rounds 2 --runs 1 some.jsonl rest.jsonl",
		"members": "--epsilons 8 --topics 2 --sweeps 1 --rounds 1 some.jsonl",
	} {
		command := fmt.Sprintf("%s --quick --vocab words.txt %s %s || (($? == 1))",
			filepath.Join(root, "pipelines/recipes/papers/figures", name+".sh"), arguments, name)
		findings := run(t, folder, command)
		if again := run(t, folder, command); again != findings || findings == "" {
			t.Errorf("%s: the second time it found\n%s\nand the first\n%s", name, again, findings)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, name, "runs/*/*/private/*state*.pp")); left != nil {
			t.Errorf("the runs leave %v", left)
		}
	}
}

// TestFigureGrid: there is one run of each point of F1 and F3, of 171 documents, which teach nothing. Another text in
// the folder is refused.
func TestFigureGrid(t *testing.T) {
	testkit.Deep(t, "papers")
	t.Parallel()
	folder := t.TempDir()
	run(t, folder, `comments "$(go env GOROOT)/src/fmt" >held.jsonl; head -n 100 held.jsonl >all.jsonl`)
	for _, grid := range []struct{ name, flags, holds string }{
		{"F1", "--sizes '5 10' --epsilon 100", "larger batches are better, noise of the sum, zCDP: S = 10 .* S = 5 "},
		{"F3", "--sizes '20 40'", "larger batches are better, σ = 1.24: S = 40 .* < S = 20 "},
	} {
		command := filepath.Join(root, "pipelines/recipes/papers/figures", grid.name+".sh --quick --runs 1 --topics 2 ")
		s := bash(folder, command+grid.flags+" held.jsonl held.jsonl grid")
		if s.Run(); !regexp.MustCompile(grid.holds).MatchString(s.stdout.String()) {
			t.Errorf("%s: %s%s", grid.name, s.stdout.String(), s.stderr.String())
		}
	}
	s := bash(folder, filepath.Join(root, "pipelines/recipes/papers/figures/F1.sh --quick all.jsonl held.jsonl grid"))
	if s.Run(); s.ProcessState.ExitCode() != 80 ||
		!strings.Contains(s.stderr.String(), "was begun with other settings or another text") {
		t.Errorf("another text in the folder: exit code %d, %s", s.ProcessState.ExitCode(), s.stderr.String())
	}
}

// topical makes some.jsonl and rest.jsonl, documents of five topics, each with words of its own in words.txt. Those in
// labels.jsonl are labelled by the first of their two topics, which has most of their words. Such topics are learned in
// a few rounds, and noise hides them.
func topical(t *testing.T, folder string) {
	t.Helper()
	const topics, words, tokens = 5, 120, 25
	word := func(i int) string { return fmt.Sprintf("w%c%c", 'a'+i/26, 'a'+i%26) }
	var vocabulary strings.Builder
	for i := range topics * words {
		vocabulary.WriteString(word(i) + "\n")
	}
	write(t, folder, "words.txt", vocabulary.String())
	r := rand.New(rand.NewPCG(1, 1))
	for _, f := range []struct {
		name      string
		documents int
	}{{"some.jsonl", 800}, {"rest.jsonl", 200}, {"labels.jsonl", 700}} {
		var b strings.Builder
		for range f.documents {
			of := [2]int{r.IntN(topics), r.IntN(topics)}
			if b.WriteString("{"); f.name == "labels.jsonl" {
				fmt.Fprintf(&b, `"label":%q,`, [2]string{"even", "odd"}[of[0]%2])
			}
			b.WriteString(`"text":"`)
			for range tokens {
				x := r.Float64() // some words of a topic are more frequent
				b.WriteString(word(of[r.IntN(5)/4]*words+int(words*x*x)) + " ")
			}
			b.WriteString("\"}\n")
		}
		write(t, folder, f.name, b.String())
	}
}

// TestOrder: an order of means is judged only if they are further apart than 4.5 standard deviations of their
// difference. One run's logarithm has a standard deviation of 0.1 here. So means of two runs must be 0.45 apart, and
// means of eight runs 0.225. A reversed order that must hold is the recipe's failure.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		runs               int
		kind, lower, upper string
		want               string
		code               int
	}{
		{2, "must", "100 100", "156 158", "holds\tmust\tt: a 100 < b 157 (156 to 158)", 0},
		{2, "must", "100 100", "155 157", "chance\tmust\tt: a 100 < b 156 (155 to 157)", 0},
		{2, "must", "156 156", "100 100", "chance\tmust\tt: a 156 < b 100", 0},
		{2, "must", "157 157", "100 100", "fails\tmust\tt: a 157 < b 100", 1},
		{2, "printed", "157 157", "100 100", "fails\tprinted\tt: a 157 < b 100", 0},
		{8, "must", "1e-3", "1.26e-3", "holds\tmust\tt: a 0.001 < b 0.00126", 0},
		{8, "must", "1e-3", "1.25e-3", "chance\tmust\tt: a 0.001 < b 0.00125", 0},
	} {
		s := bash(t.TempDir(),
			fmt.Sprintf("source %s; out=. name=F spread=0.1 runs=%d; order %s t a '%s' b '%s'; verdict",
				filepath.Join(root, "pipelines/recipes/papers/figures/figure.sh"), c.runs, c.kind, c.lower, c.upper))
		s.Run()
		if got := s.stdout.String(); got != c.want+"\n" || s.ProcessState.ExitCode() != c.code {
			t.Errorf("%+v: %q, exit code %d, %s", c, got, s.ProcessState.ExitCode(), s.stderr.String())
		}
	}
}

// TestFigureFails: a finding that must hold and does not ends the recipe with 1. Here account has another number in
// table 3.
func TestFigureFails(t *testing.T) {
	folder := t.TempDir()
	otherTable(t, folder)
	s := bash(folder, fmt.Sprintf("PRIVPIPE_BIN=$PWD/bin %s F14",
		filepath.Join(root, "pipelines/recipes/papers/figures/F14.sh")))
	s.Run()
	if code := s.ProcessState.ExitCode(); code != 1 || !strings.Contains(s.stdout.String(), "fails\tmust\ttable 3") {
		t.Errorf("exit code %d, %s%s; want 1", code, s.stdout.String(), s.stderr.String())
	}
}

// otherTable puts stages into the folder bin whose account has another number in table 3.
func otherTable(t *testing.T, folder string) {
	t.Helper()
	run(t, folder, `
stages=$(dirname "$(type -P account)")
mkdir bin
ln -s "$stages"/* bin
rm bin/account
printf '#!/bin/bash\n%q "$@" | sed s/0.77190/0.77290/\n' "$stages/account" >bin/account
chmod +x bin/account`)
}

// TestFigureUsage gives the recipes of figures wrong arguments, and a system that fails.
func TestFigureUsage(t *testing.T) {
	testkit.Deep(t, "papers")
	folder := t.TempDir()
	write(t, folder, "few.jsonl", `{"id":"a","text":"alpha beta"}`+"\n")
	write(t, folder, "schema.json",
		`{"columns": [{"name": "label", "type": "label", "positive": "1", "negative": "0"}]}`)
	for _, f := range figures {
		path := filepath.Join(root, "pipelines/recipes/papers/figures", f.name+".sh")
		texts := "few.jsonl few.jsonl"
		switch f.name {
		case "F6":
			path, texts = path+" --schema schema.json", "few.jsonl"
		case "F7":
			path += " --schema schema.json"
		case "F8":
			path += " --image 6x6"
		case "F12":
			texts = "few.jsonl"
		case "members": // a recipe of one text, without --runs: TestMembersUsage
			continue
		}
		for arguments, want := range map[string]struct {
			code    int
			message string
		}{
			"":                   {80, "wants "},
			"--no-such-flag 1 a": {80, "unknown flag --no-such-flag"},
			"--help":             {0, ""},
			"--runs 0 " + texts + " x": {80,
				map[bool]string{true: "unknown flag --runs",
					false: "--runs must be a number from 1 to 99, is 0"}[f.name == "F14"]},
			strings.TrimSuffix(texts, "few.jsonl") +
				"nowhere x": {80, map[bool]string{true: "wants OUT", false: "no such text: nowhere"}[f.name == "F14"]},
		} {
			s := bash(folder, path+" "+arguments)
			s.Run()
			if code := s.ProcessState.ExitCode(); code != want.code ||
				!strings.Contains(s.stderr.String(), want.message) {
				t.Errorf("%s %s: exit code %d, %q; want %d, %q", f.name, arguments, code, s.stderr.String(), want.code,
					want.message)
			}
		}
		if f.name == "F14" {
			continue
		}
		s := bash(folder, path+" --quick "+texts+" "+f.name)
		if s.Run(); s.ProcessState.ExitCode() < 80 || s.stderr.Len() == 0 {
			t.Errorf("%s of one document: exit code %d, %s", f.name, s.ProcessState.ExitCode(), s.stderr.String())
		}
	}
}

// TestClassesFigureUsage: F12 refuses flags and texts that allow no figure, before it trains anything. After a text
// that was too short, the same folder takes other settings.
func TestClassesFigureUsage(t *testing.T) {
	testkit.Deep(t, "papers")
	t.Parallel()
	folder := t.TempDir()
	topical(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/papers/figures/F12.sh")
	for _, c := range []struct{ flags, want string }{
		{"--runs 2", "--runs must be 3 or more, is 2"},
		{"--positive a --negative a", "--positive and --negative must differ, both are a"},
		{`--positive 'a"b'`, "must be labels without quotes"},
		{"--epsilons 'none 1'", "--epsilon must be a positive number, is none"},
		{"--held 0", "--held must be a positive number, is 0"},
		{"--vocab words.txt --quick", "wants 400 texts of the classes sci.med and sci.space"},
		{"--vocab words.txt --positive even --negative odd --train 600 --held 101",
			"wants 701 texts of the classes even and odd"},
	} {
		s := bash(folder, recipe+" "+c.flags+" labels.jsonl out")
		if s.Run(); s.ProcessState.ExitCode() != 80 || !strings.Contains(s.stderr.String(), c.want) {
			t.Errorf("%s: exit code %d, %s; want 80, %s", c.flags, s.ProcessState.ExitCode(), s.stderr.String(), c.want)
		}
		if runs, _ := filepath.Glob(filepath.Join(folder, "out/runs/*")); runs != nil {
			t.Errorf("%s: began %v", c.flags, runs)
		}
	}
}
