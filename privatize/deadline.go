package main

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// A deadline is how long a round may take, from when the program waits for it until it is whole. So what never begins is late,
// too. A round is never released smaller than it was drawn: when its time is over the program ends without it.
type deadline struct {
	limit  time.Duration // 0: none
	timer  *time.Timer
	over   bool        // a round's time was over: there is no other one
	rang   atomic.Bool // the same, as soon as the clock says so
	passed chan error  // receives the error when a round's time is over

	mutex  sync.Mutex
	behind uint32   // the last round that was whole
	from   []string // the inputs that are waited for
}

func newDeadline(limit time.Duration) *deadline {
	return &deadline{limit: limit, passed: make(chan error, 1)}
}

// begin sets the time of the round that follows another.
func (d *deadline) begin(behind uint32) {
	if d.limit == 0 || !d.stop() {
		return
	}
	d.waits()
	d.mutex.Lock()
	d.behind = behind
	d.mutex.Unlock()
	d.timer = time.AfterFunc(d.limit, func() {
		defer exit.Guard()
		d.rang.Store(true)
		d.passed <- d.late()
	})
}

// waits says from which inputs something is still to come, by their names.
func (d *deadline) waits(from ...string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.from = slices.Clone(from)
}

// running says that no time is over yet; else the error. Nothing is begun after it.
func (d *deadline) running() error {
	if d.rang.Load() {
		return d.late()
	}
	return nil
}

// met says, when the round is whole, that it is in time; else the error.
func (d *deadline) met() error {
	if !d.stop() {
		return d.late()
	}
	return nil
}

// stop says whether the time of the round under way, and of all before it, was not over.
func (d *deadline) stop() bool {
	if d.timer != nil {
		d.over = d.over || !d.timer.Stop()
		d.timer = nil
	}
	return !d.over
}

func (d *deadline) late() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	round := "the first round"
	if d.behind > 0 {
		round = fmt.Sprintf("the round after %d, or the end,", d.behind)
	}
	return exit.Errorf(exit.Malformed, "%s is not whole %v after the wait for it began, and nothing of it was released%s",
		round, d.limit, endpoint.Missing(d.from)).
		WithHint("see that sample, mstep and all workers run; then start this again, with the same ledger")
}

// within does work, and gives up waiting for it when a round's time is over. What the work then still reads is dropped: it
// ends at met.
func (d *deadline) within(work func() error) error {
	if d.limit == 0 {
		return work()
	}
	done := make(chan error, 1)
	go func() {
		defer exit.Guard()
		done <- work()
	}()
	select {
	case err := <-done:
		return err
	case err := <-d.passed:
		return err
	}
}
