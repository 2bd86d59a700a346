package topics

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/stages"
)

// TestProgress trains by a recipe over topics on a terminal, where all stages stand side by side and none has a pipe.
// With a grant account watch shows the only line, and without a grant mstep does.
func TestProgress(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	for _, c := range []struct{ recipe, line, never string }{
		{"lda.sh --epsilon 2", `^account \[=*>? *\] +\d+ %  release \d+ of 20`, `mstep.* of 20`},
		{"online-lda.sh --batch 200", `^mstep \[=*>? *\] +\d+ %  round \d+ of 20`, `account`},
	} {
		folder := t.TempDir()
		run := b.Topic(t, "progress", 1, nil)
		command := exec.Command("bash", "-c", `
set -euo pipefail
comments "$(go env GOROOT)/src/net/http" >docs.jsonl
exec `+filepath.Join(stages.Root, "pipelines/recipes", c.recipe)+` --brokers `+b.Address+` --run `+run+` --workers 2 --rounds 20 --topics 5 docs.jsonl out`)
		command.Dir = folder
		x := testkit.Start(t, command, 150)
		if code := x.Wait(); code != 0 {
			t.Errorf("%s: exit code %d", c.recipe, code)
		}
		lines, never := 0, regexp.MustCompile(`^(`+c.never+`|(sample|estep|privatize)( \[|: (round )?\d))|\[.*\].*\[`)
		for _, shown := range x.Shown() {
			if regexp.MustCompile(c.line).MatchString(shown) {
				lines++
			}
			if never.MatchString(shown) && !strings.HasPrefix(shown, "accountant ") {
				t.Errorf("%s: another line is shown: %q", c.recipe, shown)
			}
		}
		if lines == 0 || strings.Contains(x.Screen(), "] ") {
			t.Errorf("%s: %d lines; left on the screen:\n%s", c.recipe, lines, x.Screen())
		}
		if _, err := os.Stat(filepath.Join(folder, "out/public/model.pp")); err != nil {
			t.Error(err)
		}
	}
}
