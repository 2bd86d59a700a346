package endpoint

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is how many bytes wait in a pipe at most: about a frame of cells, of which Linux' 64 KiB are a quarter, so that two stages would take
// turns within each. More is no faster. All pipes of a user without privileges hold 64 MiB (pipe(7), /proc/sys/fs/pipe-user-pages-soft): 256 of
// this size. Beyond that new pipes are narrow, those of other programs, too.
const pipeSize = 256 << 10

// widen lets more bytes wait in a pipe that f writes to. Other files stay as they are, and so do a wider pipe and one beyond what a user may
// hold in all.
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
