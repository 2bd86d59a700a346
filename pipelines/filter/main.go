package filter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
)

// grace limits a stage's time to clean up after a signal, before the process ends.
const grace = 500 * time.Millisecond

// errUnread is the error when standard output has lost its reader.
var errUnread = exit.Errorf(exit.ClosedOutput, "the reader of the output went away")

// A Stage describes a program for its help page.
type Stage struct {
	Name    string // "tokenize"
	Summary string // one sentence
	Example string // one realistic command line
	Notes   string // facts that a caller must know, for example which outputs are private; may be empty
	// Outside says that the stage is outside the privacy wall and reads nothing private. --metrics may then show its
	// use of memory and time.
	Outside   bool
	Networked bool  // program networked takes this one's place where a network is named: see pipelines/handover
	Fault     error // why it could not; nil as a rule
}

// A Program is a stage with its commands.
type Program struct {
	Stage
	New func() Commands
}

// Commands is a pointer to a struct for kong that embeds Common. Each command has a method Run that takes a *Run.
type Commands interface{ shared() *Common }

// Main parses the command line, runs the chosen command and exits with its code. It does not return.
func Main(p Program) {
	exit.DelayCollection()
	end(run(p, os.Args[1:], Stdio{os.Stdin, os.Stdout, os.Stderr}))
}

// end ends the process.
func end(code int) { os.Exit(code) }

// describe writes the stage's manual instead of running the stage. It is nil unless the program is built with the tag
// manual.
var describe func(*kong.Application) error

func run(p Program, args []string, stdio Stdio) int {
	e := newExecution(context.Background(), p.Stage, args, stdio)
	exit.OnPanic(func(err error) {
		endpoint.RemoveTemporaries(e)
		end(e.log.fail(err))
	})
	defer exit.Guard()
	if p.Fault != nil {
		return e.log.fail(p.Fault)
	}
	if describe != nil {
		parser, err := newParser(e, p.Stage, grammar{flags: p.New()}, stdio.Out, e.screen)
		if err == nil {
			err = describe(parser.Model)
		}
		return e.log.fail(err)
	}
	return e.run(p.New(), args, e.ownProcess)
}

// ownProcess does the work of a run, and whatever a process has only once: signals, metrics, messages of waits, and
// the line of progress.
func (e *execution) ownProcess(r *Run, work func() error) error {
	go func() {
		defer exit.Guard()
		r.tell()
	}()
	closeMetrics, err := r.showMetrics(e.stage)
	if err != nil {
		return err
	}
	defer closeMetrics()
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		// nohup ignores SIGHUP, and a shell ignores SIGINT for background commands. Go's runtime does not report an
		// ignored SIGTERM.
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	// With SIGPIPE ignored, a write to a pipe without a reader returns an error. The signal would end the process at
	// once and leave temporary files.
	signal.Ignore(syscall.SIGPIPE)
	defer r.watch()()
	defer r.attend(e.stage.Name)()
	unread := make(chan os.Signal, 1)
	go func() {
		defer exit.Guard()
		endpoint.WatchReader(r, func() { unread <- syscall.SIGPIPE })
	}()

	done := make(chan error, 1)
	go func() {
		defer exit.Guard()
		done <- work()
	}()
	select {
	case err := <-done:
		return err
	case s := <-signals:
		return interrupted(s, e.cancel, done, signals)
	case s := <-unread:
		return interrupted(s, e.cancel, done, signals)
	}
}

// interrupted cancels the command and waits until it ends, for at most grace or until a second signal. It returns the
// error for s.
func interrupted(s os.Signal, cancel context.CancelCauseFunc, done <-chan error, signals <-chan os.Signal) error {
	err := map[os.Signal]*exit.Error{
		os.Interrupt:    exit.Errorf(exit.Interrupted, "stopped by SIGINT"),
		syscall.SIGTERM: exit.Errorf(exit.Terminated, "stopped by SIGTERM"),
		syscall.SIGHUP:  exit.Errorf(exit.HungUp, "stopped by SIGHUP"),
		syscall.SIGPIPE: errUnread,
	}[s]
	cancel(err)
	select {
	case result := <-done:
		// The command has written all its output, and the reader needed no more: `report | grep -q` succeeds.
		if s == syscall.SIGPIPE && result == nil {
			return nil
		}
	case <-signals:
	case <-time.After(grace):
	}
	return err
}

// asksJSON says whether the user asked for JSON messages. It is needed for errors in the command line itself, which
// come before parsing ends.
func asksJSON(program string, args []string) bool {
	if slices.Contains(args, "--log=json") || os.Getenv(Environment(program)+"_LOG") == "json" {
		return true
	}
	i := slices.Index(args, "--log")
	return i >= 0 && i+1 < len(args) && args[i+1] == "json"
}

// newParser builds the parser of flags, environment variables and an optional JSON file, in that order of precedence.
func newParser(ctx context.Context, stage Stage, of grammar, stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(of.flags, append([]kong.Option{
		kong.Name(stage.Name),
		kong.Description(stage.Summary + "\n\nExample:\n  " + stage.Example + notes(stage.Notes)),
		kong.DefaultEnvars(Environment(stage.Name)),
		commandVariables(stage.Name),
		kong.Configuration(readSettings),
		kong.Vars{"version": version(stage.Name)},
		aboutMetrics(stage),
		kong.Writers(stdout, stderr),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100, NoExpandSubcommands: true}),
		kong.ValueFormatter(func(v *kong.Value) string { return v.Help }), // the environment is named once, at the end
		kong.Help(helpOf(stage)),
		kong.WithBeforeApply(leaveOthers),
		kong.WithBeforeApply(refuseAbsent),
		kong.WithBeforeApply(refuseMissing),
		kong.WithAfterApply(refuseNothing),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Exit(func(code int) { panic(exited(code)) }),
	}, append(asGiven, of.options...)...)...)
}

// Environment returns the prefix of a program's environment variables.
func Environment(program string) string { return "PRIVPIPE_" + strings.ToUpper(program) }

func notes(text string) string {
	if text == "" {
		return ""
	}
	return "\n\n" + text
}

// exited is the panic value that returns from kong's hooks for --help and --version to parse.
type exited int

// parseAny first parses the arguments by the grammar of the command that they name. If this grammar refuses them, it
// parses them by the grammar of all commands.
func parseAny(ctx context.Context, stage Stage, cli Commands, args []string, stdout,
	stderr io.Writer) (command *kong.Context, done bool, err error) {
	if len(args) == 1 && args[0] == "--version" {
		fmt.Fprintln(stdout, version(stage.Name))
		return nil, true, nil
	}
	if one, ok := oneCommand(stage.Name, cli, args); ok {
		if parser, err := newParser(ctx, stage, one, stdout, stderr); err == nil {
			if command, done, err = parse(parser, args); err == nil {
				return command, done, nil
			}
		}
	}
	parser, err := newParser(ctx, stage, grammar{flags: cli}, stdout, stderr)
	if err != nil {
		return nil, false, exit.Errorf(exit.Internal, "%w", err)
	}
	return parse(parser, args)
}

func parse(parser *kong.Kong, args []string) (command *kong.Context, done bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exited); !ok {
				panic(r)
			}
			done = true
		}
	}()
	command, err = parser.Parse(args)
	return command, false, err
}

// commandOf returns the program and the command that err is about.
func commandOf(stage Stage, err error) string {
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil {
		if chosen := wrong.Context.Selected(); chosen != nil {
			return stage.Name + " " + chosen.Path()
		}
	}
	return stage.Name
}

// helpOf prints help with exit codes, environment variables and names of streams.
func helpOf(stage Stage) kong.HelpPrinter {
	return func(options kong.HelpOptions, ctx *kong.Context) error { return help(stage, options, ctx) }
}

func help(stage Stage, options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	w := ctx.Stdout
	fmt.Fprintln(w, "\nExit codes:")
	for _, m := range exit.Meaning {
		fmt.Fprintf(w, "  %3d  %s\n", m.Code, m.Text)
	}
	fmt.Fprintf(w, "\nEach flag can also be set by an environment variable: --dry-run by %s_DRY_RUN.\n",
		Environment(ctx.Model.Name))
	if command := ctx.Selected(); command != nil && command.Type == kong.CommandNode && len(command.Children) == 0 &&
		len(command.Flags) > 0 {
		flag := command.Flags[len(command.Flags)-1]
		fmt.Fprintf(w, "Flags of this command also by one of its own, which comes first: --%s by %s.\n", flag.Name,
			flag.Envs[0])
	}
	fmt.Fprintln(w, "A value of 0 or of no letter is refused where it would read as none.")
	if topic.Any() || stage.Networked {
		fmt.Fprintln(w, "A stream is a file, a FIFO, - or a topic, kafka://HOST[:PORT][,…]/TOPIC[?…]: "+
			"pipelines/recipes/kafka/README.md")
	} else {
		fmt.Fprintln(w, "A stream is a file, a FIFO or -.")
	}
	fmt.Fprintln(w, "The format of streams: pipelines/SPEC.md")
	return nil
}
