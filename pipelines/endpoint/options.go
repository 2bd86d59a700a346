package endpoint

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how a run opens its inputs and outputs. They travel with the context: With adds them, and every function
// of this package that takes a context reads them.
type Options struct {
	// Stdin and Stdout are the files of the name "-". If they are nil, "-" means the process's own files.
	Stdin, Stdout *os.File
	// DryRun makes Open read neither standard input nor a FIFO, since nobody can read their bytes again. A read from
	// such an input returns ErrUnread.
	DryRun bool
	// NewTopics is the number of partitions for a missing output topic, which the stage then creates. With 0 a missing
	// topic is an error.
	NewTopics int
	// TrustStamps accepts timestamps by the writers of messages, even where the times decide which messages count.
	TrustStamps bool
	// Patience limits a FIFO reader's wait for the first writer; 0 means no limit. A stage in a loop sets a shorter
	// limit: the program that closes the loop may have died before it opened the FIFO, and no other program would
	// notice.
	Patience time.Duration
	// ReaderPatience limits a FIFO writer's wait for the reader; 0 means no limit.
	ReaderPatience time.Duration
	// OnTerminal is called before output goes to a terminal, unless it is nil. It must stop other writers to the
	// terminal, such as a progress line.
	OnTerminal func()
}

// Usual is the default limit for the wait at a FIFO. After a day the next day's job is due.
const Usual = 24 * time.Hour

// With returns a context with options. All contexts that are made from it belong to one run: Awaited knows the waits
// under each of them, and RemoveTemporaries their temporary files.
func With(ctx context.Context, o Options) context.Context {
	return context.WithValue(ctx, scopeKey{}, &scope{o, scopeOf(ctx).run})
}

// Of returns the options in a context. A context without options has those of a stage without flags.
func Of(ctx context.Context) Options { return scopeOf(ctx).Options }

// A scope is what a context holds for this package.
type scope struct {
	Options
	run *run
}

type scopeKey struct{}

func scopeOf(ctx context.Context) *scope {
	if s, ok := ctx.Value(scopeKey{}).(*scope); ok {
		return s
	}
	return &scope{Options{Patience: Usual, ReaderPatience: Usual}, new(run)}
}

func (o *Options) stdin() *os.File {
	if o.Stdin != nil {
		return o.Stdin
	}
	return os.Stdin
}

func (o *Options) stdout() *os.File {
	if o.Stdout != nil {
		return o.Stdout
	}
	return os.Stdout
}

// A run has what all endpoints of one run share.
type run struct {
	mutex       sync.Mutex
	waits       map[*wait]bool  // the waits that have begun and not ended
	temporaries map[string]bool // the files to remove when a signal ends the run
	swept       sync.Map        // the targets that were swept
	closed      atomic.Bool     // the run has closed standard output
}
