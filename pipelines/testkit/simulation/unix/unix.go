// Package unix has the names of golang.org/x/sys/unix that the stages use. Calls act on a simulated machine.
package unix

import (
	"golang.org/x/sys/unix"

	"privpipe/pipelines/testkit/simulation/system"
)

// Names of golang.org/x/sys/unix.
type (
	PollFd = unix.PollFd
	Stat_t = unix.Stat_t
)

const (
	EBADF             = unix.EBADF
	FD_CLOEXEC        = unix.FD_CLOEXEC
	F_DUPFD_CLOEXEC   = unix.F_DUPFD_CLOEXEC
	F_GETFD           = unix.F_GETFD
	F_GETFL           = unix.F_GETFL
	F_GETPIPE_SZ      = unix.F_GETPIPE_SZ
	F_SETPIPE_SZ      = unix.F_SETPIPE_SZ
	O_ACCMODE         = unix.O_ACCMODE
	O_RDONLY          = unix.O_RDONLY
	O_RDWR            = unix.O_RDWR
	POLLERR           = unix.POLLERR
	POLLHUP           = unix.POLLHUP
	POLLIN            = unix.POLLIN
	PR_SET_TIMERSLACK = unix.PR_SET_TIMERSLACK
	R_OK              = unix.R_OK
	S_IFCHR           = unix.S_IFCHR
	S_IFMT            = unix.S_IFMT
	TIOCGPGRP         = unix.TIOCGPGRP
)

// FcntlInt returns a descriptor's flags. A pipe keeps its capacity.
func FcntlInt(descriptor uintptr, command, _ int) (int, error) {
	h := system.Of(descriptor)
	switch {
	case h == nil:
		return -1, unix.EBADF
	case command == F_GETFL:
		return h.Flags(), nil
	}
	return -1, unix.EINVAL
}

// Poll returns the events at one descriptor, without waiting.
func Poll(descriptors []PollFd, _ int) (n int, err error) {
	h := system.Of(uintptr(descriptors[0].Fd))
	if h == nil {
		return 0, unix.EBADF
	}
	e, err := h.Poll()
	for bit, set := range map[int16]bool{POLLIN: e.In, POLLHUP: e.HangUp, POLLERR: e.Err} {
		if set {
			descriptors[0].Revents |= bit
		}
	}
	return 1, err
}

// Access says whether a file is there.
func Access(path string, _ uint32) error {
	_, err := system.Stat(path)
	return system.Errno(err)
}

// The calls below are for terminals, devices and timers. A machine has none.

func Fstat(int, *Stat_t) error                            { return unix.ENOSYS }
func Stat(string, *Stat_t) error                          { return unix.ENOSYS }
func IoctlGetInt(int, uint) (int, error)                  { return 0, unix.ENOTTY }
func Getpgrp() int                                        { return 1 }
func Prctl(int, uintptr, uintptr, uintptr, uintptr) error { return nil }
