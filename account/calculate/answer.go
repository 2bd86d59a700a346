// Package calculate has the commands of account that work out noise and losses: plan, which turns a budget into a
// grant, and those that need no ledger.
package calculate

import (
	"log/slog"
	"time"

	"privpipe/account/internal/print"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// answer finds an answer and prints it.
func answer[A print.Answer](r *filter.Run, to print.Flags, find func() (A, error)) error {
	defer saySlow(r.Log, usual)()
	found, err := find()
	if err != nil {
		return err
	}
	return to.Print(r, found)
}

// usual is the longest that an answer normally takes. A user who waits longer is told why.
const usual = 5 * time.Second

// saySlow logs at intervals that the program is still at work, until stop is called.
func saySlow(log *slog.Logger, every time.Duration) (stop func()) {
	quit, began := make(chan struct{}), time.Now()
	go func() {
		defer exit.Guard()
		for tick := time.NewTicker(every); ; {
			select {
			case <-tick.C:
				log.Warn("still at work: many rounds, or an --allocate, take long", "seconds",
					int(time.Since(began).Seconds()))
			case <-quit:
				tick.Stop()
				return
			}
		}
	}()
	return func() { close(quit) }
}
