package kafka

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// A producer writes messages in transactions.
type producer struct {
	t      *testing.T
	client *kgo.Client
	topic  string
}

func newProducer(t *testing.T, l *Location, id string) *producer {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(l.Brokers...), kgo.TransactionalID(l.Topic+id))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &producer{t, c, l.Topic}
}

func (p *producer) begin() {
	p.t.Helper()
	if err := p.client.BeginTransaction(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *producer) write(values ...string) {
	p.t.Helper()
	for _, value := range values {
		if err := p.client.ProduceSync(p.t.Context(),
			&kgo.Record{Topic: p.topic, Value: []byte(value)}).FirstErr(); err != nil {
			p.t.Fatal(err)
		}
	}
}

// end ends a transaction, and waits for its mark: a real broker answers before it writes that.
func (p *producer) end(commit kgo.TransactionEndTry) {
	p.t.Helper()
	before := p.next()
	if err := p.client.EndTransaction(p.t.Context(), commit); err != nil {
		p.t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); p.next() == before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatal("the transaction has no mark")
		}
	}
}

// next is the offset that the next message of partition 0 gets.
func (p *producer) next() int64 {
	p.t.Helper()
	partition := kmsg.NewListOffsetsRequestTopicPartition()
	partition.Timestamp = -1 // latest
	of := kmsg.NewListOffsetsRequestTopic()
	of.Topic, of.Partitions = p.topic, append(of.Partitions, partition)
	ask := kmsg.NewPtrListOffsetsRequest()
	ask.Topics = append(ask.Topics, of)
	answer, err := ask.RequestWith(p.t.Context(), p.client)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer.Topics[0].Partitions[0].Offset
}

// TestTransactions: what a transaction wrote counts when it is committed, and never when it is aborted, whatever others
// write between its messages. The offsets of what does not count are passed over.
func TestTransactions(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1, "open.private": 1, "claims": 1})
	severalTransactions(t, location(t, fake.Address, "t.private", ""))
	openTransaction(t, location(t, fake.Address, "open.private", ""))
	claimsInTransactions(t, location(t, fake.Address, "claims", ""))
}

func TestTransactionsReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	severalTransactions(t, location(t, b.Address, b.Topic(t, "t.private", 1, nil), ""))
	openTransaction(t, location(t, b.Address, b.Topic(t, "open.private", 1, nil), ""))
	claimsInTransactions(t, location(t, b.Address, b.Topic(t, "claims", 1, nil), ""))
}

func severalTransactions(t *testing.T, l *Location) {
	a, b := newProducer(t, l, "a"), newProducer(t, l, "b")
	a.begin()
	a.write("aborted 0")
	b.begin()
	b.write("committed 1")
	a.write("aborted 2")
	put(t, l, 0, []byte("plain 3"))
	a.end(kgo.TryAbort) // its mark is at 4
	b.write("committed 5")
	a.begin()
	a.write("committed 6") // of the producer of what was aborted
	b.end(kgo.TryCommit)   // 7
	a.end(kgo.TryCommit)   // 8
	b.begin()
	b.write("aborted 9")
	b.end(kgo.TryAbort) // 10
	put(t, l, 0, []byte("plain 11"))

	for from, want := range map[string]string{
		"": "[1 3 5 6 11]", "?from=2": "[3 5 6 11]", "?from=6": "[6 11]", "?from=9": "[11]", "?from=10": "[11]",
	} {
		place := location(t, l.Brokers[0], l.Topic, from)
		if got, err := offsets(t, place); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: offsets %v, want %v, error %v", from, got, want, err)
		}
	}
	tails, err := Tails(soon(t), l)
	if err != nil || string(tails[0].Frame) != "plain 11" {
		t.Errorf("last message %q, %v", tails[0].Frame, err)
	}
}

// openTransaction: readers wait for messages of an open transaction, and for all messages after its beginning. A
// program that must know the last message gives up after its patience.
func openTransaction(t *testing.T, l *Location) {
	p := newProducer(t, l, "p")
	p.begin()
	p.write("0")
	put(t, l, 0, []byte("1"))
	read := make(chan []int64, 1)
	go func() {
		got, _ := offsets(t, l)
		read <- got
	}()
	impatient := *l
	impatient.Patience = 100 * time.Millisecond
	_, err := Tails(soon(t), &impatient)
	wantError(t, err, exit.Unavailable, "offset 1", "transaction that is still open")
	impatient.From = topic.Newest
	_, err = Open(soon(t), &impatient)
	wantError(t, err, exit.Unavailable, "transaction that is still open")
	select {
	case got := <-read:
		t.Fatalf("offsets %v were read before the transaction ended", got)
	default:
	}
	p.end(kgo.TryCommit)
	if got := <-read; fmt.Sprint(got) != "[0 1]" {
		t.Errorf("offsets %v, want 0 and 1", got)
	}
}

// claimsInTransactions: an entry in a journal counts at once, even behind another program's open transaction. All
// readers see the same entries, whether this transaction commits or aborts.
func claimsInTransactions(t *testing.T, l *Location) {
	p := newProducer(t, l, "p")
	p.begin()
	p.write("foreign")
	j := openJournal(t, l)
	if err := j.Append([]byte("own")); err != nil {
		t.Fatal(err)
	}
	if got, err := j.Read(0); err != nil || fmt.Sprintf("%s", got) != "[foreign own]" {
		t.Errorf("entries %s, %v", got, err)
	}
	p.end(kgo.TryAbort)
	_, err := openJournal(t, l).Read(0) // the mark is no entry
	wantError(t, err, exit.Malformed, "are gone")
}

// TestAbortedBatches takes an answer apart by hand: marks and aborted transactions in any order of producers.
func TestAbortedBatches(t *testing.T) {
	batch := func(producer byte, attributes byte) []byte {
		b := make([]byte, batchHeader)
		b[batchProducer+7], b[batchAttributes+1] = producer, attributes
		return b
	}
	const plain, part, mark = 0, attributeTransactional, attributeTransactional | attributeControl
	tr := &transactions{
		aborted:   []aborted{{producer: 1, first: 10}, {producer: 2, first: 11}, {producer: 1, first: 20}},
		producers: make(map[int64]bool),
	}
	for _, step := range []struct {
		last                 int64
		producer, attributes byte
		counts               bool
	}{
		{9, 1, part, true}, {10, 1, part, false}, {11, 2, part, false}, {12, 3, part, true}, {13, 1, plain, true},
		{14, 1, mark, false}, {15, 1, part, true}, {16, 2, part, false}, {17, 1, mark, false}, {20, 1, part, false},
		{21, 2, mark, false}, {22, 2, part, true}, {23, 1, mark, false}, {24, 1, part, true},
	} {
		if got := tr.counts(batch(step.producer, step.attributes), step.last); got != step.counts {
			t.Errorf("offset %d of producer %d: counts %v, want %v", step.last, step.producer, got, step.counts)
		}
	}
}
