package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

var lastProgress = gauges(public, "last_progress_timestamp_seconds",
	"Unix time in whole seconds when messages of a topic last came in or went out; before the first, when the first "+
		"topic was opened.")

// progress records when the stage last made progress, and the topics that it waits for.
var progress struct {
	sync.Mutex
	last  time.Time      // zero if there is no topic
	round int            // current round, 0 before the first
	waits map[*Wait]bool // waits that have begun and not ended
}

// Progress reports that messages in a topic were read or written, or that none is due.
func Progress() {
	progress.Lock()
	defer progress.Unlock()
	progress.last = time.Now()
	lastProgress.of().Set(float64(progress.last.Unix()))
}

// A Wait tracks a stage that waits for a partition's messages. Its methods must not be called concurrently.
type Wait struct {
	topic     string
	partition int // -1: the whole topic
	kind      kind
	since     time.Time // when it began
	told      string    // the words that Waiting uses for it
	alone     bool      // see Waiting
}

// A kind says what the stage waits for, in the words of Stalled: what does not happen.
type kind string

const (
	reads  kind = "nothing comes in"
	writes kind = "nothing goes out to"
	asks   kind = "the broker does not answer about"
)

// AwaitWrite reports that messages to a partition are sent, until the function that it returns is called. told
// describes the wait.
func AwaitWrite(topic string, partition int, told string) (ended func()) {
	return await(&Wait{topic: topic, partition: partition, kind: writes, told: told, alone: true})
}

// AwaitAnswer reports that a question about a topic was sent to a broker, until the function that it returns is called.
func AwaitAnswer(topic, told string) (ended func()) {
	return await(&Wait{topic: topic, partition: -1, kind: asks, told: told, alone: true})
}

func await(w *Wait) (ended func()) {
	w.Begin()
	return w.End
}

// Expect makes Waiting report the wait as one that may never end: nobody has to write the messages that the stage waits
// for.
func (w *Wait) Expect(told string) { w.told, w.alone = told, true }

// Waiting describes the waits that began longer ago than the given time, each once and in order. alone are the waits
// for something that may never come. others are the waits for programs that may be working.
func Waiting(longer time.Duration) (alone, others []string) {
	progress.Lock()
	defer progress.Unlock()
	for w := range progress.waits {
		switch {
		case time.Since(w.since) < longer:
		case w.alone:
			alone = append(alone, w.told)
		default:
			others = append(others, w.told)
		}
	}
	slices.Sort(alone)
	slices.Sort(others)
	return slices.Compact(alone), slices.Compact(others)
}

// NewWait returns a Wait for a partition's messages. It has not begun.
func NewWait(topic string, partition int) *Wait {
	Progress()
	return &Wait{topic: topic, partition: partition, kind: reads,
		told: fmt.Sprintf("messages of %s[%d]", topic, partition)}
}

// Begin reports that the stage waits, until End.
func (w *Wait) Begin() {
	progress.Lock()
	defer progress.Unlock()
	if progress.waits == nil {
		progress.waits = make(map[*Wait]bool)
	}
	w.since = time.Now()
	progress.waits[w] = true
}

// End ends the wait, if it has begun.
func (w *Wait) End() {
	progress.Lock()
	defer progress.Unlock()
	delete(progress.waits, w)
}

// awaited returns the partitions that the stage waits for, each once and in order, and how long it is quiet. A stage
// waits for messages to come if it reads and no message was read or written for limit. It waits for the broker if the
// broker did not take messages, or answer, for limit: messages may come from another broker meanwhile. Otherwise, or if
// limit is 0, awaited returns none. A stage that waits for no topic is working, not stalled.
func awaited(limit time.Duration) (partitions []Wait, quiet time.Duration, round int) {
	progress.Lock()
	defer progress.Unlock()
	if limit == 0 {
		return nil, 0, 0
	}
	for w := range progress.waits {
		lasts := time.Since(progress.last)
		if w.kind != reads {
			lasts = time.Since(w.since)
		}
		if lasts >= limit {
			quiet = max(quiet, lasts)
			partitions = append(partitions, Wait{topic: w.topic, partition: w.partition, kind: w.kind})
		}
	}
	slices.SortFunc(partitions, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.topic, b.topic), cmp.Compare(a.partition, b.partition))
	})
	return slices.Compact(partitions), quiet, progress.round
}

// Stalled describes the waits, in either direction, if the stage has waited for limit. Otherwise, or if limit is 0, it
// returns "".
func Stalled(limit time.Duration) string {
	partitions, quiet, round := awaited(limit)
	if len(partitions) == 0 {
		return ""
	}
	what := ""
	for i, w := range partitions {
		switch {
		case i == 0:
			what = string(w.kind) + " "
		case w.kind != partitions[i-1].kind:
			what += "; " + string(w.kind) + " "
		default:
			what += ", "
		}
		if what += w.topic; w.partition >= 0 {
			what += fmt.Sprintf("[%d]", w.partition)
		}
	}
	where := "before the first round"
	if round > 0 {
		where = fmt.Sprintf("at round %d", round)
	}
	return fmt.Sprintf("no progress for %v, %s: %s", quiet.Truncate(time.Second), where, what)
}
