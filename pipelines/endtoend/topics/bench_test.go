package topics

import (
	"fmt"
	"testing"
	"time"

	"privpipe/pipelines/testkit/broker"
)

// BenchmarkTraining trains on all comments of Go's source over topics, 30 rounds, and says how fast that is beside the
// pipe. The pipe has as many threads as there are cores. Over topics there is one worker with as many threads, or one
// to four workers of one thread each.
//
// Other programs on the machine change both times, so a training over pipes follows each over topics. The broker has
// the same cores as the stages. So the benchmark also says the CPU time per round: of the stages, of the broker, and
// over pipes. ×pipe-cpu is the CPU time over pipes beside the stages' over topics, without the broker's.
func BenchmarkTraining(b *testing.B) {
	real := broker.Real(b)
	j := newJobOf(b, system{sample: "--poisson 0.5", estep: "lda", mstep: "lda --topics 50", rounds: 30}, "src")
	train := func(workers, threads int) (took, cpu time.Duration) {
		r := newRun(b, j, real, workers)
		r.threads = threads
		begun := time.Now()
		if err := r.all(scripted); err != nil {
			b.Fatalf("%v\n%s", err, r.log.String())
		}
		took = time.Since(begun)
		if err := r.judge(); err != nil {
			b.Fatal(err)
		}
		return took, r.cpu
	}
	// Not measured: a broker that has just started interprets its code. It takes twice the CPU time of one that has
	// compiled it.
	train(4, 1)
	pipes := 0
	for _, c := range []struct{ workers, threads int }{{1, 0}, {1, 1}, {2, 1}, {4, 1}} {
		b.Run(fmt.Sprintf("workers=%d/threads=%d", c.workers, c.threads), func(b *testing.B) {
			var topics, stages, pipe, programs, brokers time.Duration
			for b.Loop() {
				before := real.CPU(b)
				took, cpu := train(c.workers, c.threads)
				topics, stages, brokers = topics+took, stages+cpu, brokers+real.CPU(b)-before
				pipes++
				took, cpu = j.pipe(b, fmt.Sprint("pipe", pipes))
				pipe, programs = pipe+took, programs+cpu
			}
			perRound := func(all time.Duration) float64 {
				return float64(all.Milliseconds()) / float64(b.N*j.planned())
			}
			b.ReportMetric(pipe.Seconds()/topics.Seconds(), "pipes")
			b.ReportMetric(perRound(stages), "cpu-ms/round")
			b.ReportMetric(perRound(brokers), "broker-cpu-ms/round")
			b.ReportMetric(perRound(programs), "pipe-cpu-ms/round")
			b.ReportMetric(programs.Seconds()/stages.Seconds(), "×pipe-cpu")
		})
	}
}
