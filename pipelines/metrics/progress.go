package metrics

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

var lastProgress = gauges(public, "last_progress_timestamp_seconds",
	"Unix time in whole seconds when messages of a topic last came in or went out; before the first, when the first topic was opened.")

// progress is what the stage knows of its topics' standing still.
var progress struct {
	sync.Mutex
	last  time.Time      // zero: there is no topic
	round int            // that the stage is at, 0 before the first
	waits map[*Wait]bool // those under way
}

// Progress says that messages of a topic came in or went out, or that none is due.
func Progress() {
	progress.Lock()
	defer progress.Unlock()
	progress.last = time.Now()
	lastProgress.of().Set(float64(progress.last.Unix()))
}

// A Wait is the waiting for messages of a partition, which may last. Its methods must not be called at the same time.
type Wait struct{ name string }

// NewWait returns the waiting for messages of a partition. None is under way yet.
func NewWait(topic string, partition int) *Wait {
	Progress()
	return &Wait{fmt.Sprintf("%s[%d]", topic, partition)}
}

// Begin says that the stage waits, until End.
func (w *Wait) Begin() {
	progress.Lock()
	defer progress.Unlock()
	if progress.waits == nil {
		progress.waits = make(map[*Wait]bool)
	}
	progress.waits[w] = true
}

// End ends the waiting, if it is under way.
func (w *Wait) End() {
	progress.Lock()
	defer progress.Unlock()
	delete(progress.waits, w)
}

// Stalled says in words what the stage waits for, if no message has come in or gone out for a time; "" if all is well, or if
// limit is 0. A stage that waits for no topic is at work.
func Stalled(limit time.Duration) string {
	progress.Lock()
	defer progress.Unlock()
	quiet := time.Since(progress.last)
	if limit == 0 || len(progress.waits) == 0 || quiet < limit {
		return ""
	}
	names := make([]string, 0, len(progress.waits))
	for w := range progress.waits {
		names = append(names, w.name)
	}
	slices.Sort(names)
	where := "before the first round"
	if progress.round > 0 {
		where = fmt.Sprintf("at round %d", progress.round)
	}
	return fmt.Sprintf("no progress for %v, %s: nothing comes in %s", quiet.Truncate(time.Second), where, strings.Join(names, ", "))
}
