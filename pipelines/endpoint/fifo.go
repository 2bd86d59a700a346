package endpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire/stream"
)

// Each of the two programs at a FIFO may die before it opens its end. A blocking open of the other end would then wait
// for ever, and so would the whole pipeline. So both ends are opened with O_NONBLOCK, and this file waits in a loop
// with a limit.

// retry is the time between two looks at a FIFO without its other end.
const retry = 5 * time.Millisecond

// Patience limits a FIFO reader's wait for the first writer; 0 means no limit. A stage in a loop sets a shorter limit:
// the program that closes the loop may have died before it opened the FIFO, and no other program would notice.
var Patience = Usual

// ReaderPatience limits a FIFO writer's wait for the reader; 0 means no limit.
var ReaderPatience = Usual

// isFIFO says whether name is a FIFO.
func isFIFO(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// fifoReader reads a FIFO. Before the first writer comes, an end of file only means that no writer is there yet.
type fifoReader struct {
	*os.File
	begun    bool
	deadline time.Time // for the first writer to come
	ended    func()    // ends the reported wait for the first writer; nil: no wait is reported
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
		// The order matters: a writer may write and go between the read and this look, and its bytes would be lost.
		f.begun = f.begun || f.written()
		n, err := f.now(b)
		if errors.Is(err, syscall.EAGAIN) { // a writer is there, and has not written yet
			f.begun = true
			f.found()
			n, err = f.File.Read(b)
		}
		f.begun = f.begun || n > 0
		if err != io.EOF || f.begun {
			f.found()
			return n, err
		}
		if f.ended == nil {
			what := fmt.Sprintf("a program that opens the FIFO %s to write%s", f.Name(), until(Patience))
			f.ended = await(what, nobody)
		}
		if !f.deadline.IsZero() && time.Now().After(f.deadline) {
			f.found()
			name := f.Name()
			return 0, exit.Errorf(exit.Missing, "%s: no program opened this FIFO to write within %v", name, Patience).
				WithHint("start the program that writes it; for parameters that is mstep --params-out %s", name)
		}
		time.Sleep(retry)
	}
}

// now reads the bytes that are available, without waiting. EAGAIN means that a writer exists but has written no bytes.
// io.EOF means that no writer exists.
func (f *fifoReader) now(b []byte) (n int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	outer := raw.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), b)
		return true
	})
	switch {
	case outer != nil: // closed
		return f.File.Read(b)
	case err != nil:
		return 0, &fs.PathError{Op: "read", Path: f.Name(), Err: err}
	case n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// found ends the wait for the first writer.
func (f *fifoReader) found() {
	if f.ended != nil {
		f.ended()
		f.ended = nil
	}
}

// written says whether the FIFO had a writer that has gone: the system reports a hang-up only after a first writer.
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

// createFIFO waits until the FIFO has a reader, and opens the FIFO for writing. It gives up when standard input is a
// pipe that ended without data: then the pipeline has failed, and so has the reader.
func createFIFO(name string) (*os.File, error) {
	what := fmt.Sprintf("a program that opens the FIFO %s to read%s", name, until(ReaderPatience))
	at := nobody
	if upstream() {
		at = somebody
	}
	defer await(what, at)()
	for began := time.Now(); ; time.Sleep(retry) {
		f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return f, err
		}
		if InputGone() {
			return nil, exit.Errorf(exit.Malformed, "standard input ended before %s had a reader", name)
		}
		if ReaderPatience > 0 && time.Since(began) > ReaderPatience {
			return nil, exit.Errorf(exit.Missing, "%s: no program opened this FIFO to read within %v", name,
				ReaderPatience).
				WithHint("is estep --params %s running beside this stage?", name)
		}
	}
}

// upstream says whether standard input is a pipe with a living writer. If so, earlier stages are still at work, and the
// FIFO's reader may open the FIFO later.
func upstream() bool {
	fds := []unix.PollFd{{Fd: 0, Events: unix.POLLIN}}
	_, err := unix.Poll(fds, 0)
	return err == nil && pipe(os.Stdin.Stat()) && fds[0].Revents&unix.POLLHUP == 0
}

// CutUpstream says whether an error only repeats that an earlier stage failed: standard input is a pipe, and it ended
// too early.
func CutUpstream(err error) bool { return pipe(os.Stdin.Stat()) && stream.Cut(err, "standard input") }

// InputGone says whether standard input is a pipe without writers and without unread data.
func InputGone() bool {
	fds := []unix.PollFd{{Fd: 0, Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 1 && fds[0].Revents&unix.POLLHUP != 0 && fds[0].Revents&unix.POLLIN == 0
}

// watch is the time between two looks at standard output. A blocking poll would keep standard output open after its
// close.
const watch = 100 * time.Millisecond

// stdoutClosed says that this process has closed standard output.
var stdoutClosed atomic.Bool

// WatchReader calls gone when standard output is a pipe and its reader goes away, even while nothing is being written.
// So a pipeline ends when its last stage dies while its first stages wait.
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
