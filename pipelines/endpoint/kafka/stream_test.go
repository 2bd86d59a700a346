package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// TestStreams writes a stream to each partition and reads it back, with the frames in their order and labelled.
func TestStreams(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"one.private": 1, "three.private": 3})
	for topic, partitions := range map[string]int{"one.private": 1, "three.private": 3} {
		streamsOf(t, location(t, fake.Address, topic, ""), partitions)
	}
}

// TestStreamsReal is the same on Apache Kafka.
func TestStreamsReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	streamsOf(t, location(t, b.Address, b.Topic(t, "t.private", 3, nil), ""), 3)
}

func streamsOf(t *testing.T, l *Location, partitions int) {
	groups := [][]*wire.Record{round(1, 20_000), round(2, 0), round(4, 10)} // the first one fills several frames
	appenders, err := Append(soon(t), l)
	if err != nil || len(appenders) != partitions {
		t.Fatalf("%d appenders, %v", len(appenders), err)
	}
	for i, a := range appenders {
		writeStream(t, a, header(wire.Kind_ROUNDS), groups[i:]...)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	logs, err := Open(soon(t), l)
	if err != nil || len(logs) != partitions {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for i, log := range logs {
		if want := fmt.Sprintf("%s[%d]", l.Topic, i); log.Name() != want || log.Partition() != i {
			t.Errorf("partition %d is %s", log.Partition(), log.Name())
		}
		got, err := read(t, log)
		wantRecords(t, got, err, groups[i:]...)
		log.Close()
		n := count(t, l, i)
		if i == 0 && n < 5 {
			t.Errorf("%d messages: the test wants several frames of a round", n)
		}
		wantLabels(t, messages(t, l, int32(i), n))
	}
}

// wantLabels checks that messages are those of one writer, numbered, and with marks that their frames deserve.
func wantLabels(t *testing.T, messages []*kgo.Record) {
	t.Helper()
	since := 0
	for i, m := range messages {
		got := make(map[string]string)
		for _, h := range m.Headers {
			got[h.Key] = string(h.Value)
		}
		want := map[string]string{headerWriter: got[headerWriter], headerFrame: strconv.Itoa(i),
			headerSince: strconv.Itoa(since)}
		last := lastRecord(t, m.Value)
		switch {
		case last.GetEnd() != nil:
			want[headerMark], want[headerRound] = "end", got[headerRound]
			if i != len(messages)-1 {
				t.Errorf("message %d of %d is an end", i, len(messages))
			}
		case last.GetRoundClose() != nil:
			want[headerMark] = "close"
			fallthrough
		default:
			want[headerRound] = fmt.Sprint(last.Round)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || len(got[headerWriter]) != 32 {
			t.Errorf("message %d has the headers %v, want %v", i, got, want)
		}
		if since++; want[headerMark] == "close" {
			since = 0
		}
	}
}

// lastRecord returns the last record of a frame.
func lastRecord(t *testing.T, frame []byte) *wire.Record {
	t.Helper()
	z, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	content, err := z.DecodeAll(frame, nil)
	if err != nil {
		t.Fatal(err)
	}
	for {
		size, prefix := binary.Uvarint(content)
		record, rest := content[prefix:prefix+int(size)], content[prefix+int(size):]
		if content = rest; len(rest) > 0 {
			continue
		}
		r, err := wire.Decode(record)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// TestClosedRoundIsThere: when a write that ends a round returns, another client finds the round whole.
func TestClosedRoundIsThere(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	closedRoundIsThere(t, location(t, fake.Address, "t.private", ""))
}

func TestClosedRoundIsThereReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	closedRoundIsThere(t, location(t, b.Address, b.Topic(t, "t.private", 1, nil), ""))
}

func closedRoundIsThere(t *testing.T, l *Location) {
	w := newWriter(t, appendTo(t, l), header(wire.Kind_ROUNDS))
	for number := uint32(1); number <= 5; number++ {
		write(t, w, round(number, 5000)...)
		n := count(t, l, 0)
		all := messages(t, l, 0, n)
		if mark := all[n-1].Headers[4]; string(mark.Value) != "close" {
			t.Errorf("after round %d the last message has the mark %s", number, mark.Value)
		}
		tails, err := Tails(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		if want := (stream.Mark{Round: number, Closes: true}); tails[0].Mark != want {
			t.Errorf("after round %d the tail is %+v", number, tails[0].Mark)
		}
	}
}

// TestUntilEnd: a log that is read until its end has one there, but a stream that goes on is truncated.
func TestUntilEnd(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"whole.private": 1, "cut.private": 1, "documents.private": 1,
		"empty.private": 1})
	open := func(topic, query string) *Log {
		return openLog(t, location(t, fake.Address, topic, "?until=end"+query))
	}
	rounds := [][]*wire.Record{round(1, 3), round(2, 3)}
	writeStream(t, appendTo(t, location(t, fake.Address, "whole.private", "")), header(wire.Kind_ROUNDS), rounds...)
	got, err := read(t, open("whole.private", ""))
	wantRecords(t, got, err, rounds...)

	w := newWriter(t, appendTo(t, location(t, fake.Address, "cut.private", "")), header(wire.Kind_ROUNDS))
	write(t, w, rounds[0]...)
	got, err = read(t, open("cut.private", ""))
	if !errors.Is(err, stream.ErrTruncated) || len(got) != len(rounds[0]) {
		t.Errorf("%d records of a stream without an end, %v", len(got), err)
	}
	wantError(t, err, exit.Malformed, "cut.private[0]", "truncated")

	// Documents may come for ever: those that came before the opening are read, and those that come later are not.
	w = newWriter(t, appendTo(t, location(t, fake.Address, "documents.private", "")), header(wire.Kind_DOCUMENTS))
	write(t, w, documents(3)...)
	// it gets both at once
	fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition, Count: 3})
	log := open("documents.private", "")
	write(t, w, documents(2)...)
	got, err = read(t, log)
	wantRecords(t, got, err, documents(3))
	got, err = read(t, open("documents.private", "&from=1"))
	wantRecords(t, got, err, documents(2))

	_, err = read(t, open("empty.private", ""))
	if !errors.Is(err, stream.ErrEmpty) {
		t.Errorf("an empty topic: %v", err)
	}
	_, err = read(t, open("documents.private", "&from=end"))
	if !errors.Is(err, stream.ErrEmpty) {
		t.Errorf("from the end to the end: %v", err)
	}
}

// TestGoesOn: a reader of a topic waits for what is not there yet.
func TestGoesOn(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	l := location(t, fake.Address, "t.private", "")
	log := openLog(t, l)
	type result struct {
		records []*wire.Record
		err     error
	}
	results := make(chan result, 1)
	go func() {
		records, err := read(t, log)
		results <- result{records, err}
	}()
	w := newWriter(t, appendTo(t, l), header(wire.Kind_ROUNDS))
	for number := uint32(1); number <= 3; number++ {
		write(t, w, round(number, 10)...)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := <-results
	wantRecords(t, r.records, r.err, round(1, 10), round(2, 10), round(3, 10))
}

// TestForeignMessages: other programs put frames into messages as they like.
func TestForeignMessages(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 4})
	l := location(t, fake.Address, "t.private", "?until=end")
	rounds := [][]*wire.Record{round(1, 5), round(2, 5), round(3, 5)}
	var file bytes.Buffer
	writeStream(t, &file, header(wire.Kind_ROUNDS), rounds...)
	frames, err := stream.SplitFrames(file.Bytes())
	if err != nil || len(frames) != 4 {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	put(t, l, 0, file.Bytes())
	for _, f := range frames {
		put(t, l, 1, f)
	}
	put(t, l, 2, bytes.Join(frames[:3], nil), headersOf("frame=none", "source=elsewhere")...)
	put(t, l, 2, frames[3])
	put(t, l, 3, frames[0])
	put(t, l, 3, frames[2]) // and not what stands between
	logs, err := Open(soon(t), l)
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs[:3] {
		got, err := read(t, log)
		wantRecords(t, got, err, rounds...)
		log.Close()
	}
	// Who goes on after a round of a message goes on with the rest of it.
	again, err := OpenAt(soon(t), l, 0, logs[0].Next())
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(t, again, 1)
	wantRecords(t, got, err, rounds[1:]...)
	again.Close()

	got, err = read(t, logs[3])
	if len(got) != len(rounds[0])+len(rounds[2]) || !errors.Is(err, stream.ErrTruncated) {
		t.Errorf("%d records, %v", len(got), err)
	}

	// After the first message the end record's counts are those of a stream of which the beginning is not known.
	log, err := OpenAt(soon(t), l, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	got, err = read(t, log)
	wantRecords(t, got, err, rounds[1:]...)
}

// TestPoison: what is no frame is refused, with where it is and not what.
func TestPoison(t *testing.T) {
	var good bytes.Buffer
	writeStream(t, &good, header(wire.Kind_ROUNDS), round(1, 1))
	frames, err := stream.SplitFrames(good.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	secret := []byte("secret of Alice, who is a unit")
	damaged := bytes.Clone(frames[0])
	copy(damaged[len(damaged)/2:], secret[:20])
	own := headersOf("writer=a0", "frame=0", "since=0", "round=1")
	fake := broker.Fake(t, map[string]int{"t.private": 8})
	l := location(t, fake.Address, "t.private", "")
	for partition, c := range []struct {
		name    string
		value   []byte
		headers []string
		words   string
	}{
		{"text", secret, nil, "not a Zstandard frame"},
		{"text of a writer", secret, []string{"writer=a0", "frame=1", "since=0", "round=1"}, "not a Zstandard frame"},
		{"nothing", nil, []string{"writer=a0", "frame=1", "since=0", "round=1"}, "frame"},
		{"a damaged frame", damaged, []string{"writer=a0", "frame=1", "since=0", "round=1"}, "damaged frame"},
		{"half a frame", frames[0][:len(frames[0])/2], nil, "truncated"},
		{"another writer's name", frames[1], []string{"writer=Alice", "frame=1", "since=0", "round=1"},
			"header writer"},
		{"no number", frames[1], []string{"writer=a0", "since=0", "round=1"}, "header frame"},
		{"a number too far", frames[1], []string{"writer=a0", "frame=3", "since=0", "round=1"},
			"2 frames of this writer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, l, partition, frames[0], own...)
			put(t, l, partition, c.value, headersOf(c.headers...)...)
			log, err := OpenAt(soon(t), l, partition, -1)
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			_, err = read(t, log)
			wantError(t, err, exit.Malformed, c.words, fmt.Sprintf("t.private[%d]", partition), "at offset 1")
			if strings.Contains(err.Error(), "Alice") {
				t.Errorf("the error tells what the message holds: %v", err)
			}
		})
	}
}
