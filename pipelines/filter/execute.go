package filter

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// Stdio are the standard files of a run.
type Stdio struct {
	In, Out *os.File
	Err     io.Writer
}

// Execute runs a program in this process, and returns its exit code. Like a process, the run closes stdio.Out when its
// output is complete. A canceled ctx ends the run.
//
// Runs share what belongs to the process: the working directory, the environment, the metrics, the names of
// descriptors, such as /dev/stdout, and the rule for garbage. So Execute refuses --metrics. It has no line of
// progress and tells of no waits, and a panic of the command is the caller's.
func Execute(ctx context.Context, p Program, args []string, stdio Stdio) int {
	return newExecution(ctx, p.Stage, args, stdio).run(p.New(), args, inProcess)
}

// inProcess does the work of a run that does not own its process.
func inProcess(r *Run, work func() error) error {
	if r.common.Metrics != "" {
		return exit.Errorf(exit.Usage, "--metrics: several runs share this process and its metrics")
	}
	return work()
}

// An execution is a run with what surrounds it: its standard files, and the report of its error.
type execution struct {
	context.Context
	cancel context.CancelCauseFunc
	stage  Stage
	stdio  Stdio
	screen *screen
	log    *reporter
}

func newExecution(ctx context.Context, stage Stage, args []string, stdio Stdio) *execution {
	ctx, cancel := context.WithCancelCause(
		endpoint.With(ctx, endpoint.Options{Stdin: stdio.In, Stdout: stdio.Out}))
	screen := newScreen(stdio.Err)
	log := &reporter{ctx: ctx, stdout: stdio.Out, program: stage.Name, out: screen, json: asksJSON(stage.Name, args)}
	return &execution{ctx, cancel, stage, stdio, screen, log}
}

// run parses the arguments, and calls around to do the work of the chosen command.
func (e *execution) run(cli Commands, args []string, around func(r *Run, work func() error) error) int {
	defer e.cancel(nil)
	common, log := cli.shared(), e.log
	out := &printed{Writer: e.stdio.Out}
	command, exited, err := parseAny(e, e.stage, cli, args, out, e.screen)
	if exited || out.err != nil {
		return log.fail(out.err) // --help, --version
	}
	if err != nil {
		return log.fail(exit.Errorf(exit.Usage, "%w", err).WithHint("%s", hintOf(e.stage, err)))
	}
	log.json = common.Log == "json"
	if common.PrintConfig {
		return log.fail(printConfig(e.stdio.Out, command))
	}
	if common.Summary != "" && endpoint.IsStdout(common.Summary) {
		return log.fail(exit.Errorf(exit.Usage, "--summary must name a file: standard output is for records"))
	}
	if err := e.stdio.distinct(command); err != nil {
		return log.fail(err)
	}

	options := optionsOf(common, nodeOf(command).Target.Addr().Interface())
	options.Stdin, options.Stdout, options.OnTerminal = e.stdio.In, e.stdio.Out, e.screen.end
	r := &Run{Context: endpoint.With(e, options), Log: newLogger(e.stage.Name, common, e.screen), common: common,
		screen: e.screen, started: time.Now()}
	r.event("", "started", "version", version(e.stage.Name))
	err = around(r, func() error {
		err := command.Run(r)
		if err == nil {
			err = r.writeSummary() // here, since it may wait for a FIFO's reader
		}
		return err
	})
	endpoint.RemoveTemporaries(r)
	if common.DryRun && errors.Is(err, endpoint.ErrUnread) {
		err = nil // all possible checks are done
	}
	if common.DryRun && err == nil {
		err = checkTopics(r, command)
	}
	if err == nil {
		r.event("", "done")
	}
	return log.fail(err)
}

// printed notes whether the output of --help and --version was written.
type printed struct {
	io.Writer
	err error
}

func (p *printed) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	p.err = cmp.Or(p.err, err)
	return n, err
}
