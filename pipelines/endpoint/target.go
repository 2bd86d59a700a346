package endpoint

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// A Target is the destination of an output name: a file, which may be missing, or an open descriptor.
type Target struct {
	Path       string // without links; a descriptor's path is not followed
	Descriptor int    // the number of this process's descriptor; -1: the target is no such descriptor
	foreign    bool   // Path names a descriptor of another process
}

// mostLinks bounds the symbolic links that a name may lead through, as in Linux (path_resolution(7)).
const mostLinks = 40

// Resolve follows the symbolic links of a name, even to a missing file. It does not follow descriptors: /dev/stdout may
// be a link to a log, and replacing the log would lose it for the program that opened it to append.
func Resolve(name string) (Target, error) {
	next := name
	for range mostLinks {
		folder, base := filepath.Split(next) // not filepath.Dir, which treats "link/.." differently from the system
		folder, err := filepath.EvalSymlinks(folder + ".")
		if err != nil {
			return Target{}, named(name, err)
		}
		t := Target{Path: filepath.Join(folder, base), Descriptor: -1}
		if number, own, ok := descriptor(folder, base); ok {
			if t.foreign = !own; own {
				t.Descriptor = number
			}
			return t, nil
		}
		link, err := os.Readlink(t.Path)
		if err != nil {
			return t, nil
		}
		if next = link; !filepath.IsAbs(link) {
			next = folder + string(filepath.Separator) + link
		}
	}
	return Target{}, &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
}

// IsStdout says whether an output name leads to standard output.
func IsStdout(name string) bool {
	if name == "" || name == Stdio {
		return true
	}
	t, err := Resolve(name)
	return err == nil && t.Descriptor == syscall.Stdout
}

// named makes err name the file as the caller named it.
func named(name string, err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// Special says whether a name leads to a descriptor, a FIFO or a device. Bytes written there stay, and cannot be
// replaced.
func Special(name string) bool {
	t, err := Resolve(name)
	if err != nil {
		return false
	}
	info, err := os.Stat(t.Path)
	return t.Descriptor >= 0 || t.foreign || err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// CheckKept checks a file that a stage keeps for its next start. The stage replaces this file, so CheckKept refuses a
// name that cannot be replaced.
func CheckKept(flag, name string) error {
	if name != "" && (IsStdout(name) || Special(name)) {
		return exit.Errorf(exit.Usage, "%s %s: must be a file that is kept: it is written and read again", flag, name)
	}
	return nil
}

// descriptors matches the folders with a process's descriptors in Linux, /proc/PID/fd and /proc/PID/task/TID/fd.
var descriptors = regexp.MustCompile(`^/proc/(\d+)(/task/\d+)?/fd$`)

// descriptor parses a descriptor's path into its number, and says whether the descriptor belongs to this process.
func descriptor(folder, base string) (number int, own, ok bool) {
	number, err := strconv.Atoi(base)
	if err != nil || number < 0 {
		return 0, false, false
	}
	if folder == "/dev/fd" { // outside Linux
		return number, true, true
	}
	match := descriptors.FindStringSubmatch(folder)
	if match == nil {
		return 0, false, false
	}
	self, _ := os.Readlink("/proc/self")
	return number, match[1] == self, true
}

// openDescriptor opens an output by a descriptor that this process inherited. The offset and the flags stay as the
// opener set them.
func openDescriptor(ctx context.Context, name string, number int, side wire.Side) (*Output, error) {
	// A descriptor that this process opened itself is closed on exec. It may be the ledger's, and is refused.
	flags, err := unix.FcntlInt(uintptr(number), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC != 0 || !writable(number) {
		return nil, exit.Errorf(exit.Missing, "output %s: the descriptor is not open for writing", name)
	}
	if side != wire.Side_PUBLIC && term.IsTerminal(number) {
		return nil, errPrivate()
	}
	copied, err := unix.FcntlInt(uintptr(number), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return opened(ctx, os.NewFile(uintptr(copied), name)), nil
}

// writable says whether a descriptor is open for writing.
func writable(number int) bool {
	flags, err := unix.FcntlInt(uintptr(number), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
}

// checkStdout refuses a closed standard output. In its place Go's runtime opens /dev/null for reading and writing
// (runtime.checkfds), and the output would be lost. A caller who opens /dev/null for reading and writing cannot be told
// apart, and is refused, too.
func checkStdout(stdout *os.File) error {
	number := int(stdout.Fd())
	var at, null unix.Stat_t
	flags, err := unix.FcntlInt(uintptr(number), unix.F_GETFL, 0)
	if err == nil && flags&unix.O_ACCMODE == unix.O_RDWR &&
		unix.Fstat(number, &at) == nil && unix.Stat(os.DevNull, &null) == nil {
		if at.Mode&unix.S_IFMT == unix.S_IFCHR && at.Rdev == null.Rdev {
			err = unix.EBADF
		}
	}
	if err == nil && writable(number) {
		return nil
	}
	return exit.Errorf(exit.Usage, "standard output is closed, and the output would be lost").
		WithHint("name a file with -o; -o %s drops the output", os.DevNull)
}
