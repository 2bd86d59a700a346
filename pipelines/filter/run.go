package filter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire"
)

// A Run is one execution of the chosen command. The command's method Run receives it.
type Run struct {
	context.Context              // ends with a signal
	Log             *slog.Logger // public quantities only, unless Private

	common  *Common
	screen  *screen
	status  atomic.Pointer[string]
	summary []slog.Attr
	started time.Time
}

// DryRun says whether the run must not write anything.
func (r *Run) DryRun() bool { return r.common.DryRun }

// Quiet says whether only errors are to be printed.
func (r *Run) Quiet() bool { return r.common.Quiet }

// Check checks, in a dry run only, that the inputs can be opened. It skips an empty name.
func (r *Run) Check(inputs ...string) error {
	if !r.DryRun() {
		return nil
	}
	return endpoint.Check(r, inputs...)
}

// Private says whether messages may hold counts that depend on private data.
func (r *Run) Private() bool { return r.common.PrivateLogs }

// Status sets the line that SIGUSR1 prints, and logs it. The line must hold public quantities only.
func (r *Run) Status(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	r.status.Store(&line)
	r.Log.Info(line)
}

// Round reports that the run is at round number, counted from 1. of is the number of rounds, 0 if unknown. Both numbers
// are public. The report goes to the status, the log and the metrics.
func (r *Run) Round(number, of int) {
	line, attributes := fmt.Sprintf("round %d", number), []any{"round", number}
	if of > 0 {
		line, attributes = fmt.Sprintf("%s of %d", line, of), append(attributes, "rounds", of)
	}
	r.status.Store(&line)
	metrics.Round(number, of)
	r.event(line, "round", attributes...)
}

// Summarize adds a public quantity to the summary.
func (r *Run) Summarize(name string, value any) { r.summary = append(r.summary, slog.Any(name, value)) }

// SummarizePrivate adds a quantity that depends on private data to the summary, if --private-logs allows it.
func (r *Run) SummarizePrivate(name string, value any) {
	if r.Private() {
		r.Summarize(name, value)
	}
}

// writeSummary writes the JSON object for --summary. Only its owner may read the file.
func (r *Run) writeSummary() error {
	if r.common.Summary == "" || r.DryRun() {
		return nil
	}
	object := map[string]any{"seconds": time.Since(r.started).Seconds()}
	for _, a := range r.summary {
		object[a.Key] = a.Value.Any()
	}
	b, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return endpoint.WriteFile(r, r.common.Summary, wire.Side_PRIVATE, append(b, '\n'))
}

// attend draws the progress line on a terminal and prints the status on SIGUSR1, until stop is called. After stop the
// line is erased, and SIGUSR1 does nothing.
func (r *Run) attend(program string) (stop func()) {
	usr1 := make(chan os.Signal, 1)
	signal.Notify(usr1, syscall.SIGUSR1)
	var tick <-chan time.Time
	if r.shows() {
		tick = time.NewTicker(refresh).C
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer exit.Guard()
		for {
			select {
			case <-usr1:
				status := "running"
				if line := r.status.Load(); line != nil {
					status = *line
				}
				if alone, others := endpoint.Awaited(r, time.Second); len(alone)+len(others) > 0 {
					status += "; waiting for " + strings.Join(append(alone, others...), ", ")
				}
				fmt.Fprintf(r.screen, "%s: %s\n", program, status)
			case <-tick:
				r.screen.draw()
			case <-quit:
				r.screen.end()
				return
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// reporter writes the error that ends a program.
type reporter struct {
	program string
	out     io.Writer
	json    bool
	ctx     context.Context
	stdout  *os.File
}

// inPipeline is an environment variable. A recipe sets it to say that the stages of one pipeline write their messages
// to the same place. A stage with a cut input then ends with its exit code and no message: the stage that failed says
// why.
const inPipeline = "PRIVPIPE_PIPELINE"

// fail reports err unless it is nil, and returns the exit code.
func (l *reporter) fail(err error) int {
	if l.unread(err) {
		err = errUnread
	}
	code := exit.Code(err)
	if err == nil {
		return code
	}
	if l.json {
		message := endpoint.Visible(err.Error(), true)
		b, _ := json.Marshal(map[string]any{"type": "exit", "program": l.program, "code": code, "message": message})
		fmt.Fprintf(l.out, "%s\n", b)
		return code
	}
	if os.Getenv(inPipeline) != "" && endpoint.CutUpstream(l.ctx, err) {
		return code
	}
	if err == errUnread {
		return code // silent, like other filters when head ends early
	}
	message := strings.ReplaceAll(err.Error(), "\n", "; ") // errors.Join puts each error on a line
	fmt.Fprintf(l.out, "%s: error: %s\n", l.program, endpoint.Visible(message, false))
	if hint := exit.Hint(err); hint != "" {
		fmt.Fprintf(l.out, "%s: hint: %s\n", l.program, endpoint.Visible(hint, false))
	}
	return code
}

// unread says whether err comes from a write to standard output without a reader.
func (l *reporter) unread(err error) bool {
	var path *fs.PathError
	return errors.Is(err, syscall.EPIPE) && errors.As(err, &path) && path.Path == l.stdout.Name()
}

// newLogger returns the logger for all messages except the final error. Each message is one line that begins with the
// program's name.
func newLogger(program string, common *Common, stderr io.Writer) *slog.Logger {
	level := slog.LevelWarn
	switch {
	case common.Quiet:
		level = slog.LevelError
	case common.Verbose:
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if common.Log == "json" {
		return slog.New(slog.NewJSONHandler(stderr, options)).With("program", program)
	}
	return slog.New(&textHandler{program: program, level: level, out: stderr})
}
