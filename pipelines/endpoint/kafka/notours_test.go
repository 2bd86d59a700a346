package kafka

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// TestNotOurs: a message that no stage wrote ends its reader with an error that names partition, offset and rule, and
// tells nothing that it holds. Keys mean nothing, and neither do headers where none names a writer.
func TestNotOurs(t *testing.T) { broker.Each(t, notOurs) }

func notOurs(t *testing.T, b *broker.Broker) {
	frame := someFrame(t)
	ours := headersOf("writer=a0", "frame=0", "since=0", "round=0")
	for name, c := range map[string]struct {
		key, value []byte
		headers    []kafka.Header
		rule       string // empty: the message is taken
	}{
		"a tombstone":            {[]byte("secret"), nil, nil, "the message is empty, must hold a frame"},
		"nothing":                {nil, nil, nil, "the message is empty, must hold a frame"},
		"an empty value":         {nil, []byte{}, nil, "the message is empty, must hold a frame"},
		"an empty value of ours": {nil, []byte{}, ours, "the message is empty, must hold a frame"},
		"text":                   {nil, []byte("secret"), nil, "not a Zstandard frame"},
		"text of ours":           {nil, []byte("secret"), ours, "not a Zstandard frame"},
		"a byte":                 {nil, []byte{0x28}, nil, "truncated"},
		"a cut frame":            {nil, frame[:len(frame)-1], nil, "truncated"},
		"more after a frame":     {nil, append(bytes.Clone(frame), "secret"...), nil, "not a Zstandard frame"},
		"headers of no number": {nil, frame, headersOf("writer=a0", "frame=secret", "since=0", "round=0"),
			"header frame"},
		"only a writer":              {nil, frame, headersOf("writer=a0"), "0 times"},
		"another's":                  {nil, frame, nil, ""},
		"another's, with a key":      {[]byte("secret"), frame, nil, ""},
		"another's, with headers":    {nil, frame, []kafka.Header{{Key: "secret"}, {}}, ""},
		"a header without its value": {nil, frame, []kafka.Header{{Key: "writer"}}, ""},
		"ours":                       {nil, frame, ours, ""},
	} {
		t.Run(name, func(t *testing.T) {
			topic := b.Topic(t, "messages.private", 2, nil)
			l := location(t, b.Address, topic, "?partition=1&until=end")
			client, err := kgo.NewClient(kgo.SeedBrokers(b.Address), kgo.RecordPartitioner(kgo.ManualPartitioner()))
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			record := &kgo.Record{Topic: topic, Partition: 1, Key: c.key, Value: c.value}
			for _, h := range c.headers {
				record.Headers = append(record.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
			}
			if err := client.ProduceSync(t.Context(), record).FirstErr(); err != nil {
				t.Fatal(err)
			}
			_, err = read(t, openLog(t, l))
			if c.rule == "" {
				if err != io.EOF {
					t.Fatalf("%v, want the whole message to be taken", err)
				}
				return
			}
			wantError(t, err, exit.Malformed, topic+"[1]", "at offset 0", c.rule)
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells what the message holds: %v", err)
			}
			if len(c.value) == 0 { // and so it is no partition without messages
				_, err = Tails(t.Context(), l)
				wantError(t, err, exit.Malformed, topic+"[1]", "at offset 0", c.rule)
			}
		})
	}
}

// someFrame is a frame that is a whole stream.
func someFrame(t testing.TB) []byte {
	t.Helper()
	compressor, err := stream.NewCompressor(stream.None)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := stream.NewWriter(&b, header(wire.Kind_DOCUMENTS), compressor)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// FuzzMessages: whatever messages a partition holds, its readers get records or an error. The error's exit code says
// that the input is at fault. The attributes say how the batch is compressed, and whether it is the broker's own. The
// input holds a message as its parts, each behind its length. A length of 255 stands for no part.
func FuzzMessages(f *testing.F) {
	frame := someFrame(f)
	part := func(parts ...[]byte) (b []byte) {
		for _, p := range parts {
			if p == nil {
				b = append(b, 255)
				continue
			}
			b = append(append(b, byte(len(p))), p...)
		}
		return b
	}
	f.Add(uint8(0), []byte(nil))
	f.Add(uint8(0), part(nil, nil))
	f.Add(uint8(protocol.Control), part([]byte{0, 0, 0, 1}, []byte{0, 0, 0, 0, 0, 0}))
	f.Add(uint8(protocol.Zstd), part(nil, []byte("value")))
	f.Add(uint8(0), part([]byte("key"), []byte{}, []byte("writer"), []byte("a0")))
	f.Add(uint8(0), part(nil, frame, []byte("writer"), []byte("a0"), []byte("frame"), []byte("0"), []byte("since"),
		[]byte("0"), []byte("round"), []byte("0")))
	f.Add(uint8(0), append(part(nil, frame, nil, nil, nil, nil, nil, nil, nil, nil), part(nil, frame[:9])...))
	f.Fuzz(func(t *testing.T, attributes uint8, input []byte) {
		if attributes&7 > uint8(protocol.Zstd) {
			t.Skip("no broker takes a batch of an unknown compression")
		}
		batch := encode(cut(input), protocol.Attributes(attributes))
		c, err := fetchResponse(answerOf(0, batch)).chunk(0)
		if control := protocol.Attributes(attributes).Control(); err != nil && !control || control &&
			len(c.messages) > 0 {
			t.Fatalf("attributes %x: %d messages, %v", attributes, len(c.messages), err)
		}
		l := &Location{Topic: "t.private", UntilEnd: true}
		log := &Log{client: &client{Location: l}, wait: new(metrics.Wait), chunks: make(chan chunk, 1), end: c.next,
			read: metrics.MessagesRead(l.Topic, 0), lag: metrics.Lag(l.Topic, 0)}
		log.chunks <- c
		log.context, log.stop = context.WithCancelCause(t.Context())
		r, err := stream.NewMergedReader(log, log.Name(), 0)
		for err == nil {
			_, err = r.Next()
		}
		if err != io.EOF && (exit.Code(err) != exit.Malformed || !strings.Contains(err.Error(), "t.private[0]")) {
			t.Errorf("exit code %d: %v", exit.Code(err), err)
		}
	})
}

// cut makes messages of bytes: see FuzzMessages.
func cut(b []byte) []kafka.Record {
	next := func() []byte {
		if len(b) == 0 || b[0] == 255 {
			b = b[min(1, len(b)):]
			return nil
		}
		n := min(int(b[0]), len(b)-1)
		p := b[1 : 1+n]
		b = b[1+n:]
		return p
	}
	var records []kafka.Record
	for len(b) > 0 {
		r := kafka.Record{Time: time.UnixMilli(1), Key: kafka.NewBytes(next()), Value: kafka.NewBytes(next())}
		for range 4 {
			if key, value := next(), next(); key != nil || value != nil {
				r.Headers = append(r.Headers, kafka.Header{Key: string(key), Value: value})
			}
		}
		records = append(records, r)
	}
	return records
}

// encode makes a batch of records, as the broker sends it. There is none of none, and none with attributes that are
// none.
func encode(records []kafka.Record, attributes protocol.Attributes) []byte {
	var b bytes.Buffer
	set := protocol.RecordSet{Version: 2, Attributes: attributes, Records: kafka.NewRecordReader(records...)}
	if _, err := set.WriteTo(&b); err != nil || len(records) == 0 {
		return nil
	}
	return b.Bytes()[4:] // without its length
}
