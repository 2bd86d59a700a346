package metrics

import "time"

var (
	round = gauges(public, "round",
		"Round that the stage is at: the last that was released or learned, or the one that is sampled or answered.")
	planned   = gauges(public, "rounds_planned", "Number of rounds of the whole plan.")
	roundTime = gauges(public, "round_timestamp_seconds",
		"Unix time in whole seconds when the stage came to its round; before its first, when it began.")
)

// Round says that the stage is at a round, counted from 1, of so many; 0 where it does not know how many.
func Round(number, of int) {
	round.of().Set(float64(number))
	if of > 0 {
		planned.of().Set(float64(of))
	}
	progress.Lock()
	progress.round = number
	progress.Unlock()
	mark(time.Now())
}

// mark sets the time of the round, in whole seconds like that of a charge in the ledger.
func mark(now time.Time) { roundTime.of().Set(float64(now.Unix())) }
