package filter

import (
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/metrics"
)

// lasting is how long a wait must last before it is reported.
const lasting = 5 * time.Second

// tell reports long waits. It runs until the process ends.
func (r *Run) tell() {
	var t teller
	for range time.Tick(lasting / 5) {
		t.tell(r, lasting)
	}
}

// A teller remembers the waits that were reported.
type teller struct{ warned, said map[string]bool }

// tell reports each wait once that is longer than the given time. It warns if no program is at the other end, or if
// that program was silent for --stall-timeout. A program at the other end may be working, so until then the message is
// only for --verbose.
func (t *teller) tell(r *Run, longer time.Duration) {
	alone, others := endpoint.Awaited(r, longer)
	topicAlone, topicOthers := metrics.Waiting(longer) // for topics and brokers
	alone, others = append(alone, topicAlone...), append(others, topicOthers...)
	if limit := r.common.StallTimeout; limit > 0 {
		alone = append(alone, endpoint.Silent(r, max(longer, limit))...)
	}
	t.warned = fresh(alone, t.warned, func(what string) { r.Log.Warn("waiting for " + what) })
	t.said = fresh(others, t.said, func(what string) { r.Log.Info("waiting for " + what) })
}

// fresh reports the waits that were not reported before. It returns the reported waits that still last.
func fresh(waits []string, before map[string]bool, tell func(string)) map[string]bool {
	now := make(map[string]bool)
	for _, what := range waits {
		if now[what] = true; !before[what] {
			tell(what)
		}
	}
	return now
}
