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

// ErrUnread is the error when a dry run reads from standard input or a FIFO. Package filter ends such a dry run without
// an error.
var ErrUnread = errors.New("a dry run reads neither standard input nor a FIFO")

// unread replaces an input that a dry run must not read.
type unread struct{}

func (unread) Read([]byte) (int, error) { return 0, ErrUnread }

// Check returns an error if an input cannot be opened for reading. It takes names as Open does, except that "" means no
// input. Folders pass. Check reads nothing; for a topic it asks the broker.
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
		return checkStdin(ctx)
	}
	if topic.Is(name) {
		l, err := topic.Parse(name)
		if err != nil {
			return err
		}
		l.BrokerTime = l.FromTime() && !Of(ctx).TrustStamps
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

func checkStdin(ctx context.Context) error {
	if term.IsTerminal(int(scopeOf(ctx).stdin().Fd())) {
		return exit.Errorf(exit.Usage, "standard input is a terminal").WithHint("name an input file, or pipe one in")
	}
	return nil
}

// checkFIFO does not open the FIFO: the writer of the FIFO would take the check for its reader.
func checkFIFO(name string) error {
	if err := unix.Access(name, unix.R_OK); err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return nil
}

// CheckWritten returns an error if an output topic is missing and would not be created.
func CheckWritten(ctx context.Context, name string) error {
	l, err := writtenTopic(name)
	if err != nil || Of(ctx).NewTopics > 0 {
		return err
	}
	return topic.Of(l).Find(ctx, l)
}

// CheckStream returns an error if a stream cannot be opened or is not wanted. It does not read a topic.
func CheckStream(ctx context.Context, name string, wanted Wanted) error {
	if topic.Is(name) {
		l, err := inputTopic(ctx, name, wanted)
		if err != nil {
			return err
		}
		if err := topic.Of(l).Find(ctx, l); err != nil {
			return err
		}
		_, err = topic.Of(l).Partitions(ctx, l)
		return err
	}
	if err := Check(ctx, name); err != nil {
		return err
	}
	in, _, err := OpenStream(ctx, name, wanted)
	if err != nil {
		return err
	}
	return in.Close()
}
