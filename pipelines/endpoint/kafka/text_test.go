package kafka

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
)

// TestText: messages of all partitions are lines, whether they have a newline or not.
func TestText(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"texts.private": 3, "empty.private": 2})
	l := location(t, fake.Address, "texts.private", "?until=end")
	var want []string
	for i := range 300 {
		line := fmt.Sprintf("text %03d ", i) + strings.Repeat("x", i)
		want = append(want, line)
		put(t, l, i%2, []byte(line+[]string{"", "\n"}[i/2%2]))
	}
	put(t, l, 0, nil)
	want = append(want, "")
	for name, slowly := range map[string]func(io.Reader) io.Reader{
		"at once":      func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
		"by halves":    iotest.HalfReader,
	} {
		text, err := OpenText(soon(t), l)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(slowly(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lines := strings.Split(string(b), "\n")
		last := len(lines) - 1
		if n := slices.Index(lines, ""); n < 0 || lines[last] != "" {
			t.Fatalf("%s: an empty message gives no line, or the last one no newline", name)
		}
		lines = slices.Sorted(slices.Values(lines[:last]))
		if sorted := slices.Sorted(slices.Values(want)); !slices.Equal(lines, sorted) {
			t.Errorf("%s: %d lines, want %d", name, len(lines), len(sorted))
		}
		if n, err := text.Read(make([]byte, 8)); n != 0 || err != io.EOF {
			t.Errorf("%s: after the end %d bytes, %v", name, n, err)
		}
		text.Close()
	}
	text, err := OpenText(soon(t), location(t, fake.Address, "empty.private", "?until=end"))
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	if b, err := io.ReadAll(text); len(b) != 0 || err != nil {
		t.Errorf("an empty topic: %q, %v", b, err)
	}
}

// TestTextKeys: keys and headers come with their messages, compressed or not. None is nil, and not empty.
func TestTextKeys(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"texts.private": 1})
	records := []*kgo.Record{
		{Key: []byte("k"), Value: []byte("v"), Headers: []kgo.RecordHeader{{Key: "a", Value: []byte("1")}, {Key: "a"},
			{Key: "b", Value: []byte{}}}},
		{Value: []byte("w")},
		{Key: []byte{}, Value: []byte("x")},
	}
	for _, codec := range []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression()} {
		client, err := kgo.NewClient(kgo.SeedBrokers(fake.Address), kgo.DefaultProduceTopic("texts.private"),
			kgo.ProducerBatchCompression(codec), kgo.ProducerLinger(time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if err := client.ProduceSync(soon(t), &kgo.Record{Key: r.Key, Value: r.Value,
				Headers: r.Headers}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		client.Close()
	}
	text, err := OpenText(soon(t), location(t, fake.Address, "texts.private", "?until=end"))
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	for i := range 2 * len(records) {
		m, err := text.Message(true)
		if err != nil {
			t.Fatal(err)
		}
		want := records[i%len(records)]
		same := len(m.Headers) == len(want.Headers) && string(m.Content) == string(want.Value)
		for j := range min(len(m.Headers), len(want.Headers)) {
			h, w := m.Headers[j], want.Headers[j]
			same = same && h.Name == w.Key && string(h.Value) == string(w.Value) && (h.Value == nil) == (w.Value == nil)
		}
		if !same || string(m.Key) != string(want.Key) || (m.Key == nil) != (want.Key == nil) {
			t.Errorf("message %d: %q %q %q, want %q %q", i, m.Key, m.Content, m.Headers, want.Key, want.Headers)
		}
	}
}

// TestTextGoesOn: a reader gets a message when it comes, and learns when they can no more be had.
func TestTextGoesOn(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"texts.private": 2})
	l := location(t, fake.Address, "texts.private", "?patience=100ms")
	text, err := OpenText(soon(t), l)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	b := make([]byte, 100)
	for i := range 4 {
		put(t, l, i%2, fmt.Appendf(nil, "text %d", i))
		n, err := text.Read(b)
		if want := fmt.Sprintf("text %d\n", i); string(b[:n]) != want || err != nil {
			t.Fatalf("%q, %v, want %q", b[:n], err, want)
		}
	}
	fake.Close()
	_, err = io.ReadAll(text)
	wantError(t, err, exit.Unavailable, l.String())
}
