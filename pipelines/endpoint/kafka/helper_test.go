package kafka

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// within is how long anything may take. It is never waited for, but when a test fails.
const within = time.Minute

// soon is a context of the test that ends before the test's own time is over.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), within)
	t.Cleanup(cancel)
	return ctx
}

// location is that of a topic on a broker, with the query that follows its name.
func location(t testing.TB, address, topic, query string) *Location {
	t.Helper()
	l, err := Parse(Scheme + address + "/" + topic + query)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// wantError checks the exit code that a process would have of err, and that the message and the hint have these words.
func wantError(t testing.TB, err error, code int, words ...string) {
	t.Helper()
	if got := exit.Code(err); got != code {
		t.Fatalf("exit code %d, want %d, of error: %v", got, code, err)
	}
	for _, w := range words {
		if text := fmt.Sprint(err, " ", exit.Hint(err)); !strings.Contains(text, w) {
			t.Errorf("error %q does not say %q", text, w)
		}
	}
}

// header is that of a stream of a kind.
func header(kind wire.Kind) *wire.Header {
	h := &wire.Header{Version: wire.Version, Kind: kind, Side: wire.Side_PRIVATE, VocabularySize: 100}
	switch kind {
	case wire.Kind_ROUNDS:
		h.Unit = wire.Unit_DOCUMENT
	case wire.Kind_RELEASES:
		h.Unit, h.Side = wire.Unit_DOCUMENT, wire.Side_PUBLIC
		h.Matrices = []*wire.Matrix{{Name: "a", Rows: 1, Columns: cells, Element: wire.Element_INT64}}
	}
	return h
}

// cells is how many cells the matrix of a release has: it fills frames.
const cells = 100_000

func documents(n int) []*wire.Record {
	records := make([]*wire.Record, n)
	for i := range records {
		d := &wire.Document{Id: fmt.Sprint("d", i), WordGaps: []uint32{3, 4}, Counts: []uint32{1, 2}}
		records[i] = &wire.Record{Body: &wire.Record_Document{Document: d}}
	}
	return records
}

// round is a round of so many documents.
func round(number uint32, n int) []*wire.Record {
	scheme := &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 9}
	records := []*wire.Record{{Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}}
	records = append(records, documents(n)...)
	end := &wire.RoundClose{Units: uint64(n), Records: uint64(n)}
	records = append(records, &wire.Record{Body: &wire.Record_RoundClose{RoundClose: end}})
	for _, r := range records {
		r.Round = number
	}
	return records
}

// release is the release of a round, of several frames.
func release(number uint32) []*wire.Record {
	head := &wire.Release{Mechanism: "none", Grid: 1, Scheme: &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 9}}
	records := []*wire.Record{{Round: number, Body: &wire.Record_Release{Release: head}}}
	for offset := 0; offset < cells; offset += cells / 5 {
		b := &wire.Block{Offset: uint64(offset), Values: make([]byte, 8*cells/5)}
		records = append(records, &wire.Record{Round: number, Body: &wire.Record_Block{Block: b}})
	}
	return records
}

// appendTo opens the one partition that the location means for appending.
func appendTo(t testing.TB, l *Location) *Appender {
	t.Helper()
	all, err := Append(soon(t), l)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("%d partitions, want one", len(all))
	}
	t.Cleanup(func() { all[0].Close() })
	return all[0]
}

// newWriter begins a stream, whose frames are stored and not compressed.
func newWriter(t testing.TB, out io.Writer, h *wire.Header) *stream.Writer {
	t.Helper()
	c, err := stream.NewCompressor(stream.None)
	if err != nil {
		t.Fatal(err)
	}
	w, err := stream.NewWriter(out, h, c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// write writes records and a frame's end.
func write(t testing.TB, w *stream.Writer, records ...*wire.Record) {
	t.Helper()
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

// writeStream writes a stream of groups of records, each with a frame's end, and its end record.
func writeStream(t testing.TB, out io.Writer, h *wire.Header, groups ...[]*wire.Record) {
	t.Helper()
	w := newWriter(t, out, h)
	for _, g := range groups {
		write(t, w, g...)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// openLog opens the one partition that the location means.
func openLog(t testing.TB, l *Location) *Log {
	t.Helper()
	all, err := Open(soon(t), l)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("%d partitions, want one", len(all))
	}
	t.Cleanup(func() { all[0].Close() })
	return all[0]
}

// read returns the records of a log after a round, and the error that ended the log.
func read(t testing.TB, log *Log, closed ...uint32) ([]*wire.Record, error) {
	t.Helper()
	r, err := stream.NewMergedReader(log, log.Name(), append(closed, 0)[0])
	if err != nil {
		t.Fatal(err)
	}
	var records []*wire.Record
	for {
		record, err := r.Next()
		if err != nil {
			return records, err
		}
		records = append(records, record)
	}
}

// wantRecords checks what was read.
func wantRecords(t testing.TB, got []*wire.Record, err error, groups ...[]*wire.Record) {
	t.Helper()
	if err != io.EOF {
		t.Fatal(err)
	}
	want := slices.Concat(groups...)
	if !slices.EqualFunc(got, want, func(a, b *wire.Record) bool { return proto.Equal(a, b) }) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
}

// put appends a message as another program would.
func put(t testing.TB, l *Location, partition int, value []byte, headers ...kafka.Header) {
	t.Helper()
	c := &kafka.Client{Addr: kafka.TCP(l.Brokers...), Transport: &kafka.Transport{MetadataTTL: time.Second},
		Timeout: within}
	defer c.Transport.(*kafka.Transport).CloseIdleConnections()
	r, err := c.Produce(context.Background(), &kafka.ProduceRequest{
		Topic: l.Topic, Partition: partition, RequiredAcks: kafka.RequireAll,
		Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes(value), Headers: headers}),
	})
	if err == nil {
		err = r.Error
	}
	if err != nil {
		t.Fatal(err)
	}
}

// messages returns the first n messages of a partition, read by another client.
func messages(t testing.TB, l *Location, partition int32, n int) []*kgo.Record {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(l.Brokers...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		l.Topic: {partition: kgo.NewOffset().AtStart()},
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	var records []*kgo.Record
	for len(records) < n {
		fetches := c.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("after %d messages of %d: %v", len(records), n, err)
		}
		records = append(records, fetches.Records()...)
	}
	return records[:n]
}

// count returns how many messages a partition has had.
func count(t testing.TB, l *Location, partition int) int {
	t.Helper()
	c, err := newClient(l)
	if err != nil {
		t.Fatal(err)
	}
	defer c.leave()
	_, end, err := c.bounds(t.Context(), partition)
	if err != nil {
		t.Fatal(err)
	}
	return int(end)
}
