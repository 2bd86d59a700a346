package endpoint_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// topic is the name of a topic on a broker.
func topic(address, rest string) string { return "kafka://" + address + "/" + rest }

// wantWords checks what an error says beside its exit code.
func wantWords(t *testing.T, err error, code int, words ...string) {
	t.Helper()
	wantCode(t, err, code)
	for _, w := range words {
		if text := fmt.Sprint(err, " ", exit.Hint(err)); !strings.Contains(text, w) {
			t.Errorf("error %q does not say %q", text, w)
		}
	}
}

// roundsHeader is that of the rounds of a run.
func roundsHeader(run string) *wire.Header {
	return &wire.Header{Version: wire.Version, Kind: wire.Kind_ROUNDS, Side: wire.Side_PRIVATE, Run: run,
		VocabularySize: 10,
		Unit:           wire.Unit_DOCUMENT}
}

// contributionsHeader is that of contributions that were made under settings of a hash; 0: without one.
func contributionsHeader(hash byte) *wire.Header {
	h := roundsHeader("a")
	h.Kind, h.Matrices = wire.Kind_CONTRIBUTIONS,
		[]*wire.Matrix{{Name: "m", Rows: 1, Columns: 10, Element: wire.Element_FLOAT32}}
	if hash > 0 {
		h.Settings = bytes.Repeat([]byte{hash}, 32)
	}
	return h
}

// TestOtherSettings: a worker with other settings than those whose contributions are there does not begin.
func TestOtherSettings(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"old.private": 1, "new.private": 1})
	for there, name := range map[byte]string{0: "old.private", 1: "new.private"} {
		name = topic(fake.Address, name)
		fill(t, name, contributionsHeader(there))
		if _, err := endpoint.Tails(t.Context(), name, contributionsHeader(there)); err != nil {
			t.Errorf("%s: a worker with the same settings: %v", name, err)
		}
		_, err := endpoint.Tails(t.Context(), name, contributionsHeader(there+1))
		wantWords(t, err, exit.Usage, name, "made under other settings of estep than these", "same flags")
	}
}

// round is a round of so many documents.
func round(number uint32, documents int) []*wire.Record {
	open := &wire.RoundOpen{Scheme: &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 9}}
	records := []*wire.Record{{Round: number, Body: &wire.Record_RoundOpen{RoundOpen: open}}}
	for i := range documents {
		d := &wire.Document{Id: fmt.Sprint("d", i), WordGaps: []uint32{3, 4}, Counts: []uint32{1, 2}}
		records = append(records, &wire.Record{Round: number, Body: &wire.Record_Document{Document: d}})
	}
	end := &wire.RoundClose{Units: uint64(documents), Records: uint64(documents)}
	return append(records, &wire.Record{Round: number, Body: &wire.Record_RoundClose{RoundClose: end}})
}

// put writes records and a frame's end.
func put(t *testing.T, w *endpoint.StreamWriter, records ...*wire.Record) {
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

// streams opens the streams of an output.
func streams(t *testing.T, name string, h *wire.Header) []*endpoint.StreamWriter {
	t.Helper()
	all, err := endpoint.CreateStreams(t.Context(), name, h, "none")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range all {
		t.Cleanup(w.Abort)
	}
	return all
}

// fill writes a whole stream of rounds to each partition of a topic, to each one round less than to the one before.
func fill(t *testing.T, name string, h *wire.Header, rounds ...[]*wire.Record) {
	t.Helper()
	for i, w := range streams(t, name, h) {
		for _, r := range rounds[i:] {
			put(t, w, r...)
		}
		if err := w.Commit(&wire.Tally{Name: "skipped", Value: 1}); err != nil {
			t.Fatal(err)
		}
	}
}

var rounds = endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_ROUNDS}}

// all reads a stream to its end.
func all(t *testing.T, r interface{ Next() (*wire.Record, error) }) []*wire.Record {
	t.Helper()
	var records []*wire.Record
	for {
		record, err := r.Next()
		if err == io.EOF {
			return records
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
}

func equal(got []*wire.Record, want ...[]*wire.Record) bool {
	return slices.EqualFunc(got, slices.Concat(want...), func(a, b *wire.Record) bool { return proto.Equal(a, b) })
}

// TestTopicNames: what a name may ask for depends on what it is for. No broker is asked.
func TestTopicNames(t *testing.T) {
	public := header(wire.Side_PUBLIC)
	public.Kind, public.Run = wire.Kind_SCORES, "a"
	private := roundsHeader("a")
	for name, c := range map[string]struct {
		header *wire.Header
		words  string
	}{
		"kafka://h/rounds":                    {private, "end in .private, and no others do"},
		"kafka://h/rounds.private.copy":       {private, "is for public records, but these are private"},
		"kafka://h/scores.private":            {public, "is for private records, but these are public"},
		"kafka://h/rounds.private?group=g":    {private, "say how a topic is read"},
		"kafka://h/rounds.private?from=start": {private, "say how a topic is read"},
		"kafka://h/rounds.private?until=end":  {private, "say how a topic is read"},
		"kafka://h/?":                         {private, "a topic's name"},
	} {
		_, err := endpoint.CreateStream(t.Context(), name, c.header, "fast")
		wantWords(t, err, exit.Usage, c.words)
		_, err = endpoint.CreateStreams(t.Context(), name, c.header, "fast")
		wantWords(t, err, exit.Usage, c.words)
		_, err = endpoint.Tails(t.Context(), name, c.header)
		wantWords(t, err, exit.Usage, c.words)
	}
	outside := endpoint.Wanted{Kinds: rounds.Kinds, Side: wire.Side_PUBLIC}
	for name, c := range map[string]struct {
		wanted endpoint.Wanted
		words  string
	}{
		"kafka://h/rounds.private":         {outside, "only privatize turns private records into public ones"},
		"kafka://h/rounds.private?group=g": {rounds, "a group is for estep and privatize"},
		"kafka://h/rounds?from=first":      {rounds, "from=first must be"},
	} {
		_, _, err := endpoint.OpenStream(t.Context(), name, c.wanted)
		wantWords(t, err, exit.Usage, c.words)
		_, _, err = endpoint.OpenStreams(t.Context(), name, c.wanted)
		wantWords(t, err, exit.Usage, c.words)
	}
	if tails, err := endpoint.Tails(t.Context(), filepath.Join(t.TempDir(), "rounds.pp"),
		private); tails != nil || err != nil {
		t.Errorf("a file has the tails %v, %v", tails, err)
	}
	if !endpoint.IsTopic("kafka://h/t") || endpoint.IsTopic("h/t") || endpoint.IsTopic("-") {
		t.Error("a topic is not told from a file")
	}
}

// TestForgedSide: no reader takes a stream if its header states another side of the wall than its topic's name. Another
// program wrote this stream: no stage writes one.
func TestForgedSide(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"public": 1, "forged.private": 1, "answers": 1, "params": 1})
	forge := func(name string, h *wire.Header, headers []kgo.RecordHeader, rounds ...[]*wire.Record) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "forged.pp")
		fill(t, file, h, rounds...)
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		produce(t, fake.Address, name, string(content), headers...)
	}
	for name, side := range map[string]wire.Side{"public": wire.Side_PRIVATE, "forged.private": wire.Side_PUBLIC} {
		h := roundsHeader("a")
		h.Side = side
		forge(name, h, nil, round(1, 3))
		forged := topic(fake.Address, name)
		_, _, stream := endpoint.OpenStream(t.Context(), forged, rounds)
		_, _, streams := endpoint.OpenStreams(t.Context(), forged, rounds)
		work := func(context.Context, *endpoint.Partition) error { return nil }
		toFile := endpoint.Share(t.Context(), forged, rounds, filepath.Join(t.TempDir(), "answers.pp"), work)
		toTopic := endpoint.Share(t.Context(), forged, rounds, topic(fake.Address, "answers"), work)
		_, plan := endpoint.Plan(forged)
		for reader, err := range map[string]error{
			"OpenStream": stream, "OpenStreams": streams, "Share to a file": toFile, "Share to a topic": toTopic,
			"Plan": plan,
		} {
			t.Run(reader+" of "+name, func(t *testing.T) {
				wantWords(t, err, exit.Malformed, name+"[0]", "stream in a topic whose name says that it is",
					"and no others do")
			})
		}
	}
	private := publicHeader(wire.Kind_PARAMETERS, "r")
	private.Side = wire.Side_PRIVATE
	var marks []kgo.RecordHeader // a follower reads only these of most messages
	for key, value := range map[string]string{"writer": strings.Repeat("f", 32), "frame": "0", "since": "0",
		"round": "0", "mark": "end"} {
		marks = append(marks, kgo.RecordHeader{Key: key, Value: []byte(value)})
	}
	forge("params", private, marks)
	wantWords(t, follow(t, topic(fake.Address, "params"), "r").Wait(1), exit.Malformed, "a private stream in a topic")
}

// TestTopicStreams: a topic of several partitions is as many streams, of one header.
func TestTopicStreams(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 3, "mixed.private": 2, "idle.private": 2,
		"silent.private": 2, "settled.private": 2})
	name := topic(fake.Address, "rounds.private")
	parts := [][]*wire.Record{round(1, 30), round(2, 3), round(5, 0)}
	fill(t, name, roundsHeader("a"), parts...)
	readers, h, err := endpoint.OpenStreams(t.Context(), name, rounds)
	if err != nil || len(readers) != 3 || !proto.Equal(h, roundsHeader("a")) {
		t.Fatalf("%d readers, %v", len(readers), err)
	}
	for i, r := range readers {
		if !equal(all(t, r), parts[i:]...) {
			t.Errorf("partition %d has other records", i)
		}
		if want := fmt.Sprintf("rounds.private[%d]", i); r.Name() != want || r.Tally("skipped") != 1 {
			t.Errorf("partition %d is %s, with %v", i, r.Name(), r.Tallies())
		}
		r.Close()
	}
	r, _, err := endpoint.OpenStream(t.Context(), name+"?partition=1", rounds)
	if err != nil || !equal(all(t, r), parts[1:]...) {
		t.Errorf("the one that is named: %v", err)
	}
	_, _, err = endpoint.OpenStream(t.Context(), name, rounds)
	wantWords(t, err, exit.Usage, "has 3 partitions, and one stream needs one partition", "partition=0")
	_, err = endpoint.CreateStream(t.Context(), name, roundsHeader("a"), "fast")
	wantWords(t, err, exit.Usage, "has 3 partitions, and one stream needs one partition")
	_, _, err = endpoint.OpenStreams(t.Context(), name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_RELEASES}})
	wantWords(t, err, exit.Malformed, "rounds.private[", "a stream of ROUNDS, must be of RELEASES")

	mixed := topic(fake.Address, "mixed.private")
	for i, run := range []string{"a", "b"} {
		fill(t, fmt.Sprint(mixed, "?partition=", i), roundsHeader(run), round(1, 1))
	}
	_, _, err = endpoint.OpenStreams(t.Context(), mixed, rounds)
	wantWords(t, err, exit.Malformed, "mixed.private[0]", "mixed.private[1]", "hold different streams")

	settled := topic(fake.Address, "settled.private")
	for i := range 2 {
		fill(t, fmt.Sprint(settled, "?partition=", i), contributionsHeader(byte(i+1)))
	}
	_, _, err = endpoint.OpenStreams(t.Context(), settled, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_CONTRIBUTIONS}})
	wantWords(t, err, exit.Malformed, "settled.private[0]", "settled.private[1]", "different settings of estep",
		"same flags")

	idle := topic(fake.Address, "idle.private")
	fill(t, idle+"?partition=1", roundsHeader("a"), round(1, 1))
	impatient := rounds
	impatient.Within = 50 * time.Millisecond
	_, _, err = endpoint.OpenStreams(t.Context(), idle, impatient)
	wantWords(t, err, exit.Malformed, "nothing came for 50ms; waiting for idle.private[0]", "workers")
	_, _, err = endpoint.OpenStreams(t.Context(), topic(fake.Address, "silent.private"), impatient)
	wantWords(t, err, exit.Malformed, "nothing came for 50ms; waiting for silent.private[0], silent.private[1]")
}

// TestTopicTails: a program that goes on learns how far a topic is, and not to mix two runs in one.
func TestTopicTails(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 5, "other.private": 1})
	name := topic(fake.Address, "rounds.private")
	h := roundsHeader("a")
	outs := streams(t, name, h)
	midway := func(number uint32) []*wire.Record { return round(number, 45_000)[:45_001] } // enough to be sent
	put(t, outs[1], midway(1)...)
	put(t, outs[2], round(3, 2)...)
	put(t, outs[3], round(3, 2)...)
	put(t, outs[3], midway(4)...)
	put(t, outs[4], round(3, 2)...)
	if err := outs[4].Commit(); err != nil {
		t.Fatal(err)
	}
	want := []endpoint.Tail{{New: true}, {Midway: true}, {Closed: 3}, {Closed: 3, Midway: true},
		{Closed: 3, Ended: true}}
	for end := time.Now().Add(time.Minute); ; {
		got, err := endpoint.Tails(t.Context(), name, h)
		if err == nil && slices.Equal(got, want) {
			break
		}
		if err != nil || time.Now().After(end) {
			t.Fatalf("tails %+v, %v, want %+v", got, err, want)
		}
	}
	for _, other := range []*wire.Header{roundsHeader("b"), func() *wire.Header {
		o := roundsHeader("a")
		o.Kind = wire.Kind_DOCUMENTS
		o.Unit = wire.Unit_UNIT_UNSPECIFIED
		return o
	}()} {
		_, err := endpoint.Tails(t.Context(), name, other)
		wantWords(t, err, exit.Usage, "rounds.private: holds another stream (ROUNDS of run \"a\"): its "+
			wire.Differences(h, other), "topics of its own")
		_, err = endpoint.CreateStreams(t.Context(), name, other, "fast")
		wantWords(t, err, exit.Usage, "holds another stream", "topics of its own")
	}
	for _, w := range streams(t, name, h) { // the same stream goes on
		w.Abort()
	}

	poisoned := topic(fake.Address, "other.private")
	produce(t, fake.Address, "other.private", "a secret")
	_, err := endpoint.Tails(t.Context(), poisoned, h)
	wantWords(t, err, exit.Malformed, "other.private[0]", "the message at offset 0")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error tells what the message holds: %v", err)
	}
}

// TestTopicGroup: if a name has a group, the next program begins after the answered rounds.
func TestTopicGroup(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 2})
	name := topic(fake.Address, "rounds.private")
	parts := [][]*wire.Record{round(1, 3), round(2, 3), round(3, 3)}
	fill(t, name, roundsHeader("a"), parts...)
	fake.CreateTopic("out.private", 1, nil)
	out := topic(fake.Address, "out.private")
	put(t, streams(t, out, roundsHeader("a"))[0], round(1, 3)...)
	grouped := endpoint.Wanted{Kinds: rounds.Kinds, Answers: out}
	open := func() []*endpoint.StreamReader {
		t.Helper()
		readers, _, err := endpoint.OpenStreams(t.Context(), name+"?group=privatize", grouped)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range readers {
			t.Cleanup(func() { r.Close() })
		}
		return readers
	}
	r := open()[0]
	for range len(parts[0]) {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	r.Answered(1)
	for i, r := range open() {
		if got := all(t, r); !equal(got, parts[1:]...) {
			t.Errorf("partition %d: %d records", i, len(got))
		}
	}
	one, _, err := endpoint.OpenStream(t.Context(), name+"?group=privatize&partition=0", grouped)
	if err != nil || !equal(all(t, one), parts[1:]...) {
		t.Errorf("only partition 0:  %v", err)
	}
	readers, _, err := endpoint.OpenStreams(t.Context(), name+"?group=other", grouped)
	if err != nil || !equal(all(t, readers[0]), parts...) {
		t.Errorf("another group: %v", err)
	}
	// What a stage notes that shares the partitions says nothing of a round: it stands at the end of one partition.
	fake.CreateTopic("answers.private", 2, nil)
	answers := topic(fake.Address, "answers.private")
	if err := endpoint.Share(t.Context(), name+"?group=shared", rounds, answers, (&copier{run: "a"}).work); err != nil {
		t.Fatal(err)
	}
	_, _, err = endpoint.OpenStreams(t.Context(), name+"?group=shared", grouped)
	wantWords(t, err, exit.Usage, "group shared is another stage's", "a group of its own")
}

// TestNewTopics: a stage that is told to makes the topics that it writes, and finds them when it is started again.
func TestNewTopics(t *testing.T) {
	fake := broker.Fake(t, nil)
	partitions := func(n int) context.Context {
		return endpoint.With(t.Context(), endpoint.Options{NewTopics: n})
	}
	name := topic(fake.Address, "rounds.private")
	for range 2 {
		outs, err := endpoint.CreateStreams(partitions(3), name, roundsHeader("a"), "fast")
		if err != nil || len(outs) != 3 {
			t.Fatalf("%d partitions, want 3: %v", len(outs), err)
		}
		for _, out := range outs {
			t.Cleanup(out.Abort)
		}
	}
	// A journal is nobody's to make: an empty one would say that nothing was ever released.
	_, err := endpoint.OpenJournal(topic(fake.Address, "ledger?patience=10ms"))
	wantWords(t, err, exit.Missing, "ledger: no such topic")
	_, err = endpoint.CreateStreams(partitions(2), name, roundsHeader("a"), "fast")
	wantWords(t, err, exit.Usage, "exists with 3 partitions, must have 2")
	_, err = endpoint.CreateStreams(partitions(0), topic(fake.Address, "none.private?patience=10ms"),
		roundsHeader("a"), "fast")
	wantWords(t, err, exit.Missing, "no such topic", "--create")
}

// TestKcat: a partition is, byte for byte, the file that the same records give; and a file is a message that can be
// read.
func TestKcat(t *testing.T) { broker.Each(t, kcatReads) }

func kcatReads(t *testing.T, b *broker.Broker) {
	records := [][]*wire.Record{round(1, 40_000), round(2, 0), round(3, 7)}
	path := filepath.Join(t.TempDir(), "rounds.pp")
	for _, compression := range []string{"none", "fast", "best"} {
		name := b.Topic(t, "rounds.private", 1, nil)
		for _, to := range []string{path, topic(b.Address, name)} {
			w, err := endpoint.CreateStream(t.Context(), to, roundsHeader("a"), compression)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				put(t, w, r...)
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := broker.Partition(t, b.Address, name, 0); !bytes.Equal(got, file) {
			t.Errorf("%s: kcat reads %d bytes, of a file of %d", compression, len(got), len(file))
		}
	}

	fill(t, path, roundsHeader("a"), records[1], records[2])
	name := b.Topic(t, "rounds.private", 1, nil)
	kcat := exec.CommandContext(t.Context(), "kcat", "-P", "-b", b.Address, "-t", name, "-p", "0", path)
	if out, err := kcat.CombinedOutput(); err != nil {
		t.Fatalf("kcat: %v: %s", err, out)
	}
	r, _, err := endpoint.OpenStream(t.Context(), topic(b.Address, name)+"?until=end", rounds)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := all(t, r); !equal(got, records[1:]...) {
		t.Errorf("%d records of what kcat wrote", len(got))
	}
}

// produce appends a message as another program would.
func produce(t *testing.T, address, topic, value string, headers ...kgo.RecordHeader) {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(address))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.ProduceSync(t.Context(),
		&kgo.Record{Topic: topic, Value: []byte(value), Headers: headers}).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// TestUntilEndWanted: with until=end a topic is read past the ends of its writers, but not where the number of
// documents must not depend on the time of reading.
func TestUntilEndWanted(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"documents.private": 1})
	name := topic(fake.Address, "documents.private")
	h := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, VocabularySize: 10}
	document := func(id string) *wire.Record {
		return &wire.Record{Body: &wire.Record_Document{Document: &wire.Document{Id: id}}}
	}
	read := func(ended bool) int {
		wanted := endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Ended: ended}
		r, _, err := endpoint.OpenStream(t.Context(), name+"?until=end", wanted)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		return len(all(t, r))
	}
	write := func(id string) *endpoint.StreamWriter {
		w := streams(t, name, h)[0]
		put(t, w, document(id))
		return w
	}
	commit := func(w *endpoint.StreamWriter) {
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(past int) {
		t.Helper()
		if got := read(false); got != past {
			t.Errorf("%d documents past the ends, want %d", got, past)
		}
		if got := read(true); got != 1 {
			t.Errorf("%d documents up to the first end, want 1", got)
		}
	}
	commit(write("first"))
	expect(1)
	late := write("second")
	expect(2)
	commit(late)
	expect(2)
	for _, from := range []string{"oldest", "newest", "end"} {
		_, _, err := endpoint.OpenStream(t.Context(), name+"?until=end&from="+from,
			endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Ended: true})
		wantWords(t, err, exit.Usage, "documents.private: from="+from+" depends on the time of reading")
	}
}
