package testkit

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// A Terminal runs one program in the foreground, as a session leader.
type Terminal struct {
	t       testing.TB
	command *exec.Cmd
	keys    *os.File
	mutex   sync.Mutex
	screen  screen
	written int64         // bytes
	read    chan struct{} // closed at the end of all output
}

// Start starts a command on a terminal with the given number of columns. Standard streams that the command does not set
// are the terminal.
func Start(t testing.TB, command *exec.Cmd, columns int) *Terminal {
	t.Helper()
	if command.Env == nil {
		command.Env = os.Environ()
	}
	command.Env = append(command.Env, "TERM=xterm")
	f, err := pty.StartWithSize(command, &pty.Winsize{Rows: 24, Cols: uint16(columns)})
	if err != nil {
		t.Fatal(err)
	}
	x := &Terminal{t: t, command: command, keys: f, screen: screen{columns: columns, lines: [][]rune{nil}},
		read: make(chan struct{})}
	t.Cleanup(func() {
		syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // programs that the test left in the foreground
		x.ended()
		f.Close()
	})
	go x.follow()
	return x
}

// follow reads the output until no program has the terminal open.
func (x *Terminal) follow() {
	defer close(x.read)
	b := make([]byte, 1<<16)
	for {
		n, err := x.keys.Read(b)
		x.mutex.Lock()
		x.screen.write(b[:n])
		x.written += int64(n)
		x.mutex.Unlock()
		if err != nil {
			return
		}
	}
}

// Type types keys, for example "\x03" for ^C.
func (x *Terminal) Type(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.keys, keys); err != nil {
		x.t.Fatal(err)
	}
}

// Resize changes the width of the terminal to the given number of columns.
func (x *Terminal) Resize(columns int) {
	x.t.Helper()
	x.mutex.Lock()
	x.screen.columns = columns
	x.mutex.Unlock()
	if err := pty.Setsize(x.keys, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
		x.t.Fatal(err)
	}
}

// Shown returns all lines that the terminal has shown, in order. Each time the cursor leaves its line or returns to its
// beginning, the line's text is added. So a line may appear several times.
func (x *Terminal) Shown() []string {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	return append([]string(nil), x.screen.shown...)
}

// Screen returns the lines on the screen, including lines that scrolled away. Blanks at the ends of lines and empty
// lines at the end are left out.
func (x *Terminal) Screen() string {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	var all strings.Builder
	for _, line := range x.screen.lines {
		all.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	if text := strings.TrimRight(all.String(), "\n"); text != "" {
		return text + "\n"
	}
	return ""
}

// Await waits until a line that satisfies is has been shown.
func (x *Terminal) Await(what string, is func(line string) bool) {
	x.t.Helper()
	ctx, end := Progress(30*time.Second, x.progress)
	defer end()
	if err := Wait(ctx, func() bool { return slices.ContainsFunc(x.Shown(), is) }); err != nil {
		x.t.Fatalf("never %s on the terminal (%v):\n%q", what, err, x.Shown())
	}
}

// progress is a state for Progress.
func (x *Terminal) progress() int64 {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	return x.written
}

// ended waits for the end of all output.
func (x *Terminal) ended() {
	x.t.Helper()
	ctx, end := Progress(10*time.Second, x.progress)
	defer end()
	select {
	case <-x.read:
	case <-ctx.Done():
		x.t.Errorf("a program does not leave the terminal (%v):\n%s", context.Cause(ctx), x.Screen())
	}
}

// Wait waits for the end of the program and of all output, and returns the exit code. It checks that the terminal
// received only output that a screen knows.
func (x *Terminal) Wait() int {
	x.t.Helper()
	err := x.command.Wait()
	if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) {
		x.t.Fatal(err)
	}
	x.ended()
	x.mutex.Lock()
	defer x.mutex.Unlock()
	for _, fault := range x.screen.faults {
		x.t.Error(fault)
	}
	return x.command.ProcessState.ExitCode()
}
