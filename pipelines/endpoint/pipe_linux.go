package endpoint

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is a pipe's capacity in bytes. It holds about one frame of cells. Linux' default, 64 KiB, is a quarter,
// so two stages would take turns within each frame. A larger capacity is no faster. All pipes of an unprivileged user
// together hold 64 MiB (pipe(7), /proc/sys/fs/pipe-user-pages-soft), which is 256 pipes with pipeSize. Beyond this
// limit new pipes are narrow, including the pipes of other programs.
const pipeSize = 256 << 10

// widen raises the capacity if f is a pipe. It leaves a wider pipe as it is, and a pipe that would exceed the user's
// limit. It does not change other files.
func widen(f *os.File) {
	c, err := f.SyscallConn() // not f.Fd(), which would make f block
	if err != nil {
		return
	}
	c.Control(func(fd uintptr) {
		if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && size < pipeSize {
			unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
		}
	})
}
