package crash

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"time"
)

// A Program is a program to run.
type Program struct {
	Path     string
	Args     []string // without the program's name
	Dir      string   // where it runs
	Env      []string // nil: that of this process
	Files    [3]*os.File
	Deadline time.Duration // after which it is killed, and Run fails
	Every    bool          // all calls are visited, else only those that have a name in Call, which takes half the time
}

// A Call is a system call.
type Call struct {
	Name string // as the manual spells it; empty for a call that is not known to touch files

	// Path is the absolute path of the file, which the call has by name or by descriptor. A pipe's is "pipe:[number]", and
	// that of a file without a name ends with " (deleted)".
	Path   string
	Target string // the second path of a rename, the new name
	File   int    // descriptor, -1 where the call has a name
	Count  int    // bytes to write
	Flags  int    // of an open
}

// Writes says whether c writes bytes.
func (c *Call) Writes() bool {
	return strings.HasPrefix(c.Name, "write") || strings.HasPrefix(c.Name, "pwrite")
}

// Below says whether c is about folder or something below it.
func (c *Call) Below(folder string) bool { return below(c.Path, folder) || below(c.Target, folder) }

func below(path, folder string) bool {
	rest, found := strings.CutPrefix(path, folder)
	return found && (rest == "" || rest[0] == '/')
}

// A Stop is a moment at which the thread of a call stands still: before the call, or after it.
type Stop struct {
	Call
	After  bool
	Result int // of the call, after it; negative: minus the error's number

	shorten func(bytes int) error
}

// Shorten makes a write that is about to begin write fewer bytes than it wants. Only for calls that write one buffer.
func (s *Stop) Shorten(bytes int) error {
	if s.After || s.Name != "write" && s.Name != "pwrite64" || bytes < 0 || bytes > s.Count {
		return errors.New("crash: this is no write to shorten")
	}
	return s.shorten(bytes)
}

// An End is how a program ended.
type End struct {
	Killed bool // by a visit
	Status syscall.WaitStatus
}

var errDeadline = errors.New("crash: the program did not end by its deadline")
