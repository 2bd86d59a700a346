package topics

import (
	"fmt"
	"testing"
	"time"

	"privpipe/pipelines/testkit/broker"
)

// TestWorkers: over topics, however many workers share the E-step, the sums and the model are those of the pipe.
func TestWorkers(t *testing.T) {
	b := broker.Real(t)
	for name, system := range map[string]system{"lda": lda, "vips": vips} {
		j := newJob(t, system)
		for _, workers := range []int{1, 2, 4} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				r := newRun(t, j, b, workers)
				begun := time.Now()
				err := r.all(2 * time.Minute)
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
