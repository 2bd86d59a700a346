package kafka

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// play appends frames as a script says: "a2" is a frame of writer a in round 2. A dot after it closes the round, an
// exclamation mark ends the stream, and a star sends the last frame of the writer again.
func play(t *testing.T, l *Location, script string) {
	t.Helper()
	writers := make(map[string]*Appender)
	last := make(map[string]label)
	for _, word := range strings.Fields(script) {
		name, number := word[:1], strings.TrimRight(word[1:], ".!*")
		if name == "?" {
			put(t, l, 0, []byte("of another program"))
			continue
		}
		a := writers[name]
		if a == nil {
			a = appendTo(t, l)
			writers[name] = a
		}
		if strings.HasSuffix(word, "*") {
			again := last[name+number]
			put(t, l, 0, frameOf(t, again), again.headers()...)
			continue
		}
		round, err := strconv.ParseUint(number, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		mark := stream.Mark{Round: uint32(round), Closes: strings.HasSuffix(word, "."),
			Ends: strings.HasSuffix(word, "!")}
		sent := a.label
		sent.Mark = mark
		last[name+number] = sent
		if err := a.WriteFrame(frameOf(t, sent), mark); err != nil {
			t.Fatal(err)
		}
		if err := a.Flush(); err != nil {
			t.Fatal(err)
		}
	}
}

// frameOf is a frame of releases that says what a label says: one cell of a matrix of three, or the end record.
func frameOf(t testing.TB, l label) []byte {
	t.Helper()
	block := func(offset uint64) *wire.Record {
		return &wire.Record{Round: l.Round,
			Body: &wire.Record_Block{Block: &wire.Block{Offset: offset, Values: make([]byte, 8)}}}
	}
	var records []*wire.Record
	if l.Since == 0 {
		records = append(records, release(l.Round)[0], block(0))
	}
	switch {
	case l.Ends:
		records = []*wire.Record{{Body: &wire.Record_End{End: new(wire.End)}}}
	case l.Closes:
		records = append(records, block(2))
	default:
		records = append(records, block(1))
	}
	h := header(wire.Kind_RELEASES)
	h.Matrices[0].Columns = 3
	return framed(t, h, records...)
}

// framed is one frame of records, which need be no stream.
func framed(t testing.TB, h *wire.Header, records ...*wire.Record) []byte {
	t.Helper()
	c, err := stream.NewCompressor(stream.None)
	if err != nil {
		t.Fatal(err)
	}
	content, err := wire.Append(nil, &wire.Record{Body: &wire.Record_Header{Header: h}})
	for _, r := range records {
		if err == nil {
			content, err = wire.Append(content, r)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.AppendFrame(nil, content)
}

// TestNewest: the newest set of matrices begins where its first frame is, of whichever writer was first.
func TestNewest(t *testing.T) {
	long := strings.Repeat("a2 ", 100)
	cases := []struct {
		name, script string
		gone         int64 // messages that retention took
		want         int64
	}{
		{"nothing", "", 0, 0},
		{"one set", "a1 a1 a1.", 0, 0},
		{"sets of one frame", "a1. a2. a3.", 0, 2},
		{"the next one under way", "a1 a1. a2 a2", 0, 2},
		{"the end after it", "a1 a1. a2 a2. a2!", 0, 2},
		{"a long set", "a1. " + long + "a2.", 0, 1},
		{"a long set under way", "a1. a1. " + long, 0, 2},
		{"two writers, one behind", "a1 b1 a1. a2 b1. a2 b2 a2. b2 b2.", 0, 3},
		{"a writer that died, and its successor", "a1. a2 a2 b2 b2 b2.", 0, 1},
		{"an old writer that comes back", "a1. a2 b2 b2. b3 b3. a2.", 0, 4},
		{"sent again, late", "a1. a2 a2. a1*", 0, 1},
		{"sent again, at once", "a1. a2 a2 a2* a2.", 0, 1},
		{"another program's", "? ? ?", 0, 0},
		{"another program's after it", "a1. a2. ? ?", 0, 1},
		{"its beginning is gone", "a1. a2 a2 a2.", 2, 2},
		{"all before it is gone", "a1. a2 a2 a2.", 1, 1},
	}
	topics := make(map[string]int)
	for i := range cases {
		topics[fmt.Sprint("t", i)] = 1
	}
	fake := broker.Fake(t, topics)
	for i, c := range cases {
		l := location(t, fake.Address, fmt.Sprint("t", i), "?from=newest")
		play(t, l, c.script)
		if err := fake.DeleteRecords(l.Topic, 0, c.gone); err != nil {
			t.Fatal(err)
		}
		if got := openLog(t, l).next; got != c.want {
			t.Errorf("%s: begins at %d, want %d", c.name, got, c.want)
		}
	}
}

// TestNewestStream reads what a stage reads that wants the newest parameters: a set whole, and then all that come.
func TestNewestStream(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t": 1})
	l := location(t, fake.Address, "t", "?from=newest")
	w := newWriter(t, appendTo(t, l), header(wire.Kind_RELEASES))
	for number := uint32(1); number <= 3; number++ {
		write(t, w, release(number)...)
	}
	log := openLog(t, l)
	write(t, w, release(4)...)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := read(t, log)
	wantRecords(t, got, err, release(3), release(4))
	got, err = read(t, openLog(t, l))
	wantRecords(t, got, err, release(4))
	if n := count(t, l, 0); n < 13 {
		t.Errorf("%d messages: the test wants sets of several", n)
	}
}

// TestTails: the last message says how far a partition is.
func TestTails(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t": 4, "bad": 2})
	l := location(t, fake.Address, "t", "")
	for partition, script := range []string{"", "a1 a1. a2", "a1 a1.", "a1. a1!"} {
		one := *l
		one.Partition = partition
		play(t, &one, script)
	}
	tails, err := Tails(soon(t), l)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Tail{
		{},
		{Offset: 2, Mark: stream.Mark{Round: 2}},
		{Offset: 1, Mark: stream.Mark{Round: 1, Closes: true}},
		{Offset: 1, Mark: stream.Mark{Round: 1, Ends: true}},
	} {
		if (tails[i].Frame == nil) != (i == 0) || tails[i].Offset != want.Offset || tails[i].Mark != want.Mark {
			t.Errorf("partition %d: %+v, want %+v", i, tails[i], want)
		}
	}
	one := *l
	one.Partition = 2
	if tails, err = Tails(soon(t), &one); err != nil || len(tails) != 1 || tails[0].Round != 1 {
		t.Errorf("of one partition: %v, %v", tails, err)
	}
	if n, err := Partitions(soon(t), l); n != 4 || err != nil {
		t.Errorf("%d partitions, %v", n, err)
	}

	bad := location(t, fake.Address, "bad", "")
	put(t, bad, 1, []byte("secret"))
	put(t, bad, 1, []byte("secret"), headersOf("writer=secret", "frame=0", "since=0", "round=0")...)
	_, err = Tails(soon(t), bad)
	wantError(t, err, exit.Malformed, "bad[1]", "offset 1", "header writer")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error tells what the message holds: %v", err)
	}
	bad.From = topic.Newest
	logs, err := Open(soon(t), bad)
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		log.Close()
	}
}
