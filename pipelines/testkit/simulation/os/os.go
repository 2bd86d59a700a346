// Package os has the names of the standard library's package os that the stages use. They act on a simulated machine.
// The environment is empty.
package os

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"privpipe/pipelines/testkit/simulation/rand"
	"privpipe/pipelines/testkit/simulation/system"
)

// Names of the standard library.
type (
	FileInfo  = fs.FileInfo
	FileMode  = fs.FileMode
	DirEntry  = fs.DirEntry
	PathError = fs.PathError
	Signal    = os.Signal
)

const (
	O_RDONLY = os.O_RDONLY
	O_WRONLY = os.O_WRONLY
	O_RDWR   = os.O_RDWR
	O_APPEND = os.O_APPEND
	O_CREATE = os.O_CREATE
	O_EXCL   = os.O_EXCL
	O_TRUNC  = os.O_TRUNC

	ModeNamedPipe  = fs.ModeNamedPipe
	ModeSocket     = fs.ModeSocket
	ModeDevice     = fs.ModeDevice
	ModeCharDevice = fs.ModeCharDevice
	ModePerm       = fs.ModePerm

	DevNull = os.DevNull
)

var (
	ErrNotExist   = fs.ErrNotExist
	ErrExist      = fs.ErrExist
	ErrPermission = fs.ErrPermission
	ErrClosed     = fs.ErrClosed
	Interrupt     = os.Interrupt

	// Args are of no stage: processes get theirs as arguments of a function.
	Args = []string{"simulated"}

	Stdin  = &File{name: "/dev/stdin"}
	Stdout = &File{name: "/dev/stdout"}
	Stderr = &File{name: "/dev/stderr"}
)

// A File is an open file.
type File struct {
	*system.Handle
	name string
}

// NewFile returns an open file.
func NewFile(descriptor uintptr, name string) *File { return &File{system.Of(descriptor), name} }

// From returns a file of a handle.
func From(h *system.Handle) *File { return &File{h, h.Name} }

// Name returns the name that the file was opened with.
func (f *File) Name() string { return f.name }

// Fd returns the descriptor.
func (f *File) Fd() uintptr {
	if f.Handle == nil {
		return ^uintptr(0)
	}
	return f.Descriptor
}

// WriteString writes a text.
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// SyscallConn gives functions the descriptor.
func (f *File) SyscallConn() (Conn, error) {
	if f.Handle == nil {
		return Conn{}, fs.ErrInvalid
	}
	return Conn{f}, nil
}

// A Conn stands for the syscall.RawConn of package os.
type Conn struct{ file *File }

// Control calls f with the descriptor.
func (c Conn) Control(f func(uintptr)) error { f(c.file.Fd()); return nil }

// Read calls f with the descriptor once: the stages never ask it to wait.
func (c Conn) Read(f func(uintptr) bool) error { f(c.file.Fd()); return nil }

// Open opens a file for reading.
func Open(name string) (*File, error) { return OpenFile(name, O_RDONLY, 0) }

// OpenFile opens a file.
func OpenFile(name string, flag int, mode FileMode) (*File, error) {
	h, err := system.Open(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return From(h), nil
}

// CreateTemp makes a new file with a random name.
func CreateTemp(folder, pattern string) (*File, error) {
	if folder == "" {
		folder = "/tmp"
	}
	for {
		f, err := OpenFile(filepath.Join(folder, pattern+rand.Text()), O_RDWR|O_CREATE|O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// ReadFile reads a whole file.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// WriteFile writes a whole file.
func WriteFile(name string, content []byte, mode FileMode) error {
	f, err := OpenFile(name, O_WRONLY|O_CREATE|O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// MkdirAll makes a folder, and the folders above it.
func MkdirAll(path string, mode FileMode) error {
	if info, err := Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(path); parent != path {
		if err := MkdirAll(parent, mode); err != nil {
			return err
		}
	}
	if err := system.Mkdir(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Stat describes a file.
func Stat(name string) (FileInfo, error) { return system.Stat(name) }

// Lstat describes a file. There are no links.
func Lstat(name string) (FileInfo, error) { return system.Stat(name) }

// SameFile says whether both describe the same file.
func SameFile(a, b FileInfo) bool { return system.SameFile(a, b) }

// Rename renames a file.
func Rename(from, to string) error { return system.Rename(from, to) }

// Remove removes a file.
func Remove(name string) error { return system.Remove(name) }

// ReadDir lists a folder.
func ReadDir(name string) ([]DirEntry, error) { return system.ReadDir(name) }

// Readlink fails, since there are no links.
func Readlink(name string) (string, error) { return "", system.Readlink(name) }

// Chtimes sets a file's times.
func Chtimes(name string, _, changed time.Time) error { return system.Chtimes(name, changed) }

// Getenv returns nothing.
func Getenv(string) string { return "" }

// LookupEnv finds nothing.
func LookupEnv(string) (string, bool) { return "", false }

// Environ returns nothing.
func Environ() []string { return nil }

// Geteuid returns the number of a user.
func Geteuid() int { return 1000 }

// Executable fails: there are no programs.
func Executable() (string, error) { return "", syscall.ENOENT }

// Exit must not be called: processes of a simulation return their exit codes.
func Exit(code int) { panic(fmt.Sprintf("simulation: os.Exit(%d)", code)) }
