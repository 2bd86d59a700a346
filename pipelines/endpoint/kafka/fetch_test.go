package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// TestArrival: where the broker stamps messages, which the fake one never does, its clock counts and not the writer's.
func TestArrival(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"writer.private": 1})
	arrival(t, location(t, fake.Address, "writer.private", ""), time.Hour)
}

func TestArrivalReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	stamped := map[string]string{"message.timestamp.type": "LogAppendTime"}
	arrival(t, location(t, b.Address, b.Topic(t, "t.private", 1, stamped), ""), 0)
	arrival(t, location(t, b.Address, b.Topic(t, "t.private", 1, nil), ""), time.Hour)
}

// arrival checks how old a message looks whose writer's clock is an hour slow, in each way of compressing it.
func arrival(t *testing.T, l *Location, age time.Duration) {
	log := openLog(t, l)
	for name, codec := range map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(),
		"snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()} {
		writer, err := kgo.NewClient(kgo.SeedBrokers(l.Brokers...), kgo.ProducerBatchCompression(codec))
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Close()
		slow := time.Now().Add(-time.Hour)
		var records []*kgo.Record
		for i := range 3 {
			value := bytes.Repeat(fmt.Append(nil, name, i), 100)
			records = append(records, &kgo.Record{Topic: l.Topic, Value: value, Timestamp: slow})
		}
		if err := writer.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			m, err := log.message()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(m.value, r.Value) || m.offset != r.Offset {
				t.Errorf("%s: the message at %d is another one", name, m.offset)
			}
			if got := time.Since(m.time); got < age-time.Second || got > age+within {
				t.Errorf("%s: the message arrived %v ago, want %v", name, got, age)
			}
		}
	}
}

// TestGaps: a topic has offsets without a message if the topic was compacted or if a transaction ended there. A log
// goes over such offsets and comes to its end. No entry of the journal may be missing.
func TestGaps(t *testing.T) {
	fake := broker.Fake(t, nil)
	for topic, policy := range map[string]string{"compacted.private": "compact", "t.private": "delete"} {
		if err := fake.CreateTopic(topic, 1,
			map[string]string{"cleanup.policy": policy, "segment.bytes": "500"}); err != nil {
			t.Fatal(err)
		}
	}
	gaps(t, location(t, fake.Address, "t.private", "?until=end"))

	l := location(t, fake.Address, "compacted.private", "?from=oldest&until=end")
	writer, err := kgo.NewClient(kgo.SeedBrokers(l.Brokers...))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	for i := range 40 {
		r := &kgo.Record{Topic: l.Topic, Key: fmt.Append(nil, i%4), Value: make([]byte, 100)}
		if err := writer.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	fake.Compact()
	// who does not see the policy reads on
	hidden := kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeConfigs}, Err: kerr.TopicAuthorizationFailed}
	fake.Fault(hidden)
	got, err := offsets(t, l)
	if err != nil || len(got) == 0 || len(got) > 20 || got[len(got)-1] != 39 {
		t.Errorf("offsets %v, %v", got, err)
	}
	fake.Fault(hidden)
	_, err = openJournal(t, l).Read(0)
	wantError(t, err, exit.Malformed, l.String(), "are gone")
}

func TestGapsReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	gaps(t, location(t, b.Address, b.Topic(t, "t.private", 1, nil), "?until=end"))
}

// gaps reads the messages of two transactions. After each transaction stands an offset without a message.
func gaps(t *testing.T, l *Location) {
	writer, err := kgo.NewClient(kgo.SeedBrokers(l.Brokers...), kgo.TransactionalID(l.Topic))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	for range 2 {
		if err := writer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := writer.ProduceSync(t.Context(),
				&kgo.Record{Topic: l.Topic, Value: []byte("x")}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		if err := writer.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
	}
	got, err := offsets(t, l)
	if err != nil || fmt.Sprint(got) != "[0 1 2 4 5 6]" {
		t.Errorf("offsets %v, %v", got, err)
	}
	if n := count(t, l, 0); n != 8 {
		t.Errorf("the partition has come to offset %d, want 8", n)
	}
}

// TestOldBroker: a broker that does not know our request is not asked for two minutes.
func TestOldBroker(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1}, kfake.MaxVersions(kversion.V2_2_0()))
	_, err := openLog(t, location(t, fake.Address, "t.private", "")).Frame()
	wantError(t, err, exit.Missing, "older than Kafka 2.3")
}

// answerOf is a broker's answer of one partition with a batch.
func answerOf(failed int16, batch []byte) []byte {
	b := make([]byte, 4+4)                           // correlation, throttling
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)      // no error, session, one topic
	b = append(b, 0, 1, 't', 0, 0, 0, 1, 0, 0, 0, 0) // its name, one partition, its number
	b = binary.BigEndian.AppendUint16(b, uint16(failed))
	b = binary.BigEndian.AppendUint64(b, 9)           // the partition's end
	b = append(b, make([]byte, 8+8)...)               // other offsets
	b = append(b, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0) // no transactions, a replica
	b = binary.BigEndian.AppendUint32(b, uint32(len(batch)))
	return append(b, batch...)
}

// twoMessages is a batch of messages "a" and "b".
func twoMessages(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	set := protocol.RecordSet{Version: 2, Records: kafka.NewRecordReader(
		kafka.Record{Value: kafka.NewBytes([]byte("a"))}, kafka.Record{Value: kafka.NewBytes([]byte("b"))})}
	if _, err := set.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()[4:]
}

// TestAnswer takes answers apart that are whole, cut short, or damaged.
func TestAnswer(t *testing.T) {
	one := twoMessages(t)
	c, err := fetchResponse(answerOf(0, one)).chunk(0)
	if err != nil || len(c.messages) != 2 || c.next != 2 || c.head != 9 {
		t.Fatalf("%+v, %v", c, err)
	}
	c, err = fetchResponse(answerOf(0, one)).chunk(1)
	if err != nil || len(c.messages) != 1 || string(c.messages[0].value) != "b" {
		t.Errorf("from the middle of a batch: %+v, %v", c, err)
	}
	if _, err = fetchResponse(answerOf(1, nil)).chunk(0); !errors.Is(err, kafka.OffsetOutOfRange) {
		t.Errorf("an error: %v", err)
	}
	if c, err = fetchResponse(answerOf(0, nil)).chunk(5); err != nil || len(c.messages) != 0 || c.next != 5 {
		t.Errorf("no messages: %+v, %v", c, err)
	}
	// The broker cuts the last batch where the answer is full.
	for cut := range one {
		c, err := fetchResponse(answerOf(0, append(bytes.Clone(one), one[:cut]...))).chunk(0)
		if err != nil || len(c.messages) != 2 {
			t.Fatalf("with %d bytes of another batch: %+v, %v", cut, c, err)
		}
	}
	// What is cut or changed elsewhere is an error, and no other messages.
	whole := answerOf(0, one)
	for cut := range len(whole) - len(one) {
		if c, err := fetchResponse(whole[:cut]).chunk(0); err == nil {
			t.Fatalf("the first %d bytes: %+v", cut, c)
		}
	}
	for at := batchMagic + 1; at < len(one); at++ {
		damaged := bytes.Clone(one)
		damaged[at] ^= 1
		if c, err := fetchResponse(answerOf(0, damaged)).chunk(0); err == nil {
			t.Fatalf("byte %d of a batch is damaged: %+v", at, c)
		}
	}
}

// TestExchange: a broker that hangs up within its answer has given none.
func TestExchange(t *testing.T) {
	whole := answerOf(0, twoMessages(t))
	sized := append(binary.BigEndian.AppendUint32(nil, uint32(len(whole))), whole...)
	for cut := range len(sized) + 1 {
		r := newFetch("t", 0, 0, kafka.ReadCommitted, nil)
		r.Required(map[protocol.ApiKey]int16{protocol.Fetch: fetchVersion})
		got, err := r.RawExchange(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(sized[:cut]), io.Discard})
		if cut == len(sized) {
			if err != nil || !bytes.Equal(got.(fetchResponse), whole) {
				t.Errorf("a whole answer: %v", err)
			}
		} else if err == nil {
			t.Fatalf("%d bytes of an answer are taken", cut)
		}
	}
}

// FuzzAnswer: whatever a broker answers, a reader gets messages in ascending order from the offset on that it asked
// for, or an error.
func FuzzAnswer(f *testing.F) {
	whole := answerOf(0, twoMessages(f))
	f.Add(whole, int64(0))
	f.Add(whole, int64(1))
	f.Add(whole[:len(whole)-3], int64(0))
	f.Add(answerOf(1, nil), int64(7))
	f.Add(answerOf(0, batchOf(f, []byte("a"), kafka.Zstd)), int64(0))
	old := bytes.Clone(whole)
	old[len(whole)-len(twoMessages(f))+batchMagic] = 1
	f.Add(old, int64(0))
	f.Fuzz(func(t *testing.T, b []byte, from int64) {
		c, err := fetchResponse(b).chunk(from)
		if err != nil {
			return
		}
		last := from - 1
		for _, m := range c.messages {
			if m.offset <= last {
				t.Fatalf("offset %d after %d", m.offset, last)
			}
			last = m.offset
		}
		if c.next <= last {
			t.Fatalf("goes on at %d after %d", c.next, last)
		}
	})
}
