package filter

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/alecthomas/kong"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
)

// Common are the flags that every stage has.
type Common struct {
	Quiet        bool             `short:"q" group:"Messages" help:"Errors only."`
	Verbose      bool             `short:"v" group:"Messages" help:"Also what is done, in public quantities."`
	NoProgress   bool             `group:"Messages" help:"Show no line of progress on a terminal. Behind the privacy wall it counts private documents, which no log does."`
	Log          string           `enum:"text,json" default:"text" group:"Messages" help:"Form of messages on standard error: ${enum}."`
	PrivateLogs  bool             `group:"Messages" help:"Allow counts that depend on private data in messages, --summary and --metrics."`
	Summary      string           `placeholder:"FILE" group:"Messages" help:"Write a JSON object about the run to FILE at its end."`
	Metrics      string           `placeholder:"HOST:PORT" group:"Messages" help:"Serve Prometheus metrics at http://HOST:PORT/metrics."`
	StallTimeout time.Duration    `default:"30m" placeholder:"TIME" group:"Messages" help:"Warn, and let /healthz beside the metrics answer 503 with the reason, when the stage has waited for Kafka topics so long and no message came; 0: never. Longer than a round takes, or a --window of sample (default 30m)."`
	DryRun       bool             `short:"n" group:"Messages" help:"Check the flags, and that what they name can be read; write nothing. Standard input and FIFOs are not read."`
	Config       kong.ConfigFlag  `placeholder:"FILE" group:"Messages" help:"Read flags from a JSON file; flags and environment come first."`
	PrintConfig  bool             `group:"Messages" help:"Print the value of every flag as JSON and exit."`
	Version      kong.VersionFlag `env:"-" group:"Messages" help:"Print the version and exit."`
}

// Compress is the flag of every stage that writes a stream.
type Compress struct {
	Compress string `enum:"auto,none,fast,best" default:"auto" help:"Compression of the output: ${enum}; auto is none to a pipe, fast elsewhere."`
	Create   int    `placeholder:"P" help:"Where the output is a Kafka topic that is not there, make it, with P partitions; answers to a topic get as many as that has."`
}

// AfterApply is kong's hook.
func (c Compress) AfterApply() error {
	if c.Create < 0 {
		return fmt.Errorf("--create must be a number of partitions, is %d", c.Create)
	}
	endpoint.NewTopics = c.Create
	return nil
}

// Cells is the flag of every command that holds matrices whose shapes only an input names.
type Cells struct {
	MaxCells uint64 `default:"268435456" placeholder:"N" help:"Refuse an input whose matrices have more cells than N in all, before memory is taken for them; 0: take any. Each takes 8 bytes or more."`
}

// Workers is the flag of every stage that works in parallel.
type Workers struct {
	Workers int `default:"0" help:"Goroutines that work in parallel; 0 is one a core."`
}

// N returns the number of workers.
func (w Workers) N() int {
	if w.Workers <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return w.Workers
}

// release is the version of what pipelines/install/install.sh builds.
var release string

// version is what --version prints: program, version, wire version, Go version.
func version(program string) string {
	v := release
	if info, ok := debug.ReadBuildInfo(); ok && v == "" {
		v = cmp.Or(info.Main.Version, "(devel)")
	}
	return fmt.Sprintf("privpipe %s %s wire %d %s", program, v, wire.Version, runtime.Version())
}
