package endtoend

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/testkit/seeded"
	"privpipe/pipelines/testkit/stages"
)

func TestMain(m *testing.M) { stages.Main(m, stages.Pipes) }

var root = stages.Root

var vocabulary = filepath.Join(root, "pipelines/vocabulary/english.txt")

// shared returns the path of a file of the shared folder (real corpora, other tools' scripts), or skips the test. The
// folder stands beside the project, or where PRIVPIPE_SHARED says.
func shared(t testing.TB, path ...string) string {
	t.Helper()
	folder := os.Getenv("PRIVPIPE_SHARED")
	if folder == "" {
		folder = filepath.Join(root, "../shared")
	}
	file := filepath.Join(append([]string{folder}, path...)...)
	if _, err := os.Stat(file); err != nil {
		t.Skipf("no %s: this test needs the shared data (PRIVPIPE_SHARED)", file)
	}
	return file
}

// A shell is a bash script under way in a folder.
type shell struct {
	*exec.Cmd
	stdout, stderr strings.Builder
}

// bash prepares a script in strict mode. In a folder of package seeded its stages draw from the seed.
func bash(folder, script string) *shell {
	s := &shell{Cmd: exec.Command("bash", "-c", "set -euo pipefail\n"+script)}
	s.Dir, s.Env, s.Cmd.Stdout, s.Cmd.Stderr = folder, seeded.Env(folder), &s.stdout, &s.stderr
	return s
}

// run runs a script, which must succeed, and returns its output.
func run(t testing.TB, folder, script string) string {
	t.Helper()
	s := bash(folder, script)
	if err := s.Run(); err != nil {
		t.Fatalf("%s\n%v\n%s", script, err, s.stderr.String())
	}
	return s.stdout.String()
}

// ends runs a script, which must end with this exit code and say this, and returns its output and what it says.
func ends(t testing.TB, folder, script string, code int, want string) string {
	t.Helper()
	s := bash(folder, script)
	s.Run()
	said := s.stdout.String() + s.stderr.String()
	if got := s.ProcessState.ExitCode(); got != code || !strings.Contains(s.stderr.String(), want) {
		t.Errorf("%s: exit code %d, %s; want %d, %s", script, got, said, code, want)
	}
	return said
}

func write(t testing.TB, folder, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// comments makes comments.jsonl, real text of some thousand documents, in folder: the comments of Go's own network
// packages.
func comments(t testing.TB, folder string) {
	t.Helper()
	run(t, folder, `comments "$(go env GOROOT)/src/net" >comments.jsonl`)
}

// decompress writes the content of a .zst file to another.
func decompress(t testing.TB, from, to string) {
	t.Helper()
	in, err := plain.Open(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
}
