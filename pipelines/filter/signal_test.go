package filter_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"privpipe/pipelines/exit"
)

// A process is a fake that runs in a folder of its own, into which it writes a file.
type process struct {
	*exec.Cmd
	stdout *os.File
	lines  *bufio.Reader // of stdout
	stderr bytes.Buffer
}

// start starts a fake and waits until it says that it is under way.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return begin(t, exec.Command("fake", append(args, "-o", "out")...))
}

// begin is start for a command that is a fake.
func begin(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: command}
	p.Dir = t.TempDir()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close() })
	p.Stdout, p.Stderr = write, &p.stderr
	p.stdout, p.lines = read, bufio.NewReader(read)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() }) // if the test failed
	write.Close()
	if line, err := p.lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("not ready: %q, %v", line, err)
	}
	return p
}

// ended checks how the process ends: with a code, a message, and no file.
func (p *process) ended(t *testing.T, code int, stderr string) {
	t.Helper()
	p.Wait()
	if got := p.ProcessState.ExitCode(); got != code { // -1 if a signal killed it
		t.Errorf("exit code %d, want %d", got, code)
	}
	if got := p.stderr.String(); got != stderr {
		t.Errorf("stderr is %q, want %q", got, stderr)
	}
	if left, err := os.ReadDir(p.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSignalsEndTheRun(t *testing.T) {
	for _, behaviour := range []string{"wait", "hang"} {
		for s, want := range map[os.Signal]struct {
			code int
			name string
		}{
			syscall.SIGINT:  {exit.Interrupted, "SIGINT"},
			syscall.SIGTERM: {exit.Terminated, "SIGTERM"},
		} {
			t.Run(behaviour+" "+want.name, func(t *testing.T) {
				t.Parallel()
				p := start(t, behaviour)
				p.Process.Signal(s)
				p.ended(t, want.code, "fake: error: stopped by "+want.name+"\n")
			})
		}
	}
}

// TestIgnoredSignals: what was ignored when the run began stays ignored, as by nohup or in the background of a shell.
func TestIgnoredSignals(t *testing.T) {
	p := begin(t, exec.Command("sh", "-c", `trap "" INT HUP; exec fake wait -o out`))
	p.Process.Signal(syscall.SIGINT)
	p.Process.Signal(syscall.SIGHUP)
	p.Process.Signal(syscall.SIGTERM)
	p.ended(t, exit.Terminated, "fake: error: stopped by SIGTERM\n")
}

// TestReaderWentAway covers a stage that waits, as for its input, and one that is writing.
func TestReaderWentAway(t *testing.T) {
	for _, behaviour := range []string{"wait", "hang", "spew"} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			p := start(t, behaviour)
			p.stdout.Close()
			p.ended(t, exit.ClosedOutput, "")
		})
		t.Run(behaviour+" json", func(t *testing.T) {
			t.Parallel()
			p := start(t, behaviour, "--log=json")
			p.stdout.Close()
			p.ended(t, exit.ClosedOutput,
				`{"code":141,"message":"the reader of the output went away","program":"fake","type":"exit"}`+"\n")
		})
	}
}

// TestReaderHadEnough: a stage that had written everything when its reader went away ends well, as in `report | grep
// -q`.
func TestReaderHadEnough(t *testing.T) {
	p := start(t, "late")
	p.stdout.Close()
	p.ended(t, exit.OK, "")
}

func TestStatusOnRequest(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	command := exec.Command("fake", "wait", "--quiet")
	command.Dir, command.Stdout, command.Stderr = t.TempDir(), write, write
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer command.Wait()
	defer command.Process.Signal(syscall.SIGTERM)
	write.Close()
	lines := bufio.NewScanner(read)
	for lines.Scan() && lines.Text() != "ready" {
	}
	for range 2 {
		command.Process.Signal(syscall.SIGUSR1)
		if lines.Scan(); lines.Text() != "fake: round 3 of 40" {
			t.Errorf("SIGUSR1 prints %q", lines.Text())
		}
	}
}

// TestHelpHasExitCodes checks that the page that every main prints tells all that a script must know.
func TestHelpHasExitCodes(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"work", "--help"}, {"other", "--help"}} {
		var stderr strings.Builder
		command := exec.Command("fake", args...)
		command.Stderr = &stderr
		help, err := command.Output()
		if err != nil || stderr.Len() > 0 {
			t.Errorf("%v: %v, %s", args, err, &stderr)
		}
		for _, m := range exit.Meaning {
			if line := fmt.Sprintf("\n  %3d  %s\n", m.Code, m.Text); !strings.Contains(string(help), line) {
				t.Errorf("%v does not have %q", args, line)
			}
		}
		if !strings.Contains(string(help), "--dry-run by PRIVPIPE_FAKE_DRY_RUN.") {
			t.Errorf("%v does not say how the environment sets flags", args)
		}
		if strings.Contains(string(help), "$PRIVPIPE") {
			t.Errorf("%v has the environment's name at every flag", args)
		}
	}
}
