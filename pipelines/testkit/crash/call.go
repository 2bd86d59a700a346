package crash

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"time"

	"privpipe/pipelines/testkit/durable"
)

// A Program is a program to run.
type Program struct {
	Path     string
	Args     []string // without the program's name
	Dir      string   // the folder where the program runs
	Env      []string // nil: the environment of this process
	Files    [3]*os.File
	Deadline time.Duration // the program is killed after this time, and Run fails
	Every    bool          // visit all calls, not only the calls that have a name in Call; that takes twice as long
}

// A Call is a system call.
type Call struct {
	Name string // as the manual spells it; empty: the call is not known to touch files

	// Path is the file's absolute path. The call gives the file by name or by descriptor. A pipe has the path
	// "pipe:[number]". The path of a file without a name ends with " (deleted)".
	Path   string
	Target string // the second path in a rename: the new name
	File   int    // the descriptor, -1 if the call gives a name
	Count  int    // bytes to write
	Flags  int    // the flags of an open
}

// Writes says whether c writes bytes.
func (c *Call) Writes() bool {
	return strings.HasPrefix(c.Name, "write") || strings.HasPrefix(c.Name, "pwrite")
}

// Below says whether c is about folder or a file below it.
func (c *Call) Below(folder string) bool {
	return durable.Below(c.Path, folder) || durable.Below(c.Target, folder)
}

// A Stop is a moment when a calling thread stands still, before or after the call.
type Stop struct {
	Call
	After  bool
	Result int // the result after the call; negative: minus the error's number

	shorten func(bytes int) error
}

// Shorten makes a write that is about to begin write fewer bytes than requested. It is only for calls that write one
// buffer.
func (s *Stop) Shorten(bytes int) error {
	if s.After || s.Name != "write" && s.Name != "pwrite64" || bytes < 0 || bytes > s.Count {
		return errors.New("crash: this is no write to shorten")
	}
	return s.shorten(bytes)
}

// An End says how a program ended.
type End struct {
	Killed bool // killed by a visit
	Status syscall.WaitStatus
}

var errDeadline = errors.New("crash: the program did not end by its deadline")
