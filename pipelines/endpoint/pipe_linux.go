package endpoint

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is how many bytes wait in a pipe at most: a few frames. With Linux' 64 KiB two stages take turns within each frame. A process
// without privileges may ask for no more (pipe(7), /proc/sys/fs/pipe-max-size).
const pipeSize = 1 << 20

// widen lets more bytes wait in a pipe that f writes to. Other files stay as they are, and so does a pipe beyond what a user may hold in all.
func widen(f *os.File) {
	if c, err := f.SyscallConn(); err == nil { // not f.Fd(), which would make f block
		c.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}
