package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/testkit"
)

// acknowledged lets three programs write beside each other. What one of them wrote is there, at the end that it sees
// next, and all see one order.
func acknowledged(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil)
	ended := make(chan error)
	for writer := range 3 {
		go func() {
			c := s.client()
			for i := range 10 {
				value := fmt.Appendf(nil, "%d:%d", writer, i)
				answer, err := c.Produce(context.Background(), &kafka.ProduceRequest{Topic: topic,
					Partition: 0, RequiredAcks: kafka.RequireAll,
					Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes(value)})})
				if err == nil {
					err = answer.Error
				}
				var values [][]byte
				if err == nil {
					values, err = fetch(c, topic, 0, answer.BaseOffset)
				}
				if err == nil && !bytes.Equal(values[0], value) {
					err = fmt.Errorf("%s stands where %s was written", values[0], value)
				}
				if err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	return errors.Join(<-ended, <-ended, <-ended, differs("end", s.End(s.t, topic, 0), 30))
}

// records are those of a partition, as another client than the stages' reads them: up to the end, and only what was
// committed.
func (s subject) records(topic string) (all []*kgo.Record, err error) {
	end := s.End(s.t, topic, 0)
	start := map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}
	client, err := kgo.NewClient(s.options(kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), kgo.ConsumePartitions(start))...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for last := int64(-1); last < end-1; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, err
		}
		for _, r := range fetches.Records() {
			if last = r.Offset; !r.Attrs.IsControl() {
				all = append(all, r)
			}
		}
	}
	return all, nil
}

// write writes records as another program does.
func (s subject) write(records []*kgo.Record, options ...kgo.Opt) error {
	client, err := kgo.NewClient(s.options(options...)...)
	if err != nil {
		return err
	}
	defer client.Close()
	return client.ProduceSync(s.t.Context(), records...).FirstErr()
}

func wholeMessages(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil)
	headers := []kgo.RecordHeader{{Key: "writer", Value: []byte("a0")}, {Key: "none"}, {Key: "", Value: []byte{}}}
	written := []*kgo.Record{
		{Value: []byte("plain")}, {Key: []byte("key")}, {Value: []byte{}}, {Value: []byte("v"), Headers: headers},
	}
	for _, r := range written {
		r.Topic = topic
	}
	if err := s.write(written); err != nil {
		return err
	}
	read, err := s.records(topic)
	all := []error{err, differs("messages", len(read), len(written))}
	for i := range read {
		parts := func(r *kgo.Record) string {
			return fmt.Sprintf("key %q, value %q (none: %v), headers %q", r.Key, r.Value, r.Value == nil, r.Headers)
		}
		all = append(all, differs("offset", read[i].Offset, i), differs("message", parts(read[i]), parts(written[i])))
	}
	return errors.Join(all...)
}

func compressed(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil)
	var all []error
	var want []byte
	for i, codec := range []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(),
		kgo.Lz4Compression(), kgo.ZstdCompression()} {
		value := bytes.Repeat([]byte{'a' + byte(i)}, 1000)
		want = append(want, value...)
		all = append(all, s.write([]*kgo.Record{{Topic: topic, Value: value}}, kgo.ProducerBatchCompression(codec)))
	}
	values, err := fetch(s.c, topic, 0, 0)
	for err == nil && len(values) < 5 { // as few as the broker likes come at a time
		var more [][]byte
		more, err = fetch(s.c, topic, 0, int64(len(values)))
		values = append(values, more...)
	}
	return errors.Join(append(all, err, differs("values", string(bytes.Join(values, nil)), string(want)))...)
}

// slow is the clock of a writer that is an hour behind.
func slow() time.Time { return time.Now().Add(-time.Hour).Truncate(time.Millisecond) }

func writersTime(s subject) error {
	topic, at := s.Topic(s.t, "t", 1, nil), slow()
	err := s.write([]*kgo.Record{{Topic: topic, Timestamp: at}})
	if err != nil {
		return err
	}
	read, err := s.records(topic)
	return errors.Join(err, differs("time", read[0].Timestamp.UnixMilli(), at.UnixMilli()),
		differs("type of the time", read[0].Attrs.TimestampType(), 0))
}

func brokersTime(s subject) error {
	topic, before := s.Topic(s.t, "t", 1, map[string]string{"message.timestamp.type": "LogAppendTime"}), time.Now()
	if err := s.write([]*kgo.Record{{Topic: topic, Timestamp: slow()}}); err != nil {
		return err
	}
	read, err := s.records(topic)
	if err != nil {
		return err
	}
	if at := read[0].Timestamp; at.Before(before.Truncate(time.Millisecond)) || at.After(time.Now()) {
		return fmt.Errorf("a message of now has the time %v", at)
	}
	return differs("type of the time", read[0].Attrs.TimestampType(), 1)
}

func byTime(s subject) error {
	topic, begun := s.Topic(s.t, "t", 1, nil), slow()
	for i := range 3 {
		record := &kgo.Record{Topic: topic, Timestamp: begun.Add(time.Duration(i) * time.Minute)}
		if err := s.write([]*kgo.Record{record}); err != nil {
			return err
		}
	}
	var all []error
	for after, want := range map[time.Duration]int64{
		-time.Hour: 0, 0: 0, time.Millisecond: 1, time.Minute: 1, 2 * time.Minute: 2, 3 * time.Minute: -1,
	} {
		got, err := s.offset(topic, kafka.TimeOffsetOf(0, begun.Add(after)))
		all = append(all, err, differs(fmt.Sprint("from ", after), got, want))
	}
	return errors.Join(all...)
}

func byBrokersTime(s subject) error {
	topic, before := s.Topic(s.t, "t", 1, map[string]string{"message.timestamp.type": "LogAppendTime"}), time.Now()
	if err := s.write([]*kgo.Record{{Topic: topic, Timestamp: slow()}}); err != nil {
		return err
	}
	got, err := s.offset(topic, kafka.TimeOffsetOf(0, before.Add(-time.Minute)))
	none, e := s.offset(topic, kafka.TimeOffsetOf(0, before.Add(time.Hour)))
	return errors.Join(err, e, differs("from before", got, 0), differs("from after", none, -1))
}

// longPoll: a fetch at the end is answered when a message comes, and when its time has passed without one.
func longPoll(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil)
	answer, err := s.c.Fetch(s.t.Context(), &kafka.FetchRequest{Topic: topic, Partition: 0, MinBytes: 1, MaxBytes: 1000,
		MaxWait: 100 * time.Millisecond})
	if err == nil {
		err = errors.Join(answer.Error, differs("end", answer.HighWatermark, 0))
	}
	got := make(chan error)
	go func() {
		values, err := fetch(s.c, topic, 0, 0)
		got <- errors.Join(err, differs("message", fmt.Sprintf("%s", values), "[x]"))
	}()
	time.Sleep(100 * time.Millisecond) // either way the answer is the same
	return errors.Join(err, produce(s.client(), topic, 0, []byte("x")), <-got)
}

// A producer writes transactions.
type producer struct {
	*kgo.Client
	topic string
	errs  []error
}

func (s subject) producer(topic, name string) *producer {
	c, err := kgo.NewClient(s.options(kgo.TransactionalID(topic + name))...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return &producer{c, topic, nil}
}

func (p *producer) begin() { p.errs = append(p.errs, p.BeginTransaction()) }

func (p *producer) write(value string) {
	record := &kgo.Record{Topic: p.topic, Value: []byte(value)}
	p.errs = append(p.errs, p.ProduceSync(context.Background(), record).FirstErr())
}

func (p *producer) end(commit kgo.TransactionEndTry) {
	p.errs = append(p.errs, p.EndTransaction(context.Background(), commit))
}

// transactions: each ends with a mark, which takes an offset. Who reads what is committed gets nothing that was
// aborted.
func transactions(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil)
	a, b := s.producer(topic, "a"), s.producer(topic, "b")
	a.begin()
	a.write("aborted 0")
	b.begin()
	b.write("committed 1")
	a.write("aborted 2")
	plain := produce(s.c, topic, 0, []byte("plain 3"))
	a.end(kgo.TryAbort)
	marked := []error{s.reaches(topic, 5)}
	b.write("committed 5")
	a.begin()
	a.write("committed 6")
	b.end(kgo.TryCommit)
	a.end(kgo.TryCommit)
	marked = append(marked, s.reaches(topic, 9))
	read, err := s.records(topic)
	var offsets []int64
	for _, r := range read {
		offsets = append(offsets, r.Offset)
	}
	return errors.Join(slices.Concat(a.errs, b.errs, marked, []error{plain, err,
		differs("offsets", offsets, "[1 3 5 6]")})...)
}

// reaches waits until a partition has so many offsets: Kafka writes a transaction's mark after it has said that it
// ended.
func (s subject) reaches(topic string, offset int64) error {
	ctx, end := testkit.Progress(within, func() int64 { return s.End(s.t, topic, 0) })
	defer end()
	return testkit.Wait(ctx, func() bool { return s.End(s.t, topic, 0) == offset })
}

func openTransaction(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil)
	p := s.producer(topic, "p")
	err := produce(s.c, topic, 0, []byte("before"))
	p.begin()
	p.write("open")
	after := produce(s.c, topic, 0, []byte("after"))
	answer, fetched := s.c.Fetch(s.t.Context(), &kafka.FetchRequest{Topic: topic, Partition: 0, Offset: 1, MinBytes: 1,
		MaxBytes: 1000, MaxWait: 100 * time.Millisecond, IsolationLevel: kafka.ReadCommitted})
	if fetched != nil {
		return fetched
	}
	_, none := answer.Records.ReadRecord()
	values, all := fetch(s.c, topic, 0, 1)
	p.end(kgo.TryCommit)
	marked := s.reaches(topic, 4)
	read, committed := s.records(topic)
	return errors.Join(append(p.errs, marked, err, after, all, committed, differs("stable", answer.LastStableOffset, 1),
		differs("end", answer.HighWatermark, 3), differs("a committed message", none, "EOF"),
		differs("without isolation", fmt.Sprintf("%s", values), "[open after]"),
		differs("afterwards", len(read), 3))...)
}

// fenced: the older producer can end nothing, and what it wrote is aborted.
func fenced(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil)
	older, newer := s.producer(topic, "p"), s.producer(topic, "p")
	older.begin()
	older.write("older")
	newer.begin()
	newer.write("newer")
	newer.end(kgo.TryCommit)
	if older.EndTransaction(context.Background(), kgo.TryCommit) == nil {
		return errors.New("the older producer commits")
	}
	if err := s.reaches(topic, 4); err != nil {
		return err
	}
	read, err := s.records(topic)
	if err != nil || len(read) != 1 {
		return fmt.Errorf("%d messages, %w", len(read), err)
	}
	return errors.Join(append(append(older.errs, newer.errs...), differs("message", string(read[0].Value), "newer"))...)
}
