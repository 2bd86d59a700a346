package filter

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"privpipe/pipelines/endpoint"
)

// refresh is how often the line of a terminal is drawn.
const refresh = 250 * time.Millisecond

// erase clears the line that the cursor is in, and puts the cursor at its start.
const erase = "\r\x1b[K"

// A screen is standard error. If it is a terminal, a line at its end may show how far the run is; messages take its place,
// and it is drawn again below them.
type screen struct {
	out      io.Writer
	terminal bool // out is one that knows control sequences

	mutex sync.Mutex
	line  func(columns int) string // nil: none to show
	shown bool
	ended bool // nothing is drawn any more
}

func newScreen(stderr io.Writer) *screen {
	f, ok := stderr.(*os.File)
	kind := os.Getenv("TERM")
	return &screen{out: stderr, terminal: ok && term.IsTerminal(int(f.Fd())) && kind != "" && kind != "dumb"}
}

// front says that the terminal is this process's to write to, as that of a job in the background is not: there a shell
// waits for its next command.
func (s *screen) front() bool {
	if !s.terminal {
		return false
	}
	group, err := unix.IoctlGetInt(int(s.out.(*os.File).Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// Write writes a message in place of the line: that of this process, or of another stage of its pipeline.
func (s *screen) Write(message []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.shown = false
	if !s.front() {
		return s.out.Write(message)
	}
	n, err := s.out.Write(append(bytes.Clone([]byte(erase)), message...)) // at once, or another's line could come between
	return max(0, n-len(erase)), err
}

// show has the line drawn from now on.
func (s *screen) show(line func(columns int) string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.line = line
}

// draw draws the line anew.
func (s *screen) draw() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.line == nil || s.ended || !s.front() {
		return
	}
	columns, _, err := term.GetSize(int(s.out.(*os.File).Fd()))
	if err != nil {
		return
	}
	if columns == 0 { // of a terminal that does not tell
		columns = 80
	}
	// The last two columns are for the ^C that a terminal shows when it is typed: in the next line it could not be erased.
	io.WriteString(s.out, "\r"+s.line(max(0, columns-2))+"\x1b[K")
	s.shown = true
}

// end erases the line for good.
func (s *screen) end() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.shown && s.front() {
		io.WriteString(s.out, erase)
	}
	s.shown, s.ended = false, true
}

// Show has a terminal show how far the run is, as long as it runs: in one line, which line returns, at most so many columns
// wide. Of the stages of a pipeline the last one shows its line, so none does whose output, of this name, is a pipe. Where
// standard error is no terminal or the line is not wanted, line is not called.
//
// The line of a stage behind the privacy wall may hold private counts: who is at that terminal sees them, and no log.
func (r *Run) Show(output string, line func(columns int) string) {
	if !endpoint.Piped(output) {
		r.screen.show(line)
	}
}

// ShowAlways is Show of a command that has no output but its line. It says whether there is a terminal for that.
func (r *Run) ShowAlways(line func(columns int) string) bool {
	r.screen.show(line)
	return r.shows()
}

// shows says whether a line is shown at all.
func (r *Run) shows() bool {
	return r.screen.terminal && !r.common.Quiet && !r.common.NoProgress && r.common.Log != "json"
}
