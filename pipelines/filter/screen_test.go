package filter_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
)

var drawn = regexp.MustCompile(`^line \d+, so wide: =*$`)

// onTerminal starts a shell command on a terminal.
func onTerminal(t *testing.T, columns int, script string) *testkit.Terminal {
	t.Helper()
	command := exec.Command("sh", "-c", script)
	command.Dir = t.TempDir()
	return testkit.Start(t, command, columns)
}

// TestLine draws a line while messages come and go. Each takes the line's place, and nothing of the line stays behind.
func TestLine(t *testing.T) {
	begun := time.Now()
	x := onTerminal(t, 60, "exec fake show -o out")
	if code := x.Wait(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	const message = "fake: warning: a warning"
	if want := strings.Repeat(message+"\n", 3) + "fake: error: file does not exist\n"; x.Screen() != want {
		t.Errorf("left on the screen:\n%s", x.Screen())
	}
	lines, since := 0, 0 // since: drawn after the last message
	for _, shown := range x.Shown() {
		switch {
		case drawn.MatchString(shown):
			if n := utf8.RuneCountInString(shown); n != 58 {
				t.Errorf("the line is %d columns wide of 60", n)
			}
			lines++
			since++
		case shown == message:
			if since == 0 {
				t.Error("the line did not come back")
			}
			since = 0
		case !strings.HasPrefix(shown, "fake: error: "):
			t.Errorf("shown: %q", shown)
		}
	}
	// A line a tick, and twice where a message erases it.
	if most := 10 + int(time.Since(begun)/(200*time.Millisecond)); lines < 4 || lines > most {
		t.Errorf("drawn %d times", lines)
	}
}

// TestLineFollowsTheWidth makes the terminal narrower while there is a line, to almost nothing.
func TestLineFollowsTheWidth(t *testing.T) {
	x := onTerminal(t, 90, "exec fake watch -o out")
	for _, columns := range []int{90, 30, 3} {
		x.Resize(columns)
		x.Await(fmt.Sprintf("a line of %d columns", columns-2), func(line string) bool {
			return utf8.RuneCountInString(line) == columns-2
		})
	}
	x.Type("\x03")
	if code := x.Wait(); code != exit.Interrupted {
		t.Errorf("exit code %d", code)
	}
}

// TestInterruptedLine: a line that ^C ends leaves nothing behind, but the message.
func TestInterruptedLine(t *testing.T) {
	for script, ends := range map[string][]int{
		"exec fake watch -o out": {exit.Interrupted},
		// the shell ends by the signal, or by its children's code
		"fake copy | fake watch -o out": {-1, exit.Interrupted},
	} {
		x := onTerminal(t, 80, script)
		x.Await("a line", drawn.MatchString)
		x.Type("\x03")
		if code := x.Wait(); !slices.Contains(ends, code) {
			t.Errorf("%s: exit code %d", script, code)
		}
		if x.Screen() != "fake: error: stopped by SIGINT\n" {
			t.Errorf("%s: left on the screen:\n%s", script, x.Screen())
		}
	}
}

// TestStatusBesideTheLine asks a stage for its status while its line is shown.
func TestStatusBesideTheLine(t *testing.T) {
	command := exec.Command("fake", "watch", "-o", "out")
	command.Dir = t.TempDir()
	x := testkit.Start(t, command, 80)
	x.Await("a line", drawn.MatchString)
	command.Process.Signal(syscall.SIGUSR1)
	x.Await("the status", func(line string) bool { return line == "fake: round 3 of 40" })
	command.Process.Signal(syscall.SIGTERM)
	if code := x.Wait(); code != exit.Terminated {
		t.Errorf("exit code %d", code)
	}
	if x.Screen() != "fake: round 3 of 40\nfake: error: stopped by SIGTERM\n" {
		t.Errorf("left on the screen:\n%s", x.Screen())
	}
}

// TestOutputOnATerminal: the line is gone for good before output comes to the terminal.
func TestOutputOnATerminal(t *testing.T) {
	x := onTerminal(t, 80, "exec fake print -o out")
	if code := x.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	shown := x.Shown()
	if len(shown) < 2 || !drawn.MatchString(shown[0]) || shown[len(shown)-1] != "an answer" ||
		x.Screen() != "an answer\n" {
		t.Errorf("shown %q, and left\n%s", shown, x.Screen())
	}
}

// TestLineEnds: a run that ends well leaves nothing behind.
func TestLineEnds(t *testing.T) {
	x := onTerminal(t, 80, "exec fake print -o out >to")
	if code := x.Wait(); code != 0 || x.Screen() != "" {
		t.Errorf("exit code %d; left on the screen:\n%s", code, x.Screen())
	}
	if shown := x.Shown(); len(shown) == 0 || !drawn.MatchString(shown[0]) {
		t.Errorf("shown: %q", shown)
	}
}

// TestNoLine is about runs that must show none, each beside one that differs in one thing and shows one.
func TestNoLine(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		lines  bool
	}{
		"by default":                {"exec fake watch -o out", true},
		"--quiet":                   {"exec fake watch -o out --quiet", false},
		"--no-progress":             {"exec fake watch -o out --no-progress", false},
		"by the environment":        {"PRIVPIPE_FAKE_NO_PROGRESS=1 exec fake watch -o out", false},
		"--log json":                {"exec fake watch -o out --log json", false},
		"a dumb terminal":           {"TERM=dumb exec fake watch -o out", false},
		"no TERM":                   {"unset TERM; exec fake watch -o out", false},
		"a file as output":          {"exec fake watch -o out >to", true},
		"redirected":                {"exec fake watch -o out 2>to", false},
		"into a pipe":               {"fake watch | cat >to", false},
		"into a FIFO":               {"mkfifo fifo; cat fifo >to & exec fake watch -o fifo", false},
		"a file, and a pipe beside": {"fake watch -o out | cat >to", true},
		"always, into a pipe":       {"fake always | cat >to", true},
		"always, --quiet":           {"exec fake always -o out --quiet", false},
		"in the background":         {"set -m; fake watch -o out & sleep 1; kill $!; wait", false},
		"in the script's group":     {"fake watch -o out & wait", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := onTerminal(t, 80, c.script)
			if c.lines {
				x.Await("a line", drawn.MatchString)
			} else {
				time.Sleep(1500 * time.Millisecond)
			}
			for _, shown := range x.Shown() {
				if !c.lines && drawn.MatchString(shown) {
					t.Fatalf("shown: %q", shown)
				}
			}
		})
	}
}
