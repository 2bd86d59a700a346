package topics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// TestSoak trains again and again while stages are killed, paused and doubled, the broker is killed or pauses, and
// messages are delivered again. Whatever happens, the rounds are released from the very sums that pipes give, each
// charged once, or the run is refused, and what it released until then is so. A run's faults follow from its seed,
// though not their effect: nothing here may fail at any of them. PRIVPIPE_SEED is the first one's seed, 1 by default.
func TestSoak(t *testing.T) {
	testkit.Deep(t, "faults")
	const runs = 20
	seed := 1
	if text := os.Getenv("PRIVPIPE_SEED"); text != "" {
		var err error
		if seed, err = strconv.Atoi(text); err != nil || seed < 0 {
			t.Fatalf("PRIVPIPE_SEED=%s, must be a number", text)
		}
	}
	b := broker.Own(t)
	j := newJob(t, lda)
	j.system.mstep += " --checkpoint-every 3" // a killed mstep sends parameters again, to workers that have newer ones
	counts := make(map[string]int)
	for i := range runs {
		seed := uint64(seed + i)
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			f := newFaults(t, j, b, seed)
			begun := time.Now()
			err := f.run.all(scripted)
			f.end()
			switch {
			case err == nil:
				err = f.run.judge()
				counts["released"]++
			case f.refusable && strings.Contains(err.Error(), "error: "):
				t.Logf("refused: %v", err)
				err = f.run.part()
				counts["refused"]++
			}
			if err != nil {
				t.Fatalf("%v\nfaults: %v\n%s", err, f.done, f.run.log.String())
			}
			t.Logf("%.1f s, %d workers, %v", time.Since(begun).Seconds(), f.run.workers, f.done)
			for _, fault := range f.done {
				counts[strings.Fields(fault)[1]]++
			}
		})
	}
	t.Logf("%d runs from seed %d: %v", runs, seed, counts)
}

// faults are what happens to a run.
type faults struct {
	*run
	random    *rand.Rand
	client    *kgo.Client
	refusable bool // one of them cannot be made good
	done      []string
	stopped   chan struct{} // closed when no more are to come
	ended     chan struct{}
}

func newFaults(t *testing.T, j *job, b *broker.Broker, seed uint64) *faults {
	random := rand.New(rand.NewPCG(seed, 0))
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Address), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	f := &faults{
		run: newRun(t, j, b, 1+random.IntN(3)), random: random, client: client,
		stopped: make(chan struct{}), ended: make(chan struct{}),
	}
	go f.all()
	return f
}

// all does some faults, one after the other.
func (f *faults) all() {
	defer close(f.ended)
	names := f.names()
	for range 1 + f.random.IntN(5) {
		if !f.wait(time.Duration(f.random.Float64() * float64(1200*time.Millisecond))) {
			return
		}
		name := names[f.random.IntN(len(names))]
		f.fault(name, f.random.IntN(100))
	}
}

// fault does one, by its number below 100.
func (f *faults) fault(name string, kind int) {
	switch {
	case kind < 45:
		if f.signal(name, syscall.SIGKILL) {
			f.note("kill %s", name)
		}
	case kind < 55:
		if f.signal(name, syscall.SIGSTOP) { // long enough that its partitions go to others
			f.note("pause %s", name)
			f.wait(time.Duration(500+f.random.IntN(2000)) * time.Millisecond)
			f.signal(name, syscall.SIGCONT)
		}
	case kind < 75:
		for _, topic := range []string{"rounds.private", "contributions.private", "releases", "parameters"} {
			f.deliverAgain(topic)
		}
		f.note("redeliver")
	case kind < 85:
		f.note("pause broker")
		f.broker.Pause(f.t)
		time.Sleep(time.Duration(200+f.random.IntN(1500)) * time.Millisecond)
		f.broker.Resume(f.t)
	case kind < 95:
		f.note("restart broker")
		f.broker.Kill(f.t)
		f.broker.Start(f.t)
	default:
		f.refusable = true
		f.note("poison")
		topic := []string{"rounds.private", "contributions.private", "releases", "parameters"}[f.random.IntN(4)]
		f.append(&kgo.Record{Topic: f.topics[topic], Partition: 0, Value: []byte("this is no frame")})
	}
}

func (f *faults) note(format string, arguments ...any) {
	f.done = append(f.done, fmt.Sprintf("%s ", time.Now().Format("05.000"))+fmt.Sprintf(format, arguments...))
}

// wait says false where no more faults are to come.
func (f *faults) wait(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-f.stopped:
		return false
	}
}

// end ends the faults.
func (f *faults) end() {
	close(f.stopped)
	<-f.ended
	f.client.Close()
}

// deliverAgain appends messages of a topic's first partitions a second time.
func (f *faults) deliverAgain(topic string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	offsets := map[int32]kgo.Offset{0: kgo.NewOffset().AtStart()}
	f.client.AddConsumePartitions(map[string]map[int32]kgo.Offset{f.topics[topic]: offsets})
	defer f.client.RemoveConsumePartitions(map[string][]int32{f.topics[topic]: {0}})
	short, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	records := f.client.PollFetches(short).Records()
	f.random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	for _, r := range records[:min(len(records), 5)] {
		f.append(&kgo.Record{Topic: r.Topic, Partition: r.Partition, Value: r.Value, Headers: r.Headers})
	}
}

func (f *faults) append(r *kgo.Record) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := f.client.ProduceSync(ctx, r).FirstErr(); err != nil && ctx.Err() == nil {
		f.t.Errorf("append: %v", err)
	}
}
