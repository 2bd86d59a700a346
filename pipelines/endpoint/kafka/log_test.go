package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// offsets returns the offsets that a log still has until its end.
func offsets(t *testing.T, l *Location) (all []int64, err error) {
	t.Helper()
	until := *l
	until.UntilEnd = true
	logs, err := Open(soon(t), &until)
	if err != nil {
		return nil, err
	}
	defer logs[0].Close()
	for {
		m, err := logs[0].message()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, m.offset)
	}
}

// TestFrom opens a topic of messages 0 to 9 in all ways, before and after retention took the first three.
func TestFrom(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	from(t, location(t, fake.Address, "t.private", ""), func() error { return fake.DeleteRecords("t.private", 0, 3) })
}

func TestFromReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	topic := b.Topic(t, "t.private", 1, map[string]string{"message.timestamp.type": "LogAppendTime"})
	from(t, location(t, b.Address, topic, ""), func() error {
		c, err := kgo.NewClient(kgo.SeedBrokers(b.Address))
		if err != nil {
			return err
		}
		defer c.Close()
		partition := kmsg.NewDeleteRecordsRequestTopicPartition()
		partition.Offset = 3
		of := kmsg.NewDeleteRecordsRequestTopic()
		of.Topic, of.Partitions = topic, append(of.Partitions, partition)
		request := kmsg.NewPtrDeleteRecordsRequest()
		request.Topics = append(request.Topics, of)
		_, err = request.RequestWith(context.Background(), c)
		return err
	})
}

func from(t *testing.T, l *Location, retention func() error) {
	var half time.Time
	for i := range 10 {
		if i == 5 {
			time.Sleep(5 * time.Millisecond)
			half = time.Now()
			time.Sleep(5 * time.Millisecond)
		}
		put(t, l, 0, fmt.Appendf(nil, "message %d", i))
	}
	early, late := half.Add(-time.Hour), half.Add(time.Hour)
	format := func(at time.Time) string { return at.Format("2006-01-02T15:04:05.000Z07:00") }
	for _, c := range []struct {
		from       string
		first      int64 // -1: refused
		afterwards int64 // when 0 to 2 are gone
	}{
		{"", 0, -1}, {topic.Start, 0, -1}, {topic.Oldest, 0, 3}, {topic.End, 10, 10}, {topic.Newest, 0, 3},
		{"0", 0, -1}, {"2", 2, -1}, {"3", 3, 3}, {"9", 9, 9}, {"10", 10, 10}, {"11", -1, -1},
		{format(early), 0, 3}, {format(half), 5, 5}, {format(half.In(time.FixedZone("", 3600))), 5, 5},
		{format(late), 10, 10},
	} {
		at := *l
		at.From = c.from
		wantOffsets(t, &at, c.first)
		defer func() { wantOffsets(t, &at, c.afterwards) }()
	}
	slow := openLog(t, l)
	if _, err := slow.message(); err != nil { // its own fetches are past what retention takes, so they go on
		t.Fatal(err)
	}
	if err := retention(); err != nil {
		t.Fatal(err)
	}
	_, err := slow.fetchOnce(2) // as one that is not so fast as retention
	wantError(t, err, exit.Malformed, l.Topic+"[0]", "from offset 2 on are gone", "; from=oldest reads")
	grouped := *l
	grouped.Group = "g"
	_, err = OpenAt(soon(t), &grouped, 0, 2) // as a group noted it
	wantError(t, err, exit.Malformed, l.Topic+"[0]", "from offset 2 on are gone",
		"; from=oldest with a new group reads")
}

// wantOffsets checks from which of 10 offsets on a log is read.
func wantOffsets(t *testing.T, l *Location, first int64) {
	t.Helper()
	got, err := offsets(t, l)
	if first < 0 {
		wantError(t, err, exit.Malformed, l.Topic+"[0]", "are gone, or not there yet", "from=oldest")
		return
	}
	var want []int64
	for i := first; i < 10; i++ {
		want = append(want, i)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("from=%s: offsets %v, %v, want %v", l.From, got, err, want)
	}
}

// TestRetentionAmid: retention took the beginning of one round. A reader from the oldest message begins with the next
// round. A reader that has come to a message that is gone stops.
func TestRetentionAmid(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	l := location(t, fake.Address, "t.private", "")
	w := newWriter(t, appendTo(t, l), header(wire.Kind_ROUNDS))
	write(t, w, round(1, 20_000)...)
	write(t, w, round(2, 5)...)
	for at := 0; at < count(t, l, 0)-1; at++ {
		if err := fake.DeleteRecords(l.Topic, 0, int64(at)); err != nil {
			t.Fatal(err)
		}
		if at == 0 {
			continue
		}
		_, err := Open(soon(t), l)
		wantError(t, err, exit.Malformed, "messages from offset 0 on are gone", "from=oldest")
		oldest := *l
		oldest.From, oldest.UntilEnd = topic.Oldest, true
		got, err := read(t, openLog(t, &oldest))
		if !errors.Is(err, stream.ErrTruncated) {
			t.Fatal(err)
		}
		wantRecords(t, got, io.EOF, round(2, 5))
	}
}
