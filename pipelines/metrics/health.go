package metrics

import (
	"strconv"
	"time"
)

var (
	healthy = Description{Name: namespace + "_healthy",
		Help: "0 while the stage has waited for --stall-timeout to read or to write messages of topics, or for a " +
			"broker's answer, else 1."}
	stalled = Description{Name: namespace + "_stalled_partition", Labels: []string{"topic", "partition"},
		Help: "1 for each partition that a stage which is not healthy waits for; absent otherwise."}
)

// health returns the facts of Stalled as numbers. They are public for the same reason.
func health(limit time.Duration) []Sample {
	partitions, _, _ := awaited(limit)
	if len(partitions) == 0 {
		return []Sample{{Description: healthy, Value: 1}}
	}
	all := []Sample{{Description: healthy, Value: 0}}
	for _, w := range partitions {
		if w.partition < 0 {
			continue // the whole topic
		}
		all = append(all, Sample{Description: stalled, Values: []string{w.topic, strconv.Itoa(w.partition)}, Value: 1})
	}
	return all
}
