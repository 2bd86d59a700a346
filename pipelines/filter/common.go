package filter

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
)

// Common holds the flags of every stage.
type Common struct {
	Quiet         bool              `short:"q" group:"Messages" help:"Print nothing but errors."`
	Verbose       bool              `short:"v" group:"Messages" help:"Print each step, too. Messages hold public quantities only."`
	NoProgress    bool              `group:"Messages" help:"Show no line of progress on a terminal. Inside the privacy wall that line may hold private counts; logs never do."`
	Log           string            `enum:"text,json" default:"text" group:"Messages" help:"Choose the format of messages on standard error: ${enum} (default text)."`
	PrivateLogs   bool              `group:"Messages" help:"Allow counts that depend on private data in messages, --summary and --metrics. They are not differentially private."`
	Summary       string            `placeholder:"FILE" group:"Messages" help:"Write a JSON object about the run to FILE when the run ends."`
	Metrics       string            `placeholder:"${metrics_form}" group:"Messages" help:"${metrics_help}"`
	MetricsLabels map[string]string `mapsep:"," placeholder:"NAME=VALUE,…" group:"Messages" help:"Give every number in FILE.prom these labels, such as run=news,stage=privatize. The files of one exporter need different labels."`
	StallTimeout  time.Duration     `zero:"" default:"30m" placeholder:"TIME" group:"Messages" help:"Warn when the stage has waited for Kafka topics, or for another program at a pipe, for TIME without a message (default 30m; 0: never). ${stall_help} Choose more than the time of a round, and of a --window of sample."`
	FIFOWait      time.Duration     `zero:"" name:"fifo-wait" default:"24h" placeholder:"TIME" group:"Messages" help:"Give up with exit code 82 when no program has opened the other end of a FIFO for TIME (default 24h; 0: never)."`
	DryRun        bool              `short:"n" group:"Messages" help:"Check the flags, and that the files and topics they name can be read. Writes nothing, and reads neither standard input nor FIFOs."`
	Config        configFlag        `placeholder:"FILE" group:"Messages" help:"Read flags from a JSON file. The command line and the environment override it."`
	PrintConfig   bool              `group:"Messages" help:"Print the value of every flag as JSON and exit."`
	Version       kong.VersionFlag  `env:"-" group:"Messages" help:"Print the version and exit."`
}

func (c *Common) shared() *Common { return c }

// refuseMissing refuses missing flags, as kong does after the validators of the commands. A validator would find the
// zero value of a missing flag wrong. refuseMissing is not a method Validate of Common: a stage that embeds other flags
// beside Common would lose the Validate method of these flags.
func refuseMissing(k *kong.Context) error {
	var missing []string
	for _, path := range k.Path {
		for _, flag := range path.Flags {
			if flag.Required && !flag.Set && len(flag.Xor) == 0 && len(flag.And) == 0 {
				missing = append(missing, flag.Summary())
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
	}
	return nil
}

// Compress is the flag of every stage that writes a stream.
type Compress struct {
	Compress string `enum:"auto,none,fast,best" default:"auto" help:"Choose the compression of the output: ${enum} (default auto: none to a pipe, and to a topic of rounds, contributions or parameters; otherwise fast, which stores what hardly shrinks)."`
	Create   int    `zero:"" placeholder:"P" help:"Create the output if it is a Kafka topic that does not exist, with P partitions (default 0: fail). A topic that answers another topic gets as many partitions as that topic has."`
}

// AfterApply is kong's hook.
func (c Compress) AfterApply() error {
	if c.Create < 0 {
		return fmt.Errorf("--create must be a number of partitions, is %d", c.Create)
	}
	return nil
}

func (c Compress) newTopics() int { return c.Create }

// Stamps is the flag for commands that read topics of texts or documents. Other programs write such topics.
type Stamps struct {
	TrustStamps bool `help:"Accept the times that the writers of a topic's messages state (message.timestamp.type=CreateTime). By default from=TIME in a topic's name, and --window of sample, need the broker's times (LogAppendTime): otherwise the writer of one message could decide which other documents count, and when."`
}

func (s Stamps) trusts() bool { return s.TrustStamps }

// optionsOf returns how a command opens its inputs and outputs. Some of it comes from flags that only some commands
// have.
func optionsOf(common *Common, command any) endpoint.Options {
	o := endpoint.Options{DryRun: common.DryRun, Patience: common.FIFOWait, ReaderPatience: common.FIFOWait}
	if c, ok := command.(interface{ newTopics() int }); ok {
		o.NewTopics = c.newTopics()
	}
	if c, ok := command.(interface{ trusts() bool }); ok {
		o.TrustStamps = c.trusts()
	}
	return o
}

// Cells is the flag for commands that hold whole matrices in memory, with shapes that the input states.
type Cells struct {
	MaxCells uint64 `zero:"" default:"268435456" placeholder:"N" help:"Refuse an input whose matrices have more than N cells in total, before they take memory (default 268435456; 0: no limit). A cell takes at least 8 bytes."`
}

// Workers is the flag of every stage that works in parallel.
type Workers struct {
	Workers int `zero:"" default:"0" placeholder:"N" help:"Run N goroutines in parallel (default 0: one per core)."`
}

// N returns the number of workers.
func (w Workers) N() int {
	if w.Workers <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return w.Workers
}

// release is the version. pipelines/install/install.sh sets it at link time.
var release string

// version returns the line that --version prints: program, version, wire version, Go version.
func version(program string) string {
	v := release
	if info, ok := debug.ReadBuildInfo(); ok && v == "" {
		v = cmp.Or(info.Main.Version, "(devel)")
	}
	return fmt.Sprintf("privpipe %s %s wire %d %s", program, v, wire.Newest, runtime.Version())
}
