package topics

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// TestWorkers: over topics, however many workers share the E-step, the sums and the model are those of the pipe.
func TestWorkers(t *testing.T) { broker.Each(t, shared) }

func shared(t *testing.T, b *broker.Broker) {
	for name, system := range map[string]system{"lda": lda, "vips": vips} {
		j := sync.OnceValue(func() *job { return newJob(t, system) })
		for _, workers := range []int{1, 2, 4} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				if workers != 2 {
					testkit.Deep(t, "kafka")
				}
				r := newRun(t, j(), b, workers)
				begun := time.Now()
				err := r.all(scripted)
				if err == nil {
					err = r.judge()
				}
				if err != nil {
					t.Fatalf("%v\n%s", err, r.log.String())
				}
				t.Logf("%.1f s", time.Since(begun).Seconds())
			})
		}
	}
}
