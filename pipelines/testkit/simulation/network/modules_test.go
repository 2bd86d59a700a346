package network

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/stages"
)

// TestSameTrace runs TestTraces with the edited modules, ten times a seed. The gate has 100 runs, part simulate
// 1,000.
// With the modules as they are, the first seed fails already: TestTraces compares the names of topics and members, too.
func TestSameTrace(t *testing.T) {
	binary := built(t)
	runs := testkit.Repeats(t, "simulate", 100, 1000)
	inner := exec.Command(binary, "-test.run=^TestTraces$", "-test.v")
	inner.Env = append(os.Environ(), fmt.Sprintf("%s=%d", traces, runs))
	output, err := inner.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS: TestTraces") {
		t.Fatalf("%v\n%s", err, output)
	}
	t.Logf("%s", output)
}

// built builds this package's tests with the edited modules.
func built(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	modules, err := Modules(stages.Root, folder)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "network.test")
	build := exec.Command("go", "test", "-c", "-trimpath", "-modfile", modules, "-o", binary, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return binary
}

// TestEdits: an edit refuses a file that does not have the text as often as it says.
func TestEdits(t *testing.T) {
	for content, want := range map[string]string{"a b": "x b", "a a": "", "b": ""} {
		got, err := Edit{File: "f", From: "a", To: "x"}.Apply(content)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q becomes %q, %v", content, got, err)
		}
	}
	if got, err := (Edit{From: "a", To: "x", Times: 2}).Apply("a a"); got != "x x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
