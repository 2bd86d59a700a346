package topics

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
)

// TestNetworked: a stage becomes program networked where a port or a topic is named, by a flag, the environment or a
// configuration from a pipe. A stage that is alone says what it lacks.
func TestNetworked(t *testing.T) {
	folder := t.TempDir()
	serves := func(script string) {
		t.Helper()
		c := exec.Command("bash", "-c", `set -e -o pipefail
echo '{"text": "a topic"}' | tokenize text -q -o docs.pp
`+script)
		c.Dir = folder
		out, err := c.CombinedOutput()
		if err != nil || strings.Count(string(out), "metrics at http://127.0.0.1:") != 1 {
			t.Errorf("%s: %v: %s", script, err, out)
		}
	}
	serves("show -v --metrics 127.0.0.1:0 docs.pp")
	serves("PRIVPIPE_SHOW_METRICS=127.0.0.1:0 show -v docs.pp")
	serves(`show -v --config <(echo '{"metrics": "127.0.0.1:0"}') docs.pp`)
	serves("show -v --metrics=127.0.0.1:0 - <docs.pp")

	path, err := exec.LookPath("show")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	alone := filepath.Join(folder, "show")
	if err == nil {
		err = os.WriteFile(alone, program, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	for argument, want := range map[string]string{
		"kafka://127.0.0.1:1/releases":  "this program has no transport for topics",
		"--metrics=127.0.0.1:0 docs.pp": "show opens no port",
	} {
		c := exec.Command(alone, strings.Fields(argument)...)
		c.Dir = folder
		out, _ := c.CombinedOutput()
		if c.ProcessState.ExitCode() != exit.Usage || !strings.Contains(string(out), want) {
			t.Errorf("%s: exit code %d: %s", argument, c.ProcessState.ExitCode(), out)
		}
	}
	// It runs nothing else, and says so as a stage does.
	c := exec.Command("networked", "privatize")
	if out, _ := c.CombinedOutput(); c.ProcessState.ExitCode() != exit.Usage ||
		!strings.Contains(string(out), "networked: error: no stage privatize is here") {
		t.Errorf("%s", out)
	}
}
