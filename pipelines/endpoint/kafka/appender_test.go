package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

var produces = []kmsg.Key{kmsg.Produce}

// TestLostAcknowledgements: what was appended, though the answer says that it may not be, is there twice and read once.
func TestLostAcknowledgements(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	l := location(t, fake.Address, "t.private", "")
	for i, err := range []*kerr.Error{kerr.NotEnoughReplicasAfterAppend, kerr.RequestTimedOut} {
		fault := fake.Fault(kfake.Fault{Keys: produces, Topic: l.Topic, Err: err, Count: 2})
		w := newWriter(t, appendTo(t, l), header(wire.Kind_ROUNDS))
		write(t, w, round(uint32(i+1), 20_000)...)
		if fault.Hits() != 2 {
			t.Errorf("%d faults, want 2", fault.Hits())
		}
	}
	once := broker.Fake(t, map[string]int{"t.private": 1})
	other := location(t, once.Address, "t.private", "")
	writeStream(t, appendTo(t, other), header(wire.Kind_ROUNDS), round(1, 20_000))
	if again, first := count(t, l, 0), count(t, other, 0)-1; again < 2*first+2 {
		t.Errorf("%d messages of two writers: the test wants some of %d twice", again, first)
	}
	w := newWriter(t, appendTo(t, l), header(wire.Kind_ROUNDS))
	write(t, w, round(3, 1)...)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := read(t, openLog(t, l))
	wantRecords(t, got, err, round(1, 20_000), round(2, 20_000), round(3, 1))
}

// TestReplicasHaveTime: a broker is asked to wait for its replicas for seconds, since what it gives up on is appended
// again.
func TestReplicasHaveTime(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	var asked kmsg.ProduceRequest
	fake.Fault(kfake.Fault{Keys: produces, Observe: true, When: func(r kmsg.Request) bool {
		asked = *r.(*kmsg.ProduceRequest)
		return true
	}})
	a := appendTo(t, location(t, fake.Address, "t.private", ""))
	if err := a.WriteFrame([]byte("x"), stream.Mark{Closes: true}); err != nil {
		t.Fatal(err)
	}
	if asked.Acks != -1 || asked.TimeoutMillis < 5000 {
		t.Errorf("of replicas %d (-1: all) are asked for within %d ms", asked.Acks, asked.TimeoutMillis)
	}
}

// TestPassingFaults: what passes by itself is tried again, and nothing is lost or twice.
func TestPassingFaults(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	l := location(t, fake.Address, "t.private", "")
	groups := [][]*wire.Record{round(1, 20_000), round(2, 10)}
	for _, err := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.LeaderNotAvailable, kerr.NotEnoughReplicas,
		kerr.UnknownTopicOrPartition, kerr.KafkaStorageError} {
		fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets}, Topic: l.Topic, Err: err})
	}
	writeStream(t, appendTo(t, l), header(wire.Kind_ROUNDS), groups...)
	reads := []kmsg.Key{kmsg.Fetch, kmsg.ListOffsets}
	fake.Fault(kfake.Fault{Keys: reads, Topic: l.Topic, Err: kerr.NotLeaderForPartition, Count: 2})
	got, err := read(t, openLog(t, l))
	wantRecords(t, got, err, groups...)
}

// TestLeaderMoves: partitions go from broker to broker, and brokers leave, while a stream is written and read.
func TestLeaderMoves(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 1}, kfake.NumBrokers(3))
	l := location(t, strings.Join(fake.ListenAddrs(), ","), "t.private", "")
	log, w := openLog(t, l), newWriter(t, appendTo(t, l), header(wire.Kind_ROUNDS))
	var groups [][]*wire.Record
	for number := uint32(1); number <= 4; number++ {
		groups = append(groups, round(number, 1000))
	}
	written := make(chan error, 1)
	go func() {
		for i, g := range groups {
			for _, r := range g {
				if err := w.Write(r); err != nil {
					written <- err
					return
				}
			}
			if err := w.Flush(); err != nil {
				written <- err
				return
			}
			leader := fake.LeaderFor(l.Topic, 0)
			if err := fake.MoveTopicPartition(l.Topic, 0, (leader+1)%3); err != nil {
				written <- err
				return
			}
			if i == 3 {
				if err := fake.RemoveNode(fake.LeaderFor(l.Topic, 0)); err != nil {
					written <- err
					return
				}
			}
		}
		written <- w.Close()
	}()
	got, err := read(t, log)
	wantRecords(t, got, err, groups...)
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// TestCutConnections: a broker that hangs up during a request may have taken it, so the appender retries the request.
func TestCutConnections(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	l := location(t, fake.Address, "t.private", "")
	cut := 0
	for _, key := range []kmsg.Key{kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets} {
		fake.ControlKey(key.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
			cut++
			return nil, errors.New("cut"), true
		})
	}
	writeStream(t, appendTo(t, l), header(wire.Kind_ROUNDS), round(1, 100))
	got, err := read(t, openLog(t, l))
	wantRecords(t, got, err, round(1, 100))
	if cut != 3 {
		t.Errorf("%d connections were cut", cut)
	}
}

// TestPassing: a broken connection is no broken pipe, and passes.
func TestPassing(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "write", Err: os.NewSyscallError("write", err)} }
	for _, c := range []struct {
		err    error
		passes bool
	}{
		{dial(syscall.EPIPE), true},
		{dial(syscall.ECONNRESET), true},
		{dial(syscall.ECONNREFUSED), true},
		{context.DeadlineExceeded, true},
		{kafka.BrokerNotAvailable, true},
		{kafka.NotLeaderForPartition, true},
		{fmt.Errorf("produce: %w", kafka.RequestTimedOut), true},
		{kafka.MessageSizeTooLarge, false},
		{kafka.TopicAuthorizationFailed, false},
		{exit.Errorf(exit.Malformed, "gone"), false},
	} {
		if got := passing(c.err); got != c.passes {
			t.Errorf("%v passes: %v", c.err, got)
		}
	}
	l := location(t, "127.0.0.1:1", "t", "")
	err := (&client{Location: l}).failed("append", dial(syscall.EPIPE))
	wantError(t, err, exit.Unavailable, "kafka://127.0.0.1:1/t: append: ", "broken pipe")
}

// patient opens a partition for reading and for appending, for as long as the test lasts: a real broker takes its time.
func patient(t *testing.T, l *Location) (*Log, *Appender) {
	t.Helper()
	log, err := OpenAt(t.Context(), l, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	all, err := Append(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all[0].Close() })
	return log, all[0]
}

// TestBrokerAway: a program that writes and one that reads go on when a broker comes back.
func TestBrokerAway(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Own(t)
	l := location(t, b.Address, b.Topic(t, "t.private", 1, nil), "")
	log, a := patient(t, l)
	groups := [][]*wire.Record{round(1, 20_000), round(2, 20_000), round(3, 20_000), round(4, 20_000)}
	written := make(chan error, 1)
	go func() {
		w := newWriter(t, a, header(wire.Kind_ROUNDS))
		for _, g := range groups {
			for _, r := range g {
				if err := w.Write(r); err != nil {
					written <- err
					return
				}
			}
			if err := w.Flush(); err != nil {
				written <- err
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		written <- w.Close()
	}()
	type result struct {
		records []*wire.Record
		err     error
	}
	results := make(chan result, 1)
	go func() {
		records, err := read(t, log)
		results <- result{records, err}
	}()
	for _, end := range []func(testing.TB){b.Kill, b.Stop} {
		end(t)
		time.Sleep(500 * time.Millisecond)
		b.Start(t)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	r := <-results
	wantRecords(t, r.records, r.err, groups...)
}

// TestLateLanding: a request that timed out still takes effect when the broker wakes, in addition to its retry.
// Duplicates, which may stand after later frames, are read once and in order.
func TestLateLanding(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Own(t)
	l := location(t, b.Address, b.Topic(t, "t.private", 1, nil), "")
	log, a := patient(t, l)
	w := newWriter(t, a, header(wire.Kind_ROUNDS))
	groups := [][]*wire.Record{round(1, 1000), round(2, 1000), round(3, 1000), round(4, 1000)}
	write(t, w, groups[0]...)
	b.Pause(t)
	waking := time.AfterFunc(answer+time.Second, func() { b.Resume(t) })
	defer waking.Stop()
	for _, g := range groups[1:] {
		write(t, w, g...)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := read(t, log)
	wantRecords(t, got, err, groups...)
	if n := count(t, l, 0); n < 6 {
		t.Errorf("%d messages: the test wants one that landed late", n)
	}
}

// TestPatience: when a broker stays away, the program says so and stops.
func TestPatience(t *testing.T) {
	t.Parallel()
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	gone := broker.Fake(t, map[string]int{"t.private": 1})
	l := location(t, gone.Address, "t.private", "?patience=300ms&group=g")
	a, log := appendTo(t, l), openLog(t, l)
	journal, err := OpenJournal(soon(t), l)
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	member, err := Join(l, "answers")
	if err != nil {
		t.Fatal(err)
	}
	defer member.Close()
	gone.Close()
	away := location(t, nobody.Addr().String(), "t.private", "?patience=300ms&group=g")
	for name, c := range map[string]struct {
		location *Location
		try      func() error
	}{
		"append":   {away, func() error { _, err := Append(soon(t), away); return err }},
		"open":     {away, func() error { _, err := Open(soon(t), away); return err }},
		"open at":  {away, func() error { _, err := OpenAt(soon(t), away, 0, 3); return err }},
		"tails":    {away, func() error { _, err := Tails(soon(t), away); return err }},
		"create":   {away, func() error { return Create(soon(t), away, Plan{Partitions: 1}) }},
		"hints":    {away, func() error { _, err := Hints(soon(t), away); return err }},
		"write":    {l, func() error { return a.WriteFrame([]byte("x"), stream.Mark{Closes: true}) }},
		"again":    {l, func() error { return a.WriteFrame([]byte("x"), stream.Mark{}) }},
		"read":     {l, func() error { _, err := log.Frame(); return err }},
		"journal":  {l, func() error { return journal.Append([]byte("x")) }},
		"entries":  {l, func() error { _, err := journal.Read(0); return err }},
		"a member": {l, func() error { return member.Share(soon(t), nil, never) }},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			err := c.try()
			if name == "again" && err == nil {
				err = a.Flush() // it was the first to write
			}
			wantError(t, err, exit.Unavailable, c.location.String(), "connection refused")
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %v to give up", took)
			}
			if strings.Contains(err.Error(), "kafka.(*") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestSilence: a broker that takes connections and does not answer is as good as away.
func TestSilence(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	_, err = Open(soon(t), location(t, silent.Addr().String(), "t", "?patience=100ms"))
	wantError(t, err, exit.Unavailable, "kafka://"+silent.Addr().String()+"/t", "does not answer")
}

// TestTooLarge: a topic that refuses our messages is not tried twice, and the message says what to do.
func TestTooLarge(t *testing.T) {
	fake := broker.Fake(t, nil)
	if err := fake.CreateTopic("t.private", 1, map[string]string{"max.message.bytes": "10000"}); err != nil {
		t.Fatal(err)
	}
	tooLarge(t, location(t, fake.Address, "t.private", ""))
}

func TestTooLargeReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	tooLarge(t, location(t, b.Address, b.Topic(t, "t.private", 1, map[string]string{"max.message.bytes": "10000"}), ""))
}

func tooLarge(t *testing.T, l *Location) {
	a := appendTo(t, l)
	if err := a.WriteFrame(make([]byte, 1000), stream.Mark{Closes: true}); err != nil {
		t.Fatal(err)
	}
	err := a.WriteFrame(make([]byte, 20_000), stream.Mark{Closes: true})
	wantError(t, err, exit.Missing, l.String(), "messages of this size", "max.message.bytes must be at least")
}

// TestLargest: what the wire allows fits into a broker's message of default settings, headers and all.
func TestLargest(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	largest(t, location(t, fake.Address, "t.private", ""))
}

func TestLargestReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	largest(t, location(t, b.Address, b.Topic(t, "t.private", 1, nil), ""))
}

func largest(t *testing.T, l *Location) {
	a := appendTo(t, l)
	a.label.Number, a.label.Since = maxNumber-2000, maxNumber-2000 // whose texts are long
	large, n := make([]byte, wire.MaxFrame), 1
	if err := a.WriteFrame(large, stream.Mark{Round: 1<<32 - 1, Closes: true}); err != nil {
		t.Fatal(err)
	}
	small := make([]byte, wire.MaxFrame/maxMessages)
	for range 3 * maxMessages {
		n++
		if err := a.WriteFrame(small, stream.Mark{Round: 1<<32 - 1}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 * maxMessages { // whose headers are larger than they are
		n++
		if err := a.WriteFrame(nil, stream.Mark{Round: 1<<32 - 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := count(t, l, 0); got != n {
		t.Errorf("%d messages, want %d", got, n)
	}
	if got := messages(t, l, 0, 1)[0].Value; !bytes.Equal(got, large) {
		t.Errorf("the largest message came back as %d bytes", len(got))
	}
}

// TestNoTopic: a topic that is not there is waited for a few seconds, since it may have been made a moment ago.
func TestNoTopic(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, nil)
	l := location(t, fake.Address, "t.private", "")
	began := time.Now()
	_, err := Append(soon(t), l)
	wantError(t, err, exit.Missing, l.String(), "no such topic", "topics.sh")
	if took := time.Since(began); took < appearing || took > 2*appearing {
		t.Errorf("after %v", took)
	}
	opened := make(chan error, 1)
	go func() {
		_, err := Open(soon(t), l)
		opened <- err
	}()
	time.Sleep(100 * time.Millisecond)
	if err := fake.CreateTopic(l.Topic, 2, nil); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Errorf("a topic that came late: %v", err)
	}
	wrong := location(t, fake.Address, "t.private", "?partition=2")
	_, err = Open(soon(t), wrong)
	wantError(t, err, exit.Missing, "no partition 2, it has 2")
	_, err = Append(soon(t), wrong)
	wantError(t, err, exit.Missing, "no partition 2, it has 2")
}
