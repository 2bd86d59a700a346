package ledger

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/print"
	"privpipe/account/internal/report"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/rounded"
	"privpipe/pipelines/wire"
)

// WatchCommand is account watch.
type WatchCommand struct {
	Grant   string `xor:"watched" placeholder:"FILE" help:"Watch this grant, which may not be in the ledger yet."`
	RunName string `name:"run" xor:"watched" placeholder:"NAME" help:"Watch the grant of this training run's last charge."`
	accountant.LedgerChoice
	Ledger string `arg:"" help:"Ledger of privatize, a file."`
}

// Help is the text that --help adds for this command.
func (WatchCommand) Help() string {
	return "Follows a ledger while privatize charges it, until all releases of a grant are used. By default this is " +
		"the grant that was charged last, or if there is none yet, the first to be charged. A terminal shows one " +
		"line: releases, ε of the whole ledger, its budget, and when the last release may come. ε is an upper " +
		"bound, as in account report. If standard error is no terminal, or the line is not wanted, a line for each " +
		"tenth of the releases goes to standard output. All of it is public: documents are counted only if a batch " +
		"has a fixed size."
}

// lookEvery and spentEvery say how often the ledger is read and ε is computed. A step that is slow runs less often, so
// that it takes at most a twentieth (1/leisure) of the time.
const (
	lookEvery  = 200 * time.Millisecond
	spentEvery = time.Second
	leisure    = 20
)

// Run is kong's hook.
func (c *WatchCommand) Run(r *filter.Run) error {
	w, err := c.begin(r)
	if err != nil || r.DryRun() {
		return err
	}
	switch {
	case r.ShowAlways(w.meter.Line):
		return w.follow(r, w.note(r))
	case r.Quiet():
		return w.follow(r, func(*event.Ledger) error { return nil })
	}
	out, err := endpoint.Create(r, endpoint.Stdio, wire.Side_PUBLIC)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := w.follow(r, w.print(out)); err != nil {
		return err
	}
	return out.Commit()
}

// begin reads the ledger and the grant. It refuses input that would make the watch endless.
func (c *WatchCommand) begin(ctx context.Context) (*watching, error) {
	if info, err := os.Stat(c.Ledger); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, exit.Errorf(exit.Usage, "%s: must be a file to be watched", c.Ledger)
	}
	ledger, err := ledgers.Read(ctx, c.Ledger)
	if err != nil {
		return nil, err
	}
	w := &watching{WatchCommand: c, meter: progress.Meter{Name: "account", Unit: "release"}}
	w.meter.Say("waiting for the first charge", "")
	if _, _, err := w.spent(ledger); err != nil || c.Grant == "" {
		return w, err
	}
	g, err := ledgers.ReadGrant(ctx, c.Grant)
	if err != nil {
		return nil, err
	}
	if head := ledger.Head(); g.Ledger != "" && (head == nil || head.ID != g.Ledger) {
		return nil, exit.Errorf(exit.Usage, "%s is for another ledger than %s", c.Grant, c.Ledger)
	}
	w.use = ledgers.UseOf(g)
	return w, nil
}

// A watching is the state while a ledger is followed.
type watching struct {
	*WatchCommand
	use   *ledgers.Use // of the watched grant or run; nil before the first charge
	meter progress.Meter
}

// follow reads the ledger until the grant is used up. It calls grown with the ledger at the start and whenever the
// ledger has grown.
func (w *watching) follow(ctx context.Context, grown func(*event.Ledger) error) error {
	size, rest := int64(-1), lookEvery
	next := "the next charge of " + w.Ledger
	ended := endpoint.Await(ctx, next)
	defer func() { ended() }()
	for {
		info, err := os.Stat(w.Ledger)
		if err != nil {
			return err
		}
		if info.Size() != size {
			began := time.Now()
			ledger, err := ledgers.Read(ctx, w.Ledger)
			if err != nil {
				return err
			}
			w.look(ledger)
			if err := grown(ledger); err != nil || w.use != nil && w.use.Releases >= w.use.Most {
				return err
			}
			ended()
			ended = endpoint.Await(ctx, next)
			size, rest = info.Size(), max(lookEvery, leisure*time.Since(began))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(rest):
		}
	}
}

// look counts how many of the grant's releases are charged.
func (w *watching) look(ledger *event.Ledger) {
	if w.use == nil {
		w.use = ledgers.LastUse(ledger, w.RunName)
	}
	if w.use == nil {
		return
	}
	w.use.Count(ledger.Charges())
	w.meter.Total.Store(int64(w.use.Most))
	w.meter.Done.Store(int64(w.use.Releases))
	w.meter.Documents.Store(int64(w.use.Releases) * int64(w.use.Batch))
}

// spent describes how much a ledger has spent of its budget, and at which δ. The number is an upper bound, from the
// accountant or from the ledger's filter. Both strings are empty if there is no δ at which to state ε.
func (w *watching) spent(ledger *event.Ledger) (spent, at string, err error) {
	p, err := w.Spending(ledger)(ledger.Charges())
	if err != nil {
		return "", "", err
	}
	b := ledgers.Total(ledger)
	if b == nil {
		delta, err := (&report.Query{Ledger: w.Ledger}).DeltaOf(ledger)
		if err != nil {
			return "", "", nil // there is no δ to state ε at
		}
		epsilon, err := p.Epsilon(delta)
		return "ε " + rounded.Up(epsilon), fmt.Sprintf("δ %v", delta), err
	}
	of, limit, err := b.Spent(ledger, p)
	if b.Filter != nil {
		return fmt.Sprintf("%s %s of %s", b.Filter.Measure, print.Number(of), print.Number(limit)),
			fmt.Sprintf("for ε %v at δ %v", b.Epsilon, b.Delta), err
	}
	return fmt.Sprintf("ε %s of %.4g", rounded.Up(of), limit), fmt.Sprintf("δ %v", b.Delta), err
}

// note returns a function that shows on the terminal's line what a ledger has spent. The computation runs in its own
// goroutine, so the shown value may lag behind.
func (w *watching) note(r *filter.Run) func(*event.Ledger) error {
	type state struct {
		ledger *event.Ledger
		run    string // empty if it has no name
	}
	latest := make(chan state, 1)
	go func() {
		defer exit.Guard()
		for {
			select {
			case <-r.Done():
				return
			case now := <-latest:
				began := time.Now()
				spent, details, err := w.spent(now.ledger)
				if err != nil {
					spent, details = "no ε", err.Error()
				}
				if now.run != "" {
					details = strings.TrimPrefix(details+", run "+print.Quoted(now.run), ", ")
				}
				w.meter.Say(spent, details)
				time.Sleep(max(spentEvery, leisure*time.Since(began)))
			}
		}
	}()
	return func(ledger *event.Ledger) error {
		if w.use == nil || w.use.Releases == 0 {
			return nil
		}
		now := state{ledger: ledger}
		if w.use.Run != w.use.Grant { // a run without a name of its own has the grant's name
			now.run = w.use.Run
		}
		select {
		case <-latest:
		default:
		}
		latest <- now
		return nil
	}
}

// print returns a function that prints a line for a ledger whenever another tenth of the releases is used.
func (w *watching) print(out io.Writer) func(*event.Ledger) error {
	printed := -1
	return func(ledger *event.Ledger) error {
		if w.use == nil || 10*w.use.Releases/w.use.Most == printed {
			return nil
		}
		printed = 10 * w.use.Releases / w.use.Most
		spent, at, err := w.spent(ledger)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("release %d of %d", w.use.Releases, w.use.Most)
		if w.use.Run != "" {
			line = "run " + print.Quoted(w.use.Run) + ": " + line
		}
		if spent != "" {
			line += ", " + spent + ", " + at
		}
		_, err = fmt.Fprintln(out, line)
		return err
	}
}
