package kafka

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/metrics"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// TestMemoryInUse: the memory of an answer is free when the frame after its last one is asked for, and not before, also
// amid a message of several frames.
func TestMemoryInUse(t *testing.T) {
	var frames bytes.Buffer
	w := newWriter(t, &frames, header(wire.Kind_DOCUMENTS))
	write(t, w, documents(1)...)
	single := bytes.Clone(frames.Bytes())
	write(t, w, documents(2)...)
	var out bytes.Buffer
	values := [][]byte{frames.Bytes(), single, frames.Bytes()} // of 2, 1 and 2 frames
	var messages []kafka.Record
	for _, v := range values {
		messages = append(messages, kafka.Record{Value: kafka.NewBytes(v)})
	}
	set := protocol.RecordSet{Version: 2, Records: kafka.NewRecordReader(messages...)}
	if _, err := set.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	l := &Log{
		client: &client{Location: &Location{Topic: "t.private"}}, context: t.Context(), chunks: make(chan chunk, 1),
		free: make(chan []byte, 1),
		wait: metrics.NewWait("t.private", 0), read: metrics.MessagesRead("t.private", 0),
		lag: metrics.Lag("t.private", 0),
	}
	before := []byte(nil) // the memory of the answer before
	for range 3 {
		memory := answerOf(0, out.Bytes()[4:])
		c, err := fetchResponse(memory).chunk(0)
		if err != nil {
			t.Fatal(err)
		}
		c.memory = memory
		l.chunks <- c
		var got []byte
		for i := range 5 {
			f, err := l.Frame()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, f.Data...)
			switch {
			case i == 0:
				var freed []byte
				select {
				case freed = <-l.free:
				default:
				}
				if len(freed) != len(before) || len(freed) > 0 && &freed[0] != &before[0] {
					t.Error("the memory that was read is not free")
				}
			case len(l.free) > 0:
				t.Fatalf("the memory of frame %d is free before the next frame is asked for", i)
			}
		}
		if want := bytes.Join(values, nil); !bytes.Equal(got, want) {
			t.Error("got other frames")
		}
		before = memory
	}
}

// TestMemoryOfAnAttempt: an attempt that failed keeps the memory that it was given, since the library may still write
// to it.
func TestMemoryOfAnAttempt(t *testing.T) {
	t.Parallel()
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	l := location(t, fake.Address, "t.private", "")
	again := func(fails int) bool {
		t.Helper()
		c, err := newClient(l)
		if err != nil {
			t.Fatal(err)
		}
		defer c.leave()
		if fails > 0 {
			fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: l.Topic, Err: kerr.NotLeaderForPartition,
				Count: fails})
		}
		given := make([]byte, 1<<16)
		log := &Log{client: c, isolation: kafka.ReadCommitted, context: soon(t), free: make(chan []byte, 1)}
		log.free <- given
		got, err := log.fetchOnce(0)
		if err != nil {
			t.Fatal(err)
		}
		return &got.memory[0] == &given[0]
	}
	if !again(0) {
		t.Error("the memory is not used")
	}
	if again(1) {
		t.Error("the attempt after one that failed has its memory")
	}
}

// TestMemoryOfAnAnswer: an answer is the same in memory of any size, whatever that holds. An announced size alone takes
// no memory: whoever speaks another protocol announces a gigabyte.
func TestMemoryOfAnAnswer(t *testing.T) {
	exchange := func(announced uint32, sent, into []byte) (protocol.Message, error) {
		r := newFetch("t", 0, 0, kafka.ReadCommitted, into)
		r.Required(map[protocol.ApiKey]int16{protocol.Fetch: fetchVersion})
		return r.RawExchange(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(append(binary.BigEndian.AppendUint32(nil, announced), sent...)), io.Discard})
	}
	whole := answerOf(0, batchOf(t, bytes.Repeat([]byte("x"), 3*leastAnswer), 0))
	for _, size := range []int{0, 1, leastAnswer, len(whole) - 1, len(whole), 2 * len(whole)} {
		got, err := exchange(uint32(len(whole)), whole, bytes.Repeat([]byte("y"), size))
		if err != nil || !bytes.Equal(got.(fetchResponse), whole) {
			t.Errorf("in %d bytes: another answer, %v", size, err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := exchange(1<<30, whole, nil)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 16<<20 {
		t.Errorf("an answer that is not there took %d bytes, %v", took, err)
	}
}
