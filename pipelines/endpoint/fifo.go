package endpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// isFIFO says whether name is a FIFO.
func isFIFO(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// fifoReader reads a FIFO. Before the first writer comes, an end of file only means that no writer is there yet.
type fifoReader struct {
	*os.File
	begun    bool
	deadline time.Time     // for the first writer to come
	patience time.Duration // see Options
	run      *run
	ended    func() // ends the reported wait for the first writer; nil: no wait is reported
}

// openFIFO opens a FIFO for reading without waiting for a writer.
func openFIFO(ctx context.Context, name string) (*fifoReader, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	s := scopeOf(ctx)
	r := &fifoReader{File: f, patience: s.Patience, run: s.run}
	if s.Patience > 0 {
		r.deadline = time.Now().Add(s.Patience)
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
			what := fmt.Sprintf("a program that opens the FIFO %s to write%s", f.Name(), until(f.patience))
			f.ended = f.run.await(what, nobody)
		}
		if !f.deadline.IsZero() && time.Now().After(f.deadline) {
			f.found()
			name := f.Name()
			return 0, exit.Errorf(exit.Missing, "%s: no program opened this FIFO to write within %v", name, f.patience).
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
func (f *fifoReader) written() bool {
	events, ok := poll(f.File)
	return ok && events&unix.POLLHUP != 0
}

// createFIFO waits until the FIFO has a reader, and opens the FIFO for writing. It gives up when standard input is a
// pipe that ended without data: then the pipeline has failed, and so has the reader.
func createFIFO(ctx context.Context, name string) (*os.File, error) {
	s := scopeOf(ctx)
	what := fmt.Sprintf("a program that opens the FIFO %s to read%s", name, until(s.ReaderPatience))
	at := nobody
	if upstream(s.stdin()) {
		at = somebody
	}
	defer s.run.await(what, at)()
	for began := time.Now(); ; time.Sleep(retry) {
		f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return f, err
		}
		if InputGone(ctx) {
			return nil, exit.Errorf(exit.Malformed, "standard input ended before %s had a reader", name)
		}
		if s.ReaderPatience > 0 && time.Since(began) > s.ReaderPatience {
			return nil, exit.Errorf(exit.Missing, "%s: no program opened this FIFO to read within %v", name,
				s.ReaderPatience).
				WithHint("is estep --params %s running beside this stage?", name)
		}
	}
}

// upstream says whether standard input is a pipe with a living writer. If so, earlier stages are still at work, and the
// FIFO's reader may open the FIFO later.
func upstream(stdin *os.File) bool {
	events, ok := poll(stdin)
	return ok && pipe(stdin.Stat()) && events&unix.POLLHUP == 0
}

// poll returns what has happened at a file (poll(2)), without waiting. It does not use f.Fd(), which would make a pipe
// block.
func poll(f *os.File) (events int16, ok bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, 0)
		events, ok = fds[0].Revents, err == nil
	})
	return events, ok && err == nil
}

// CutUpstream says whether an error only repeats that an earlier stage failed: standard input is a pipe, and it ended
// too early.
func CutUpstream(ctx context.Context, err error) bool {
	return pipe(scopeOf(ctx).stdin().Stat()) && stream.Cut(err, "standard input")
}

// InputGone says whether standard input is a pipe without writers and without unread data.
func InputGone(ctx context.Context) bool {
	events, ok := poll(scopeOf(ctx).stdin())
	return ok && events&unix.POLLHUP != 0 && events&unix.POLLIN == 0
}

// watch is the time between two looks at standard output. A blocking poll would keep standard output open after its
// close.
const watch = 100 * time.Millisecond

// WatchReader calls gone when standard output is a pipe and its reader goes away, even while nothing is being written.
// So a pipeline ends when its last stage dies while its first stages wait.
func WatchReader(ctx context.Context, gone func()) {
	s := scopeOf(ctx)
	if info, err := s.stdout().Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	for ; !s.run.closed.Load(); time.Sleep(watch) {
		if events, ok := poll(s.stdout()); ok && events&(unix.POLLERR|unix.POLLHUP) != 0 && !s.run.closed.Load() {
			gone()
			return
		}
	}
}
