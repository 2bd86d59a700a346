// Package syscall has the names of the standard library's package syscall that the stages use. Calls act on a simulated
// machine.
package syscall

import (
	"io"
	"syscall"

	"privpipe/pipelines/testkit/simulation/system"
)

// Names of the standard library.
type (
	Errno  = syscall.Errno
	Signal = syscall.Signal
	Stat_t = syscall.Stat_t
)

const (
	EACCES       = syscall.EACCES
	EAGAIN       = syscall.EAGAIN
	EDQUOT       = syscall.EDQUOT
	EFBIG        = syscall.EFBIG
	EINTR        = syscall.EINTR
	EIO          = syscall.EIO
	EISDIR       = syscall.EISDIR
	ELOOP        = syscall.ELOOP
	EMFILE       = syscall.EMFILE
	ENAMETOOLONG = syscall.ENAMETOOLONG
	ENFILE       = syscall.ENFILE
	ENODEV       = syscall.ENODEV
	ENOENT       = syscall.ENOENT
	ENOLCK       = syscall.ENOLCK
	ENOMEM       = syscall.ENOMEM
	ENOSPC       = syscall.ENOSPC
	ENOTDIR      = syscall.ENOTDIR
	ENXIO        = syscall.ENXIO
	EPERM        = syscall.EPERM
	EPIPE        = syscall.EPIPE
	EROFS        = syscall.EROFS
	ESTALE       = syscall.ESTALE
	ETIMEDOUT    = syscall.ETIMEDOUT
	EWOULDBLOCK  = syscall.EWOULDBLOCK
	ECONNREFUSED = syscall.ECONNREFUSED
	ECONNRESET   = syscall.ECONNRESET

	LOCK_EX    = syscall.LOCK_EX
	LOCK_NB    = syscall.LOCK_NB
	LOCK_SH    = syscall.LOCK_SH
	O_NONBLOCK = syscall.O_NONBLOCK

	SIGHUP  = syscall.SIGHUP
	SIGPIPE = syscall.SIGPIPE
	SIGTERM = syscall.SIGTERM
	SIGUSR1 = syscall.SIGUSR1
)

// Stdout is the descriptor of standard output.
var Stdout = syscall.Stdout

// Flock locks a file. The stages always ask for LOCK_NB.
func Flock(descriptor, how int) error {
	h := system.Of(uintptr(descriptor))
	if h == nil {
		return syscall.EBADF
	}
	return system.Errno(h.Lock(how&LOCK_SH != 0))
}

// Read reads without waiting.
func Read(descriptor int, b []byte) (int, error) {
	h := system.Of(uintptr(descriptor))
	if h == nil {
		return 0, syscall.EBADF
	}
	n, err := h.ReadNow(b)
	if err == io.EOF {
		err = nil
	}
	return n, system.Errno(err)
}

// Exec must not be called.
func Exec(string, []string, []string) error { return syscall.ENOSYS }
