package metrics

import "time"

var (
	round = gauges(public, "round",
		"Current round of the stage: the last round that was released or learned, or the round that is being sampled "+
			"or answered.")
	planned   = gauges(public, "rounds_planned", "Number of rounds of the whole plan.")
	roundTime = gauges(public, "round_timestamp_seconds",
		"Unix time in whole seconds when the stage reached its round; before the first round, when the stage started.")
)

// Round reports that the stage is at round number, counted from 1, out of a number of rounds. of is 0 if the number is
// unknown.
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

// mark sets the time of the round, in whole seconds like a charge's time in the ledger.
func mark(now time.Time) { roundTime.of().Set(float64(now.Unix())) }
