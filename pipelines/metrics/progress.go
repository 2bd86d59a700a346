package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

var lastProgress = gauges(public, "last_progress_timestamp_seconds",
	"Unix time in whole seconds when messages of a topic last came in or went out; before the first, when the first topic was opened.")

// progress records when the stage last made progress, and the topics that it waits for.
var progress struct {
	sync.Mutex
	last  time.Time      // zero if there is no topic
	round int            // current round, 0 before the first
	waits map[*Wait]bool // waits that have begun and not ended
}

// Progress reports that messages of a topic were read or written, or that none is due.
func Progress() {
	progress.Lock()
	defer progress.Unlock()
	progress.last = time.Now()
	lastProgress.of().Set(float64(progress.last.Unix()))
}

// A Wait tracks a stage that waits for messages of a partition. Its methods must not be called concurrently.
type Wait struct {
	topic     string
	partition int
}

// NewWait returns a Wait for messages of a partition. It has not begun.
func NewWait(topic string, partition int) *Wait {
	Progress()
	return &Wait{topic, partition}
}

// Begin reports that the stage waits, until End.
func (w *Wait) Begin() {
	progress.Lock()
	defer progress.Unlock()
	if progress.waits == nil {
		progress.waits = make(map[*Wait]bool)
	}
	progress.waits[w] = true
}

// End ends the wait, if it has begun.
func (w *Wait) End() {
	progress.Lock()
	defer progress.Unlock()
	delete(progress.waits, w)
}

// awaited returns the partitions that the stage waits for, each once and in order, if no message was read or written for limit, and how
// long that is. Otherwise, or if limit is 0, it returns none. A stage that waits for no topic is working, not stalled.
func awaited(limit time.Duration) (partitions []Wait, quiet time.Duration, round int) {
	progress.Lock()
	defer progress.Unlock()
	if quiet = time.Since(progress.last); limit == 0 || quiet < limit {
		return nil, 0, 0
	}
	for w := range progress.waits {
		partitions = append(partitions, *w)
	}
	slices.SortFunc(partitions, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.partition, b.partition))
	})
	return slices.Compact(partitions), quiet, progress.round
}

// Stalled describes what the stage waits for, if it waits and no message was read or written for limit. Otherwise, or if limit
// is 0, it returns "".
func Stalled(limit time.Duration) string {
	partitions, quiet, round := awaited(limit)
	if len(partitions) == 0 {
		return ""
	}
	names := make([]string, len(partitions))
	for i, w := range partitions {
		names[i] = fmt.Sprintf("%s[%d]", w.topic, w.partition)
	}
	where := "before the first round"
	if round > 0 {
		where = fmt.Sprintf("at round %d", round)
	}
	return fmt.Sprintf("no progress for %v, %s: nothing comes in %s", quiet.Truncate(time.Second), where, strings.Join(names, ", "))
}
