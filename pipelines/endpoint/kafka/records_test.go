package kafka

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire/stream"
)

// severalMessages is a batch of three messages: one of a stage, one with a key and strange headers, and one of nothing.
func severalMessages(t testing.TB) []byte {
	t.Helper()
	own := label{Writer: "0a", Number: 7, Since: 3, Mark: stream.Mark{Round: 2, Closes: true}}
	var out bytes.Buffer
	set := protocol.RecordSet{Version: 2, Records: kafka.NewRecordReader(
		kafka.Record{Value: kafka.NewBytes([]byte("a frame")), Headers: own.headers()},
		kafka.Record{Key: kafka.NewBytes([]byte("key")), Value: kafka.NewBytes([]byte("b")),
			Headers: []kafka.Header{{Key: "round"}, {Key: ""}}},
		kafka.Record{})}
	if _, err := set.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()[4:]
}

// TestRecords: an append to a message's value overwrites no other message. A batch with the right checksum is refused
// for good if its records have other lengths, or if there are fewer or more records. A batch with a wrong checksum may
// be right at the next attempt.
func TestRecords(t *testing.T) {
	batch := severalMessages(t)
	messages, err := records(batch)
	if err != nil || len(messages) != 3 || string(messages[0].value) != "a frame" || messages[0].label.Number != 7 ||
		messages[2].value != nil {
		t.Fatalf("%+v, %v", messages, err)
	}
	_ = append(messages[0].value, "and what overwrites"...)
	if again, err := records(batch); err != nil || !reflect.DeepEqual(again, messages) {
		t.Errorf("after an append: %+v, %v", again, err)
	}
	refused := func(what string, change func([]byte) []byte) {
		t.Helper()
		changed := change(bytes.Clone(batch))
		if _, err := records(changed); err == nil || exit.Code(err) == exit.Malformed {
			t.Errorf("%s, without a checksum: %v", what, err)
		}
		if got, err := records(checksummed(changed)); exit.Code(err) != exit.Malformed {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	for _, n := range []uint32{0, 2, 4} {
		refused("another number of messages", func(b []byte) []byte {
			binary.BigEndian.PutUint32(b[batchCount:], n)
			return b
		})
	}
	for at := batchHeader; at < len(batch); at++ {
		refused("a batch that is cut", func(b []byte) []byte { return b[:at] })
	}
	refused("a longer batch", func(b []byte) []byte { return append(b, 0) })
}

// FuzzRecords: a plain batch that records takes has the same messages for the library.
func FuzzRecords(f *testing.F) {
	f.Add(severalMessages(f)[batchHeader:], uint8(3))
	f.Add(twoMessages(f)[batchHeader:], uint8(2))
	f.Fuzz(func(t *testing.T, content []byte, n uint8) {
		batch := append(bytes.Clone(severalMessages(t)[:batchHeader]), content...)
		binary.BigEndian.PutUint32(batch[batchPrefix-4:], uint32(len(batch)-batchPrefix))
		binary.BigEndian.PutUint32(batch[batchCount:], uint32(n))
		if checkSize(checksummed(batch)) != nil {
			return
		}
		got, err := records(batch)
		if err != nil {
			return
		}
		want, err := otherRecords(batch)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d messages, for the library %d, %v", len(got), len(want), err)
		}
		for i, m := range got {
			w := want[i]
			if m.offset != w.offset || !m.time.Equal(w.time) || !bytes.Equal(m.value, w.value) ||
				!reflect.DeepEqual(m.label, w.label) || (m.err == nil) != (w.err == nil) {
				t.Fatalf("message %d is %+v, for the library %+v", i, m, w)
			}
		}
	})
}

// TestMemoryAgain reads frames one by one while the next frames are fetched into the memory of earlier frames. Until
// the next call, each frame is as it was written. A later fetch uses the memory of an earlier fetch again.
func TestMemoryAgain(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	l := location(t, fake.Address, "t.private", "")
	log, a := openLog(t, l), appendTo(t, l)
	used, again := make(map[*byte]bool), 0
	for round := range byte(40) {
		const frames = 5
		for i := range byte(frames) {
			if err := a.WriteFrame(bytes.Repeat([]byte{round, i}, 10_000),
				stream.Mark{Round: uint32(round) + 1, Closes: i == frames-1}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range byte(frames) {
			got, err := log.Frame()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Data, bytes.Repeat([]byte{round, i}, 10_000)) {
				t.Fatalf("frame %d of round %d is another one", i, round)
			}
			if len(log.pending) > 0 && log.using == nil {
				t.Fatalf("the memory of frames that were not read yet is free")
			}
			if used[&got.Data[0]] {
				again++
			}
			used[&got.Data[0]] = true
		}
	}
	if again < 40 {
		t.Errorf("memory was used again for %d frames of 200", again)
	}
}

// TestChecksum: the checksum covers all of a batch behind it.
func TestChecksum(t *testing.T) {
	batch := severalMessages(t)
	if sum := crc32.Checksum(batch[batchAttributes:],
		castagnoli); sum != binary.BigEndian.Uint32(batch[batchChecksum:]) {
		t.Fatal("the library's checksum is another one")
	}
	for at := batchAttributes; at < len(batch); at++ {
		damaged := bytes.Clone(batch)
		damaged[at] ^= 0x40
		if isPlain(damaged) {
			if _, err := records(damaged); err == nil {
				t.Fatalf("byte %d is damaged", at)
			}
		}
	}
}
