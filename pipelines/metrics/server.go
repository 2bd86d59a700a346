package metrics

import (
	"log/slog"
	"time"

	"privpipe/pipelines/exit"
)

// Options say where numbers are served, and which numbers.
type Options struct {
	Address string // HOST:PORT; port 0 stands for any free port
	// Outside says that the stage is outside the privacy wall. Memory and time of a process depend on its data, so
	// they are private for a stage inside the wall.
	Outside bool
	// Private says that numbers that depend on private data are served, too.
	Private bool
	// StallTimeout is the time without a message of a topic that the stage waits for, after which /healthz reports a stall; 0: never.
	StallTimeout time.Duration
	Log          *slog.Logger // for failures of requests; never nil
}

// A Server serves the numbers of this process until it is closed.
type Server interface {
	URL() string // of the metrics
	Close()
}

// start starts a server; nil in a program that has none.
var start func(Options) (Server, error)

// Register makes a function start the servers of this process. It is for the initialization of the server's package, which a
// program links by an import.
func Register(f func(Options) (Server, error)) { start = f }

// Serve starts a server. A malformed address is an error with exit.Usage, and so is a program without a server. An address in use,
// or of another machine, is an error with exit.Unavailable.
func Serve(o Options) (Server, error) {
	if start == nil {
		return nil, exit.Errorf(exit.Usage, "--metrics: this program serves none").WithHint("it was built with -tags pipes, without network code")
	}
	s, err := start(o)
	if err == nil {
		mark(time.Now())
	}
	return s, err
}
