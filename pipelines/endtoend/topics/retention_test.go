package topics

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// TestRetention: a run that takes longer than its topics keep messages ends well where sample runs ahead by one round
// only. Where it writes all rounds at once, the last are gone when a worker that was started again wants them, and
// nothing is made up.
func TestRetention(t *testing.T) {
	testkit.Deep(t, "kafka")
	const (
		kept = 15 * time.Second // by the topics, and a second or two more: the broker looks once a second
		// of five rounds; a message of the round ahead lives for two of them, and what they take else
		paused = 4 * time.Second
	)
	b := broker.Real(t)
	job := newJob(t, lda)
	for _, c := range []struct{ lead, refused string }{
		{"1", ""},
		{"0", "are gone"},
	} {
		t.Run("lead "+c.lead, func(t *testing.T) {
			t.Parallel() // it mostly waits
			r := newRun(t, job, b, 1)
			short := map[string]string{"retention.ms": fmt.Sprint(kept.Milliseconds()), "segment.ms": "500"}
			for _, topic := range []string{"rounds.private", "contributions.private"} {
				r.topics[topic] = b.Topic(t, topic, partitions, short)
			}
			sample := append([]string{"sample", "--lead", c.lead}, r.sample()...)
			if c.lead != "0" {
				sample = append(sample, "--follow", r.url("releases"))
			}
			r.more = map[string][]string{"sample": append(sample, "-o", r.url("rounds.private"), r.path("docs.pp"))}
			begun := time.Now()
			done := make(chan struct{})
			go func() { // after each round the worker stands still, dies, and is started again
				for round := 1; round < rounds; round++ {
					for len(sums(t, r.ledger())) < round {
						select {
						case <-done:
							return
						case <-time.After(10 * time.Millisecond):
						}
					}
					r.signal("estep0", syscall.SIGSTOP)
					time.Sleep(paused)
					r.signal("estep0", syscall.SIGKILL)
				}
			}()
			err := r.all(scripted)
			close(done)
			switch {
			case c.refused != "":
				if err == nil || !strings.Contains(err.Error(), c.refused) ||
					!strings.Contains(err.Error(), "exit status 90") {
					t.Errorf("got %v, want exit code 90 and %q", err, c.refused)
				}
				err = r.part()
			case err == nil:
				err = r.judge()
			}
			if took := time.Since(begun); c.refused == "" && took < kept+2*time.Second {
				t.Errorf("the run took %v, which tries nothing", took)
			}
			if err != nil {
				t.Errorf("%v\n%s", err, r.log.String())
			}
		})
	}
}
