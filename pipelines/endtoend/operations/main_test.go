package operations

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"privpipe/pipelines/testkit/stages"
)

func TestMain(m *testing.M) { stages.Main(m) }

// kafka is the folder of what is tested.
var kafka = filepath.Join(stages.Root, "pipelines/recipes/kafka")

func read(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// bash runs a script in a folder, which must succeed, and returns its output.
func bash(t testing.TB, folder, script string) string {
	t.Helper()
	command := exec.Command("bash", "-c", "set -euo pipefail\n"+script)
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", script, err, out)
	}
	return string(out)
}
