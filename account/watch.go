package main

import (
	"context"
	"os"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

type watchCommand struct {
	Grant string `xor:"watched" placeholder:"FILE" help:"Watch this grant, which may not be in the ledger yet."`
	Run_  string `name:"run" xor:"watched" placeholder:"NAME" help:"Watch the grant that this training run was charged by last."`
	ledgerChoice
	Ledger string `arg:"" help:"Ledger of privatize, a file."`
}

// Help is kong's hook.
func (watchCommand) Help() string {
	return "Follows a ledger while privatize charges it, until all releases of a grant are used. By default it is the grant that was " +
		"charged last; where there is none yet, the first to be charged. A terminal shows one line: releases, ε of the whole ledger " +
		"beside its budget, and when the last release may come. ε is an upper bound, as in account report. If standard error is no terminal, or " +
		"the line is not wanted, a line for each tenth of the releases goes to standard output. All of it is public: documents are " +
		"counted only where a batch has a fixed size."
}

// How often a ledger is looked at, and ε is worked out. Where one of them takes long it is done less often: it may take a
// twentieth of the time.
const (
	lookEvery  = 200 * time.Millisecond
	spentEvery = time.Second
	leisure    = 20
)

// Run is kong's hook.
func (c *watchCommand) Run(r *filter.Run) error {
	w, err := c.begin()
	if err != nil || r.DryRun() {
		return err
	}
	switch {
	case r.ShowAlways(w.meter.Line):
		return w.follow(r, w.note(r))
	case r.Quiet():
		return w.follow(r, func(*event.Ledger) error { return nil })
	}
	out, err := endpoint.Create(endpoint.Stdio, wire.Side_PUBLIC)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := w.follow(r, w.print(out)); err != nil {
		return err
	}
	return out.Commit()
}

// begin refuses what could be watched for ever in vain.
func (c *watchCommand) begin() (*watching, error) {
	if info, err := os.Stat(c.Ledger); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, exit.Errorf(exit.Usage, "%s: must be a file to be watched", c.Ledger)
	}
	ledger, err := readLedger(c.Ledger)
	if err != nil {
		return nil, err
	}
	w := &watching{watchCommand: c, meter: progress.Meter{Name: "account", Unit: "release"}}
	w.meter.Say("waiting for the first charge", "")
	if _, _, err := w.spent(ledger); err != nil || c.Grant == "" {
		return w, err
	}
	g, err := readGrant(c.Grant)
	if err != nil {
		return nil, err
	}
	if head := ledger.Head(); g.Ledger != "" && (head == nil || head.ID != g.Ledger) {
		return nil, exit.Errorf(exit.Usage, "%s is for another ledger than %s", c.Grant, c.Ledger)
	}
	w.use = useOf(g)
	return w, nil
}

// A watching is a ledger that is followed.
type watching struct {
	*watchCommand
	use   *use // of what is watched; nil: nothing is charged yet
	meter progress.Meter
}

// follow looks at the ledger until the grant is used up, and calls grown for what it is at first and whenever it has grown.
func (w *watching) follow(ctx context.Context, grown func(*event.Ledger) error) error {
	size, rest := int64(-1), lookEvery
	for {
		info, err := os.Stat(w.Ledger)
		if err != nil {
			return err
		}
		if info.Size() != size {
			began := time.Now()
			ledger, err := readLedger(w.Ledger)
			if err != nil {
				return err
			}
			w.look(ledger)
			if err := grown(ledger); err != nil || w.use != nil && w.use.releases >= w.use.most {
				return err
			}
			size, rest = info.Size(), max(lookEvery, leisure*time.Since(began))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(rest):
		}
	}
}

// look finds out how far the grant is.
func (w *watching) look(ledger *event.Ledger) {
	if w.use == nil {
		w.use = lastUse(ledger, w.Run_)
	}
	if w.use == nil {
		return
	}
	w.use.count(ledger.Charges())
	w.meter.Total.Store(int64(w.use.most))
	w.meter.Done.Store(int64(w.use.releases))
	w.meter.Documents.Store(int64(w.use.releases) * int64(w.use.batch))
}
