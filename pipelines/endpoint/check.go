package endpoint

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
)

// DryRun has Open read nothing that could not be read again, standard input and FIFOs: whoever reads of these gets ErrUnread.
// Package filter sets it, and ends a dry run without an error where it comes to ErrUnread.
var DryRun bool

// ErrUnread is the error of what a dry run does not read.
var ErrUnread = errors.New("a dry run reads neither standard input nor a FIFO")

// unread is an input that a dry run does not read.
type unread struct{}

func (unread) Read([]byte) (int, error) { return 0, ErrUnread }

// Check says whether inputs can be opened for reading, by names as Open takes them but for "", which is none. Folders can. It
// reads nothing. Of a topic it asks the broker.
func Check(ctx context.Context, names ...string) error {
	for _, name := range names {
		if name == "" {
			continue
		}
		if err := check(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func check(ctx context.Context, name string) error {
	if name == Stdio {
		return checkStdin()
	}
	if topic.Is(name) {
		l, err := topic.Parse(name)
		if err != nil {
			return err
		}
		return topic.Of(l).Find(ctx, l)
	}
	if err := local(name); err != nil {
		return err
	}
	if isFIFO(name) {
		return checkFIFO(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return f.Close()
}

func checkStdin() error {
	if term.IsTerminal(int(os.Stdin.Fd())) {
		return exit.Errorf(exit.Usage, "standard input is a terminal").WithHint("name an input file, or pipe one in")
	}
	return nil
}

// checkFIFO does not open the FIFO: its writer would take that for the reader that it waits for.
func checkFIFO(name string) error {
	if err := unix.Access(name, unix.R_OK); err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return nil
}

// CheckStream says whether a stream can be opened and is wanted. A topic is not read.
func CheckStream(ctx context.Context, name string, wanted Wanted) error {
	if topic.Is(name) {
		l, err := inputTopic(name, wanted)
		if err == nil {
			_, err = topic.Of(l).Partitions(ctx, l)
		}
		return err
	}
	if err := Check(ctx, name); err != nil {
		return err
	}
	in, _, err := OpenStream(name, wanted)
	if err != nil {
		return err
	}
	return in.Close()
}
