package topics

import (
	"fmt"
	"testing"
	"time"

	"privpipe/pipelines/testkit/broker"
)

// BenchmarkTraining trains on all comments of Go's source over topics, and says how fast that is beside the pipe, which has
// as many threads as there are cores: by one worker with as many, and by workers of one thread each.
func BenchmarkTraining(b *testing.B) {
	real := broker.Real(b)
	j := newJobOf(b, system{sample: "--poisson 0.5", estep: "lda", mstep: "lda --topics 50"}, "src")
	for _, c := range []struct{ workers, threads int }{{1, 0}, {1, 1}, {2, 1}, {4, 1}} {
		b.Run(fmt.Sprintf("workers=%d/threads=%d", c.workers, c.threads), func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				r := newRun(b, j, real, c.workers)
				r.threads = c.threads
				begun := time.Now()
				if err := r.all(5 * time.Minute); err != nil {
					b.Fatalf("%v\n%s", err, r.log.String())
				}
				took += time.Since(begun)
				if err := r.judge(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(j.took.Seconds()*float64(b.N)/took.Seconds(), "pipes")
		})
	}
}
