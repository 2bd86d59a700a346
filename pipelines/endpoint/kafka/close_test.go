package kafka

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire/stream"
)

// unanswered lets the broker take requests of a kind and never answer.
func unanswered(fake broker.Faked, key kmsg.Key) {
	fake.ControlKey(key.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		return nil, nil, true
	})
}

// ends runs wait beside stop, which comes later, and returns the error that wait ends with.
func ends(t *testing.T, wait func() error, stop func()) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- wait() }()
	select {
	case err := <-ended:
		t.Fatalf("it does not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	stop()
	select {
	case err := <-ended:
		return err
	case <-time.After(answer * 2 / 3): // less than a request may take
		t.Fatal("it waits for ever")
		return nil
	}
}

// TestCloseEndsWrites: whoever waits for the broker learns at once that it is over.
func TestCloseEndsWrites(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	unanswered(fake, kmsg.Produce)
	l := location(t, fake.Address, "t.private", "")
	cause := errors.New("stopped by a signal")
	whole := stream.Mark{Closes: true}
	for name, c := range map[string]struct {
		wait func(a *Appender) error
		want error
	}{
		"flush": {func(a *Appender) error {
			return errors.Join(a.WriteFrame([]byte("x"), stream.Mark{}), a.Flush())
		}, context.Canceled},
		"close":      {func(a *Appender) error { return a.WriteFrame([]byte("x"), whole) }, context.Canceled},
		"full queue": {fill, context.Canceled},
		"cause":      {func(a *Appender) error { return a.WriteFrame([]byte("x"), whole) }, cause},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			all, err := Append(ctx, l)
			if err != nil {
				t.Fatal(err)
			}
			a := all[0]
			stop := func() { a.Close() }
			if c.want == cause {
				stop = func() { cancel(cause) }
			}
			if err := ends(t, func() error { return c.wait(a) }, stop); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			for what, after := range map[string]func() error{
				"flush": a.Flush, "write": func() error { return a.WriteFrame([]byte("x"), whole) }} {
				if err := after(); !errors.Is(err, c.want) {
					t.Errorf("%s afterwards: %v, want %v", what, err, c.want)
				}
			}
			if err := errors.Join(a.Close(), a.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// fill writes until nothing more fits into the queue.
func fill(a *Appender) error {
	for {
		if err := a.WriteFrame(make([]byte, goodBatch), stream.Mark{}); err != nil {
			return err
		}
	}
}

// TestCloseEndsReads is the same for those who wait for messages, of a broker that answers and of one that does not.
func TestCloseEndsReads(t *testing.T) {
	answering := broker.Fake(t, map[string]int{"t.private": 2})
	silent := broker.Fake(t, map[string]int{"t.private": 2})
	unanswered(silent, kmsg.Fetch)
	cause := errors.New("another partition failed")
	for name, fake := range map[string]broker.Faked{"answering": answering, "silent": silent} {
		l := location(t, fake.Address, "t.private", "")
		for what, stop := range map[string]func(*Log){
			"close": func(l *Log) { l.Close() }, "stop": func(l *Log) { l.Stop(cause) }} {
			t.Run(name+" "+what, func(t *testing.T) {
				log, err := OpenAt(t.Context(), l, 0, -1)
				if err != nil {
					t.Fatal(err)
				}
				defer log.Close()
				wait := func() error { _, err := log.Frame(); return err }
				err = ends(t, wait, func() { stop(log) })
				if want := map[string]error{"close": context.Canceled, "stop": cause}[what]; err != want {
					t.Errorf("error %v, want %v", err, want)
				}
				if again := wait(); again != err {
					t.Errorf("afterwards: %v", again)
				}
				if got := context.Cause(log.Context()); got != err {
					t.Errorf("the log's context ends with %v", got)
				}
			})
		}
		t.Run(name+" text", func(t *testing.T) {
			text, err := OpenText(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			wait := func() error { _, err := io.ReadAll(text); return err }
			if err := ends(t, wait, func() { text.Close() }); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestContextEndsQuestions: what asks the broker ends with its context, and says why.
func TestContextEndsQuestions(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	answering := broker.Fake(t, map[string]int{"t.private": 1}) // leaving a group waits for the broker
	l := location(t, fake.Address, "t.private", "?group=g")
	journal, err := OpenJournal(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	unanswered(fake, kmsg.ListOffsets)
	unanswered(fake, kmsg.OffsetFetch)
	unanswered(fake, kmsg.CreateTopics)
	unanswered(fake, kmsg.Produce)
	cause := errors.New("stopped by a signal")
	for name, ask := range map[string]func(context.Context) error{
		"open":   func(ctx context.Context) error { _, err := Open(ctx, l); return err },
		"tails":  func(ctx context.Context) error { _, err := Tails(ctx, l); return err },
		"hints":  func(ctx context.Context) error { _, err := Hints(ctx, l); return err },
		"create": func(ctx context.Context) error { return Create(ctx, l, Plan{Partitions: 1}) },
		"share": func(ctx context.Context) error {
			m, err := Join(location(t, answering.Address, "t.private", "?group=g"), "answers")
			if err != nil {
				return err
			}
			defer m.Close()
			work := func(ctx context.Context, _ int) error { <-ctx.Done(); return errors.New("it ended") }
			return m.Share(ctx, work, never)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			if err := ends(t, func() error { return ask(ctx) }, func() { cancel(cause) }); err != cause {
				t.Errorf("error %v, want %v", err, cause)
			}
		})
	}
	wait := func() error { return journal.Append([]byte("x")) }
	if err := ends(t, wait, func() { journal.Close() }); err != context.Canceled {
		t.Errorf("a journal: error %v", err)
	}
}

// TestNothingIsLeft: logs and appenders leak no goroutine and no connection after Close, or after a failed open. A
// program may open thousands.
func TestNothingIsLeft(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 3, "one": 1})
	l, one := location(t, fake.Address, "t.private", "?group=g"), location(t, fake.Address, "one", "")
	ctx, cancel := context.WithCancel(t.Context())
	open := func() {
		appenders, err := Append(ctx, l)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range appenders {
			if err := a.WriteFrame([]byte("x"), stream.Mark{Closes: true}); err != nil {
				t.Fatal(err)
			}
			if i > 0 { // the first one's context ends
				a.Close()
			}
		}
		logs, err := Open(ctx, l)
		if err != nil {
			t.Fatal(err)
		}
		for i, log := range logs {
			if _, err := log.message(); err != nil {
				t.Fatal(err)
			}
			log.Note(1, 9)
			if i > 0 {
				log.Close()
				log.Note(2, 9)
			}
		}
		log, err := OpenAt(ctx, l, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		log.Stop(io.EOF)
		journal, err := OpenJournal(ctx, one)
		if err != nil {
			t.Fatal(err)
		}
		if err := journal.Append([]byte("x")); err != nil {
			t.Fatal(err)
		}
		journal.Close()
		text, err := OpenText(ctx, l)
		if err != nil {
			t.Fatal(err)
		}
		text.Close()
		for _, refused := range []func() error{
			func() error { _, err := OpenJournal(ctx, l); return err },
			func() error { _, err := OpenAt(ctx, l, 2, 100); return err },
			func() error { _, err := Append(ctx, location(t, fake.Address, "one", "?partition=1")); return err },
			func() error { _, err := Open(ctx, location(t, fake.Address, "t.private", "?from=1000")); return err },
			func() error { return Create(ctx, l, Plan{Partitions: 1}) },
		} {
			if refused() == nil {
				t.Error("not refused")
			}
		}
		for _, asked := range []func() error{
			func() error { _, err := Tails(ctx, l); return err },
			func() error { _, err := Hints(ctx, l); return err },
			func() error { _, err := Partitions(ctx, l); return err },
		} {
			if err := asked(); err != nil {
				t.Error(err)
			}
		}
	}
	before := goroutines()
	for range 5 {
		open()
	}
	cancel()
	for end := time.Now().Add(within); goroutines() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", goroutines(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// goroutines counts those of this package and of the library, and not the broker's, which is in this process, too.
func goroutines() int {
	stacks := make([]byte, 1<<20)
	all := string(stacks[:runtime.Stack(stacks, true)])
	return strings.Count(all, "segmentio/kafka-go") + strings.Count(all, "endpoint/kafka.(*")
}
