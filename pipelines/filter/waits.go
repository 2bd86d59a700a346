package filter

import (
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/metrics"
)

// lasting is how long a wait lasts before it is told.
const lasting = 5 * time.Second

// tell tells of waits that last. It runs until the process ends.
func (r *Run) tell() {
	var t teller
	for range time.Tick(lasting / 5) {
		t.tell(r, lasting)
	}
}

// A teller knows which waits were told.
type teller struct{ warned, said map[string]bool }

// tell tells once of each wait that is longer than a time. It warns if no program is at the other end, or if that
// program was silent for --stall-timeout. A program that is there may be working, so before that the message is for
// --verbose.
func (t *teller) tell(r *Run, longer time.Duration) {
	alone, others := endpoint.Awaited(longer)
	topicAlone, topicOthers := metrics.Waiting(longer) // for topics and brokers
	alone, others = append(alone, topicAlone...), append(others, topicOthers...)
	if limit := r.common.StallTimeout; limit > 0 {
		alone = append(alone, endpoint.Silent(max(longer, limit))...)
	}
	t.warned = fresh(alone, t.warned, func(what string) { r.Log.Warn("waiting for " + what) })
	t.said = fresh(others, t.said, func(what string) { r.Log.Info("waiting for " + what) })
}

// fresh tells what was not told before, and returns what was told and still lasts.
func fresh(waits []string, before map[string]bool, tell func(string)) map[string]bool {
	now := make(map[string]bool)
	for _, what := range waits {
		if now[what] = true; !before[what] {
			tell(what)
		}
	}
	return now
}
