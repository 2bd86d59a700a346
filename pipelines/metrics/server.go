package metrics

import (
	"log/slog"
	"time"
)

// Options say which numbers are served or written, and where.
type Options struct {
	Address string            // HOST:PORT for a server; port 0 stands for any free port
	Labels  map[string]string // for all numbers in a file, beside their own: see CheckLabels
	// Outside says that the stage is outside the privacy wall. A process's memory and time depend on its data, so they
	// are private for a stage inside the wall.
	Outside bool
	// Private says that numbers that depend on private data are served, too.
	Private bool
	// StallTimeout is how long a stage may wait for a topic without a message before it is not healthy; 0: for ever.
	StallTimeout time.Duration
	Log          *slog.Logger // for failed requests to a server; never nil
}

// A Server serves the numbers of this process until it is closed.
type Server interface {
	URL() string // the URL of the metrics
	Close()
}

// start starts a server; nil in a program that has none.
var start func(Options) (Server, error)

// Register makes a function start this process's servers. It is for the initialization of the server's package, which a
// program links by an import.
func Register(f func(Options) (Server, error)) { start = f }

// Serves says whether this program has a server.
func Serves() bool { return start != nil }

// Serve starts a server, in a program that has one. A malformed address is an error with exit.Usage. An address in use,
// or on another machine, is an error with exit.Unavailable.
func Serve(o Options) (Server, error) {
	s, err := start(o)
	if err == nil {
		mark(time.Now())
	}
	return s, err
}
