package broker

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
)

// ends runs broker.sh and returns its exit code.
func ends(t *testing.T, arguments ...string) int {
	t.Helper()
	command := exec.Command(script(), arguments...)
	out, err := command.CombinedOutput()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	t.Logf("%s", out)
	return command.ProcessState.ExitCode()
}

func TestScriptRefuses(t *testing.T) {
	folder := t.TempDir()
	jars := filepath.Join(folder, "jars")
	t.Setenv("PRIVPIPE_KAFKA_JARS", jars)
	if err := os.Mkdir(jars, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(jars, "other.jar"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	// A process is no broker because a file that was left names it.
	bystander := exec.Command("cat")
	input, err := bystander.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "pid"), fmt.Appendln(nil, bystander.Process.Pid), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		arguments []string
		code      int
	}{
		{"help", []string{"--help"}, exit.OK},
		{"nothing", nil, exit.Usage},
		{"no folder", []string{"start"}, exit.Usage},
		{"unknown command", []string{"begin", folder}, exit.Usage},
		{"a folder that Java would split", []string{"start", folder + "/a,b"}, exit.Usage},
		{"other jars", []string{"start", folder}, exit.Malformed},
		{"nothing to pause", []string{"pause", folder}, exit.Missing},
		{"nothing to stop", []string{"stop", folder}, exit.OK},
		{"nothing to kill", []string{"kill", folder}, exit.OK},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code := ends(t, c.arguments...); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
		})
	}
	input.Close()
	if err := bystander.Wait(); err != nil {
		t.Errorf("another process got the signal: %v", err)
	}
}

// TestScriptVersions: each version has jars of its own, and no other is known.
func TestScriptVersions(t *testing.T) {
	folder, jars := t.TempDir(), os.Getenv("PRIVPIPE_KAFKA_JARS")
	t.Setenv("PRIVPIPE_KAFKA_VERSION", "4.0")
	if code := ends(t, "fetch", folder); code != exit.Usage {
		t.Errorf("version 4.0: exit code %d, want %d", code, exit.Usage)
	}
	if _, err := os.Stat(jars); err != nil {
		t.Skip("no folder of jars: PRIVPIPE_KAFKA_JARS")
	}
	codes := make(map[int]int)
	for _, version := range []string{"3.9", "4.1"} {
		t.Setenv("PRIVPIPE_KAFKA_VERSION", version)
		codes[ends(t, "fetch", folder)]++
	}
	if codes[exit.OK] != 1 || codes[exit.Malformed] != 1 {
		t.Errorf("exit codes for both versions: %v, want that one takes the jars and the other refuses them", codes)
	}
}

// TestScriptRunsOne checks that a folder has one broker at most, and either has TLS from its beginning or never.
func TestScriptRunsOne(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := Own(t)
	if code := ends(t, "start", b.folder); code != exit.Locked {
		t.Errorf("a second broker: exit code %d, want %d", code, exit.Locked)
	}
	clear := filepath.Join(t.TempDir(), "clear")
	if err := os.Mkdir(clear, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(clear, "server.properties"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if code := ends(t, "start", "--secure", clear); code != exit.Usage {
		t.Errorf("--secure for a broker without: exit code %d, want %d", code, exit.Usage)
	}
}
