package endpoint

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is how many bytes wait in a pipe at most: a few frames. With Linux' 64 KiB two stages take turns within each frame. A process
// without privileges may ask for no more (pipe(7), /proc/sys/fs/pipe-max-size).
const pipeSize = 1 << 20

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
