package endpoint_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestStallOfWriter: who sends messages that the broker does not take stands still. What is waited for is told.
func TestStallOfWriter(t *testing.T) {
	const limit = 50 * time.Millisecond
	fake := broker.Fake(t, map[string]int{"rounds.private": 1})
	dead := func(key kmsg.Key) {
		fake.ControlKey(key.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
			fake.KeepControl()
			return nil, nil, true
		})
	}
	out := streams(t, topic(fake.Address, "rounds.private"), roundsHeader("a"))[0]
	dead(kmsg.Produce)
	for _, record := range round(1, 1) {
		if err := out.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	go out.Flush()
	eventually(t, "it cannot write", func() bool {
		return strings.Contains(metrics.Stalled(limit), "nothing goes out to rounds.private[0]")
	})
	alone, _ := metrics.Waiting(0)
	if want := "/rounds.private to append, for at most 2m0s"; !strings.Contains(strings.Join(alone, "\n"), want) {
		t.Errorf("%q is not among what is waited for: %q", want, alone)
	}
	out.Abort()
}

// nothingComes is what metrics.Stalled says of reading; the writer of another test may still be sending.
func nothingComes(limit time.Duration) string {
	if s := metrics.Stalled(limit); strings.Contains(s, "nothing comes in") {
		return s
	}
	return ""
}

// TestStall: who waits for a partition in which nothing comes stands still until something comes.
func TestStall(t *testing.T) {
	const limit = 300 * time.Millisecond
	fake := broker.Fake(t, map[string]int{"rounds.private": 1})
	name := topic(fake.Address, "rounds.private")
	out := streams(t, name, roundsHeader("a"))[0]
	put(t, out, round(1, 1)...)
	in, _, err := endpoint.OpenStream(t.Context(), name, rounds)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	next := make(chan *wire.Record)
	go func() {
		defer close(next)
		for {
			record, err := in.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			next <- record
		}
	}()
	for range round(1, 1) {
		<-next
	}
	eventually(t, "it stands still",
		func() bool { return strings.Contains(nothingComes(limit), "nothing comes in rounds.private[0]") })
	// It does not stand still for limit if a message was sent less than that ago. A slow machine sends another one.
	for number, known := uint32(2), false; !known; number++ {
		sent := time.Now()
		put(t, out, round(number, 1)...)
		for range round(number, 1) {
			<-next
		}
		s := nothingComes(limit)
		if known = time.Since(sent) < limit; known && s != "" {
			t.Errorf("after a message: %s", s)
		}
	}
	// Who cuts a live stream asks: documents need not come. Each answer of the broker that there are none is progress.
	var before, last time.Time
	answers := 0
	eventually(t, "the broker has no messages", func() bool {
		asked := time.Now()
		if until, _ := in.Drained(); until.After(before) {
			before, last = until, asked
			answers++
		}
		if s := nothingComes(2 * limit); s != "" && time.Since(last) < 2*limit {
			t.Fatalf("who knows that nothing is due: %s", s)
		}
		return answers == 4 // of half a second each
	})
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	if record, more := <-next; more {
		t.Errorf("after the end: %v", record)
	}
}
