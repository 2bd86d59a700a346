package main

import (
	"sync/atomic"
	"time"

	"privpipe/pipelines/exit"
)

// A deadline is how long a round may take from the first word of it until it is whole. A round is never released smaller than
// it was drawn: when its time is over the program ends without it.
type deadline struct {
	limit  time.Duration // 0: none
	round  uint32
	timer  *time.Timer
	over   bool        // a round's time was over: there is no other one
	rang   atomic.Bool // the same, as soon as the clock says so
	passed chan error  // receives the error when a round's time is over
}

func newDeadline(limit time.Duration) *deadline {
	return &deadline{limit: limit, passed: make(chan error, 1)}
}

// begin sets the time of a round that begins.
func (d *deadline) begin(round uint32) {
	if d.limit == 0 || d.timer != nil && round <= d.round {
		return
	}
	if !d.stop() {
		return
	}
	d.round = round
	late := d.late()
	d.timer = time.AfterFunc(d.limit, func() {
		defer exit.Guard()
		d.rang.Store(true)
		d.passed <- late
	})
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
	return exit.Errorf(exit.Malformed, "round %d is not whole %v after its beginning: nothing new of it was released", d.round, d.limit).
		WithHint("see that sample and all workers run; then start this again, with the same ledger")
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
