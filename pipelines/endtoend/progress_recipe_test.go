package endtoend

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestRecipeProgress trains by the recipe on a terminal. One line shows while the recipe reads the text, then one line
// of the whole training. The ε in that line grows up to the budget. The results come below a clean screen.
func TestRecipeProgress(t *testing.T) {
	testkit.Deep(t, "operations")
	folder := t.TempDir()
	comments(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") + " --epsilon 2 --topics 5 --rounds 60 comments.jsonl "
	line := regexp.MustCompile(`^account(: waiting for the first charge| \[=*>? *\] +\d+ %  release \d+ of 60(, waiting for the first charge)?` +
		`(, ε [\d.]+ of 2)?(, ETA \d+s)?(, [\d.]+ releases/s)?(, δ 1e-06)?)$`)
	// of the text, and of the words
	before := regexp.MustCompile(`^(tokenize|mstep) \[=*>? *\] +\d+ %  ([\d.]+ .?B of|round 1 of 1$)`)
	x := onScreen(t, folder, recipe+"out")
	if code := x.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	lines, spent := 0, ""
	for _, shown := range x.Shown() {
		if strings.HasPrefix(shown, "account") && !strings.HasPrefix(shown, "accountant ") {
			if lines++; !line.MatchString(shown) {
				t.Errorf("shown: %q", shown)
			}
			if found := regexp.MustCompile(`ε [\d.]+ of`).FindString(shown); found != "" {
				spent = found
			}
		} else if strings.Contains(shown, "of 60") || strings.Contains(shown, "[=") && !before.MatchString(shown) {
			t.Errorf("another line is shown: %q", shown)
		}
	}
	if lines < 2 || spent == "" {
		t.Errorf("%d lines are shown, the last of ε is %q", lines, spent)
	}
	// Nothing is said of the private text, and the results follow. Noise decides whether mstep warns of weak topics,
	// and whether the recipe advises frequencies alone.
	unwarned := func(said string) string {
		said = regexp.MustCompile(`(?m)^mstep: (warning|hint): .*\n`).ReplaceAllString(said, "")
		// It takes several rows of the screen.
		const advice = `(?ms)^lda\.sh: topics of so small a text .*? adds to that\n`
		return regexp.MustCompile(advice).ReplaceAllString(said, "")
	}
	screen := unwarned(x.Screen())
	if table, results, _ := strings.Cut(screen, "lda.sh: began the ledger out/private/run.ledger\n"); table != "" ||
		!strings.HasPrefix(results, "topic  share") || strings.Contains(screen, "release ") {
		t.Errorf("left on the screen:\n%s", screen)
	}
	t.Logf("%d lines, %s", lines, spent)

	// Stopped by ^C, it leaves the messages of those that were stopped, or lost those before them.
	x = onScreen(t, folder, recipe+"stopped")
	x.Await("a line of the training", func(shown string) bool { return strings.Contains(shown, " of 60") })
	x.Type("\x03")
	if code := x.Wait(); code != 130 {
		t.Errorf("exit code %d after ^C", code)
	}
	_, after, _ := strings.Cut(unwarned(x.Screen()), "lda.sh: began the ledger stopped/private/run.ledger\n")
	for _, left := range strings.Split(strings.TrimSuffix(after, "\n"), "\n") {
		const endsEarly = `^lda.sh: to end it here because of what it released costs ε 2 at δ 0.000001, which is that of the whole plan`
		if !regexp.MustCompile(`^\w+: (error|hint): [^\[]+$|^lda.sh: stopped; run the same command to resume$|` +
			endsEarly + `$`).MatchString(left) {
			t.Errorf("left on the screen after ^C: %q", left)
		}
	}

	// A stage that fails says why, and the line is gone: the charge is of another data set than those before.
	x = onScreen(t, folder, "rm out/public/model.pp; "+
		"sed -i 's/dataset default/dataset other/' out/private/settings; "+recipe+"out --dataset other")
	if code := x.Wait(); code != 83 {
		t.Errorf("exit code %d of a recipe that fails", code)
	}
	if screen := x.Screen(); !strings.Contains(screen, "privatize: error: ") || strings.Contains(screen, "release ") &&
		strings.Contains(screen, "[=") {
		t.Errorf("left on the screen:\n%s", screen)
	}

	// Without a terminal nothing of all this is said.
	quiet := bash(folder, "export TERM=xterm; "+recipe+"again >printed")
	toldLast := regexp.MustCompile(
		`^lda\.sh: began the ledger again/private/run\.ledger\npage: .*\nmodel: .*\nprivate: .*\nnext: .*\n$`)
	if err := quiet.Run(); err != nil || !toldLast.MatchString(unwarned(quiet.stderr.String())) {
		t.Errorf("%v; standard error has %q", err, quiet.stderr.String())
	}
}
