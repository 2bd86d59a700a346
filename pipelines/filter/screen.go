package filter

import (
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"privpipe/pipelines/endpoint"
)

// refresh is the time between two drawings of the progress line.
const refresh = 250 * time.Millisecond

// erase clears the cursor's line, and moves the cursor to its start.
const erase = "\r\x1b[K"

// A screen is standard error. On a terminal, the last line may show the progress of the run. A message replaces the
// progress line, which is then drawn again below the message.
type screen struct {
	out      io.Writer
	terminal bool // out is a terminal that knows control sequences

	mutex sync.Mutex
	line  func(columns int) string // nil if there is no line to show
	shown bool
	ended bool // nothing is drawn after end
}

func newScreen(stderr io.Writer) *screen {
	f, ok := stderr.(*os.File)
	kind := os.Getenv("TERM")
	return &screen{out: stderr, terminal: ok && term.IsTerminal(int(f.Fd())) && kind != "" && kind != "dumb"}
}

// front says whether the process is in the foreground of its terminal. In the background, a shell may be waiting for
// its next command on the same line.
func (s *screen) front() bool {
	if !s.terminal {
		return false
	}
	group, err := unix.IoctlGetInt(int(s.out.(*os.File).Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// Write writes a message over the progress line, whether this process or another stage of its pipeline drew that line.
func (s *screen) Write(message []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.shown = false
	text := endpoint.Visible(string(message), true)
	if s.front() {
		text = erase + text // in one write, since another stage's line could come between two
	}
	if _, err := io.WriteString(s.out, text); err != nil {
		return 0, err
	}
	return len(message), nil
}

// show sets the line that draw draws.
func (s *screen) show(line func(columns int) string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.line = line
}

// draw draws the line again.
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
	if columns == 0 { // the terminal does not report its width
		columns = 80
	}
	// The last two columns stay free for a typed ^C, which a terminal echoes. On the next line it could not be erased.
	io.WriteString(s.out, "\r"+endpoint.Visible(s.line(max(0, columns-2)), false)+"\x1b[K")
	s.shown = true
}

// end erases the line, and nothing is drawn after it.
func (s *screen) end() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.shown && s.front() {
		io.WriteString(s.out, erase)
	}
	s.shown, s.ended = false, true
}

// Show shows the progress of the run on a terminal, in one line, while the run lasts. line returns the text, at most
// columns wide. Only the last stage in a pipeline shows its line, so Show does nothing if output names a pipe. line is
// not called if standard error is no terminal or if a flag turns the line off.
//
// The line of a stage inside the privacy wall may hold private counts. Only the user at that terminal sees them, and no
// log holds them.
func (r *Run) Show(output string, line func(columns int) string) {
	if !endpoint.Piped(r, output) {
		r.screen.show(line)
	}
}

// ShowAlways does the same as Show, for a command with no output except its line. It returns whether the line is
// shown.
func (r *Run) ShowAlways(line func(columns int) string) bool {
	r.screen.show(line)
	return r.shows()
}

// shows says whether the progress line is shown.
func (r *Run) shows() bool {
	return r.screen.terminal && !r.common.Quiet && !r.common.NoProgress && r.common.Log != "json"
}
