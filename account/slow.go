package main

import (
	"log/slog"
	"time"

	"privpipe/pipelines/exit"
)

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
