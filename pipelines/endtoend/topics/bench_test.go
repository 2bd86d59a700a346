package topics

import (
	"fmt"
	"testing"
	"time"

	"privpipe/pipelines/testkit/broker"
)

// BenchmarkTraining trains on all comments of Go's source over topics, 30 rounds, and says how fast that is beside the pipe, which has
// as many threads as there are cores: by one worker with as many, and by workers of one thread each. Other programs on the machine change
// that ratio, and the broker has the same cores. So it also says the CPU time of a round: of the stages, of the broker, and over pipes.
func BenchmarkTraining(b *testing.B) {
	real := broker.Real(b)
	j := newJobOf(b, system{sample: "--poisson 0.5", estep: "lda", mstep: "lda --topics 50", rounds: 30}, "src")
	for _, c := range []struct{ workers, threads int }{{1, 0}, {1, 1}, {2, 1}, {4, 1}} {
		b.Run(fmt.Sprintf("workers=%d/threads=%d", c.workers, c.threads), func(b *testing.B) {
			var took, stages time.Duration
			before := real.CPU(b)
			for b.Loop() {
				r := newRun(b, j, real, c.workers)
				r.threads = c.threads
				begun := time.Now()
				if err := r.all(5 * time.Minute); err != nil {
					b.Fatalf("%v\n%s", err, r.log.String())
				}
				took += time.Since(begun)
				stages += r.cpu
				if err := r.judge(); err != nil {
					b.Fatal(err)
				}
			}
			perRound := func(all time.Duration, runs int) float64 {
				return float64(all.Milliseconds()) / float64(runs*j.planned())
			}
			b.ReportMetric(j.took.Seconds()*float64(b.N)/took.Seconds(), "pipes")
			b.ReportMetric(perRound(stages, b.N), "cpu-ms/round")
			b.ReportMetric(perRound(real.CPU(b)-before, b.N), "broker-cpu-ms/round")
			b.ReportMetric(perRound(j.cpu, 1), "pipe-cpu-ms/round")
		})
	}
}
