package rounds

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// A deadline limits the time that a round may take. The time runs from when the program begins to wait for the round
// until the round is whole, so a round that never begins is late, too. A round is never released with fewer units than
// were drawn: when its time is over, the program ends without the round.
type deadline struct {
	limit  time.Duration // 0: none
	timer  *time.Timer
	over   bool        // a round was late: no other round begins
	rang   atomic.Bool // set by the timer when a round is late
	passed chan error  // receives the error when a round's time is over

	mutex sync.Mutex
	last  uint32   // the last whole round
	from  []string // the inputs that the program waits for
}

func newDeadline(limit time.Duration) *deadline {
	return &deadline{limit: limit, passed: make(chan error, 1)}
}

// begin starts the time of the round after round last.
func (d *deadline) begin(last uint32) {
	if d.limit == 0 || !d.stop() {
		return
	}
	d.waits()
	d.mutex.Lock()
	d.last = last
	d.mutex.Unlock()
	d.timer = time.AfterFunc(d.limit, func() {
		defer exit.Guard()
		d.rang.Store(true)
		d.passed <- d.late()
	})
}

// waits notes the names of the inputs that are still waited for.
func (d *deadline) waits(from ...string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.from = slices.Clone(from)
}

// running returns an error if a round is late. Nothing begins after an error.
func (d *deadline) running() error {
	if d.rang.Load() {
		return d.late()
	}
	return nil
}

// met ends the time of the current round, which is whole now. It returns an error if the round is late.
func (d *deadline) met() error {
	if !d.stop() {
		return d.late()
	}
	return nil
}

// stop stops the timer. It returns whether the current round and all rounds before it were in time.
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
	if d.last > 0 {
		round = fmt.Sprintf("the round after %d, or the end,", d.last)
	}
	return exit.Errorf(exit.Malformed,
		"%s is not whole %v after the wait for it began, and nothing of it was released%s",
		round, d.limit, endpoint.Missing(d.from)).
		WithHint("see that sample, mstep and all workers run; then start this again, with the same ledger")
}

// within does work, and stops waiting for it when a round is late. The work may then still read records. It drops them,
// because it ends at met.
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
