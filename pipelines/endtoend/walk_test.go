package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestWalk runs the auditor's walk through the privatizer, which fails at the first surprise.
func TestWalk(t *testing.T) {
	testkit.Deep(t, "audits")
	audit, _ := walkScript(t)
	folder := t.TempDir()
	out := run(t, folder, audit+" kept")
	for _, want := range []string{
		"holds: the sum is exact\n", "last hash: ", "within the claim", "audit: all of it is as PRIVACY.md says\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "kept/run.ledger")); err != nil {
		t.Error(err)
	}
}

// TestWalkNotices puts a privatizer that errs at one point in the place of the real one: the walk must end there.
func TestWalkNotices(t *testing.T) {
	audit, py := walkScript(t)
	for name, fake := range map[string]struct{ when, does, message string }{
		"a unit lost": {"*exact.pp*", `head -n 2 people.jsonl | WRITE >two.pp && set -- "${@/people/two}"`,
			"the sum is exact"},
		"a wider clip": {"*bare.json*", `jq .clip=5 bare.json >other.json && set -- "${@/bare.json/other.json}"`,
			"counts for the clip"},
		"less noise": {"*noise.json*",
			`jq .noise_multiplier=2 noise.json >less.json && set -- "${@/noise.json/less.json}"`,
			"its scale is 3 clips"},
		"no refusal":      {"*other.pp", "exit 0", "exit code 0, not 83, of: privatize"},
		"no lock":         {"*fresh.ledger*people.pp", "exit 0", "exit code 0, not 91, of: privatize"},
		"a name let slip": {"*", "echo ada >&2", "a message names a person"},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "a unit lost" && name != "less noise" {
				testkit.Deep(t, "audits")
			}
			folder := t.TempDir()
			does := strings.Replace(fake.does, "WRITE", py+" "+filepath.Dir(audit)+"/contributions.py write", 1)
			errs := fmt.Sprintf("[[ $* != %s ]] || { %s; }\n", fake.when, does)
			write(t, folder, "privatize", "#!/usr/bin/env bash\n"+errs+
				"exec "+os.Getenv("PRIVPIPE_BIN")+"/privatize \"$@\"\n")
			s := bash(folder, "chmod +x privatize && cp -s $PRIVPIPE_BIN/{account,evaluate} . && PRIVPIPE_BIN=. "+audit)
			s.Run()
			said := regexp.MustCompile("(?m)^audit: .*" + fake.message)
			if code := s.ProcessState.ExitCode(); code != 1 || !said.MatchString(s.stderr.String()) {
				t.Errorf("%s: exit code %d, %s; want 1, %s", name, code, s.stderr.String(), said)
			}
		})
	}
}

// TestWalkUsage gives audit.sh wrong arguments.
func TestWalkUsage(t *testing.T) {
	audit, _ := walkScript(t)
	for arguments, message := range map[string]string{
		"a b": "wants at most FOLDER, see --help", ".": ". is there already", "--runs 3": "unknown flag --runs",
	} {
		s := bash(t.TempDir(), audit+" "+arguments)
		s.Run()
		if code := s.ProcessState.ExitCode(); code != 80 || !strings.Contains(s.stderr.String(), message) {
			t.Errorf("audit.sh %s: exit code %d, %s; want 80, %s", arguments, code, s.stderr.String(), message)
		}
	}
	if help := run(t, t.TempDir(), audit+" --help"); !strings.Contains(help, "audit.sh [FOLDER]") {
		t.Errorf("audit.sh --help: %s", help)
	}
}

// walkScript returns the path of audit.sh and the Python for it, or skips the test.
func walkScript(t *testing.T) (audit, py string) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("audit.sh needs jq")
	}
	return filepath.Join(root, "pipelines/recipes/audit.sh"), python(t, "json", "struct")
}
