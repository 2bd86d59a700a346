package endpoint

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"privpipe/pipelines/exit"
)

// A FIFO has two ends, and either program may die before it opens its own. Opening the other end the plain way would
// then wait for ever, and the whole pipeline with it. So both ends are opened without waiting, and the wait is ours.

// retry is how often a FIFO without its other end is looked at again.
const retry = 5 * time.Millisecond

// Patience is how long a FIFO that is read may be without its first writer; 0 is for ever. A stage of a loop sets it: the
// program that closes the loop may have died before it opened the FIFO, with nobody else to notice.
var Patience time.Duration

// ReaderPatience is how long a FIFO that is written may be without its reader; 0 is for ever.
var ReaderPatience time.Duration

// isFIFO says whether name is a FIFO.
func isFIFO(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// fifoReader reads a FIFO. Until its first writer an end of file only means that no writer is there yet.
type fifoReader struct {
	*os.File
	begun    bool
	deadline time.Time // of the first writer
}

// openFIFO opens a FIFO for reading without waiting for a writer.
func openFIFO(name string) (*fifoReader, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	r := &fifoReader{File: f}
	if Patience > 0 {
		r.deadline = time.Now().Add(Patience)
	}
	return r, nil
}

func (f *fifoReader) Read(b []byte) (int, error) {
	for {
		// Before the read, or what a writer leaves between the two would be lost.
		f.begun = f.begun || f.written()
		n, err := f.File.Read(b)
		f.begun = f.begun || n > 0
		if err != io.EOF || f.begun {
			return n, err
		}
		if !f.deadline.IsZero() && time.Now().After(f.deadline) {
			return 0, exit.Errorf(exit.Missing, "no program opened this FIFO to write within %v", Patience).
				WithHint("is mstep --params-out %s running beside this stage?", f.Name())
		}
		time.Sleep(retry)
	}
}

// written says whether a writer is gone: a FIFO hangs up only after it has had one.
func (f *fifoReader) written() (gone bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n == 1 && fds[0].Revents&unix.POLLHUP != 0
	})
	return gone
}

// createFIFO opens a FIFO for writing, when it has a reader. It gives up when standard input is a pipe that ended
// without data: whoever was to read the FIFO is gone with the rest of the pipeline.
func createFIFO(name string) (*os.File, error) {
	for began := time.Now(); ; time.Sleep(retry) {
		f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return f, err
		}
		if InputGone() {
			return nil, exit.Errorf(exit.Malformed, "standard input ended before %s had a reader", name)
		}
		if ReaderPatience > 0 && time.Since(began) > ReaderPatience {
			return nil, exit.Errorf(exit.Missing, "%s: no program opened this FIFO to read within %v", name, ReaderPatience).
				WithHint("is estep --params %s running beside this stage?", name)
		}
	}
}

// InputGone says whether standard input is a pipe whose writers are gone and that has no data left.
func InputGone() bool {
	fds := []unix.PollFd{{Fd: 0, Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 1 && fds[0].Revents&unix.POLLHUP != 0 && fds[0].Revents&unix.POLLIN == 0
}

// watch is how often standard output is looked at. A poll that waits would keep it open after its close.
const watch = 100 * time.Millisecond

// stdoutClosed says that this process is done with standard output.
var stdoutClosed atomic.Bool

// WatchReader calls gone when standard output is a pipe and its reader goes away, even if nothing is being written: so a
// pipeline comes down when its end dies while its beginning waits.
func WatchReader(gone func()) {
	info, err := os.Stdout.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	for !stdoutClosed.Load() {
		fds := []unix.PollFd{{Fd: 1}}
		if n, err := unix.Poll(fds, 0); err == nil && n == 1 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 &&
			!stdoutClosed.Load() {
			gone()
			return
		}
		time.Sleep(watch)
	}
}
