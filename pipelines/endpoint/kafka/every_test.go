package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"privpipe/pipelines/metrics"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire/stream"
)

// batchFrom is a batch of the messages at offsets from first on: each value is its offset, in one byte.
func batchFrom(t *testing.T, first, n byte, compression kafka.Compression) []byte {
	t.Helper()
	records := make([]kafka.Record, n)
	for i := range records {
		records[i] = kafka.Record{Offset: int64(i), Value: kafka.NewBytes([]byte{first + byte(i)})}
	}
	var out bytes.Buffer
	set := protocol.RecordSet{
		Version: 2, Attributes: protocol.Attributes(compression), Records: kafka.NewRecordReader(records...),
	}
	if _, err := set.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	batch := out.Bytes()[4:]
	binary.BigEndian.PutUint64(batch, uint64(first)) // no checksum covers it
	return batch
}

// TestEveryMessageOfAnAnswer: an answer of several batches gives each of its messages once, from whatever offset on.
func TestEveryMessageOfAnAnswer(t *testing.T) {
	const all = 12
	var batches []byte
	for first, n := byte(0), byte(1); first < all; first, n = first+n, n%3+1 { // of 1, 2, 3, 1, 2, 3 messages
		batches = append(batches, batchFrom(t, first, n, []kafka.Compression{0, kafka.Zstd}[first/6])...)
	}
	for from := range int64(all + 1) {
		c, err := fetchResponse(answerOf(0, batches)).chunk(from)
		if err != nil || c.next != all || len(c.messages) != all-int(from) {
			t.Fatalf("from %d: %d messages, next %d, %v", from, len(c.messages), c.next, err)
		}
		for i, m := range c.messages {
			if offset := from + int64(i); m.offset != offset || !bytes.Equal(m.value, []byte{byte(offset)}) {
				t.Errorf("from %d: message %d has offset %d and value %v", from, i, m.offset, m.value)
			}
		}
	}
}

// TestEveryMessageOfALog: a log returns each message of its chunks, and up to the end that a reader asked for, the last
// one, too.
func TestEveryMessageOfALog(t *testing.T) {
	for end := range int64(7) {
		client := &client{Location: &Location{}}
		client.Topic, client.UntilEnd = "every", true
		log := &Log{
			client: client, end: end, chunks: make(chan chunk, 9), free: make(chan []byte, 1),
			wait: metrics.NewWait("every", 0), read: metrics.MessagesRead("every", 0), lag: metrics.Lag("every", 0),
		}
		log.context, log.stop = context.WithCancelCause(t.Context())
		// Chunks of 1, 2 and 3 messages, each after an empty one.
		for next, size := int64(0), int64(1); next < 6; next, size = next+size, size+1 {
			log.chunks <- chunk{next: next, head: 6}
			c := chunk{next: next + size, head: 6}
			for offset := next; offset < c.next; offset++ {
				own := label{Writer: "0a", Number: int(offset)}
				c.messages = append(c.messages, message{offset: offset, value: []byte{byte(offset)}, label: own})
			}
			log.chunks <- c
		}
		for want := range end {
			f, err := log.Frame()
			is := f.Offset == want && f.Number == int(want) && bytes.Equal(f.Data, []byte{byte(want)})
			if err != nil || !is || log.Next() != want+1 {
				t.Fatalf("up to %d, frame %d: %+v, then %d, %v", end, want, f, log.Next(), err)
			}
		}
		if f, err := log.Frame(); err != io.EOF {
			t.Errorf("up to %d: %+v after the end, %v", end, f, err)
		}
	}
}

// TestLateReader: a reader that comes when many answers were fetched gets each message of them.
func TestLateReader(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	l := location(t, fake.Address, "t.private", "")
	log, a := openLog(t, l), appendTo(t, l)
	const frames = 30
	for i := range byte(frames) { // each is there before the next is written
		mark := stream.Mark{Round: uint32(i) + 1, Closes: true}
		if err := errors.Join(a.WriteFrame([]byte{i}, mark), a.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	for i := range byte(frames) {
		got, err := log.Frame()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Data, []byte{i}) || got.Offset != int64(i) {
			t.Fatalf("frame %v at offset %d, want frame %d", got.Data, got.Offset, i)
		}
	}
}
