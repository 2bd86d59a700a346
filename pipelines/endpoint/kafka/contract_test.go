package kafka_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// partitions is the number of partitions of each test topic, except where a test needs another number.
const partitions = 3

// within limits each step. A test waits so long only if it fails.
const within = 30 * time.Second

// conforms checks that a transport keeps the contract in package topic, and uses nothing of a transport but its names:
// another transport can be checked with it. fresh creates a topic with the given number of partitions and with a name
// that ends in ending. It returns the name as a stage gets it, without a query.
func conforms(t *testing.T, fresh func(t *testing.T, ending string, partitions int) string) {
	s := suite{fresh}
	t.Run("names", s.names)
	t.Run("streams", s.streams)
	t.Run("written again", s.again)
	t.Run("tails", s.tails)
	t.Run("notes", s.notes)
	t.Run("work is shared", s.shared)
	t.Run("journal", s.journal)
	t.Run("text", s.text)
	t.Run("reading stops", s.stops)
}

type suite struct {
	fresh func(t *testing.T, ending string, partitions int) string
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), within)
	t.Cleanup(cancel)
	return ctx
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// at parses a name, and returns its transport and location.
func at(t *testing.T, name string) (topic.Transport, *topic.Location) {
	t.Helper()
	l := must[*topic.Location](t)(topic.Parse(name))
	return topic.Of(l), l
}

func header() *wire.Header {
	return &wire.Header{Version: wire.Version, Kind: wire.Kind_ROUNDS, Side: wire.Side_PRIVATE, Run: "run",
		Unit: wire.Unit_DOCUMENT}
}

// round returns the records of one round without units.
func round(number uint32) []*wire.Record {
	scheme := &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 9, Secret: true}
	return []*wire.Record{
		{Round: number, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}},
		{Round: number, Body: &wire.Record_RoundClose{RoundClose: new(wire.RoundClose)}},
	}
}

// write appends a stream of rounds to each partition; with end it also appends the end record.
func write(t *testing.T, name string, rounds int, end bool) {
	t.Helper()
	transport, l := at(t, name)
	for _, a := range must[[]topic.Appender](t)(transport.Append(soon(t), l)) {
		w := must[*stream.Writer](t)(stream.NewWriter(a, header(),
			must[*stream.Compressor](t)(stream.NewCompressor(stream.Fast))))
		for number := range rounds {
			for _, record := range round(uint32(number + 1)) {
				if err := w.Write(record); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if end {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// read returns the numbers of the rounds in a partition, up to its end record.
func read(t *testing.T, log topic.Log) (rounds []uint32) {
	t.Helper()
	defer log.Close()
	r := must[*stream.Reader](t)(stream.NewMergedReader(log, log.Name(), 0))
	for {
		record, err := r.Next()
		if err == io.EOF {
			return rounds
		}
		if err != nil {
			t.Fatal(err)
		}
		if record.GetRoundClose() != nil {
			rounds = append(rounds, record.Round)
		}
	}
}

func wantRounds(t *testing.T, what string, got []uint32, want int) {
	t.Helper()
	for i, number := range got {
		if number != uint32(i+1) {
			t.Errorf("%s holds rounds %v", what, got)
			return
		}
	}
	if len(got) != want {
		t.Errorf("%s holds rounds %v, want %d", what, got, want)
	}
}

// names checks that Parse returns the parts of a name, and that a private topic is recognized by its name. A missing
// topic must be refused (82).
func (s suite) names(t *testing.T) {
	name := s.fresh(t, "names"+topic.Private, partitions)
	transport, l := at(t, name+"?partition=1&from=oldest&group=g")
	if l.String() != name || !l.IsPrivate() || l.Partition != 1 || l.From != topic.Oldest || l.Group != "g" {
		t.Errorf("%s: %+v", name, l)
	}
	_, l = at(t, name)
	if err := transport.Find(soon(t), l); err != nil {
		t.Error(err)
	}
	if n, err := transport.Partitions(soon(t), l); n != partitions || err != nil {
		t.Errorf("%d partitions, %v", n, err)
	}
	gone := *l
	gone.Topic, gone.Patience = "nowhere"+topic.Private, time.Second
	if err := transport.Find(soon(t), &gone); exit.Code(err) != exit.Missing {
		t.Errorf("a topic that is not there: %v", err)
	}
	if err := transport.Create(soon(t), l,
		topic.Plan{Partitions: partitions + 1, Retention: time.Hour}); exit.Code(err) == exit.OK {
		t.Error("a topic that is there was made again, with another number of partitions")
	}
}

// streams checks that each partition is a separate log that is read in order. It opens all partitions, and one alone.
func (s suite) streams(t *testing.T) {
	name := s.fresh(t, "streams"+topic.Private, partitions)
	write(t, name, 4, true)
	transport, l := at(t, name)
	logs := must[[]topic.Log](t)(transport.Open(soon(t), l))
	if len(logs) != partitions {
		t.Fatalf("%d logs", len(logs))
	}
	for i, log := range logs {
		if log.Partition() != i {
			t.Errorf("log %d is of partition %d", i, log.Partition())
		}
		wantRounds(t, log.Name(), read(t, log), 4)
	}
	_, one := at(t, name+"?partition=2")
	if logs := must[[]topic.Log](t)(transport.Open(soon(t), one)); len(logs) != 1 || logs[0].Partition() != 2 {
		t.Errorf("partition=2 opens %d logs", len(logs))
	} else {
		logs[0].Close()
	}
	log := must[topic.Log](t)(transport.OpenAt(soon(t), l, 1, -1))
	for want := range 4 {
		m, err := log.Found()
		if err != nil || int(m.Round) != want+1 || !m.Closes || m.Header.GetKind() != wire.Kind_ROUNDS {
			t.Errorf("message %d: %+v, %v", want, m.Mark, err)
		}
	}
	log.Close()
}

// again checks that a stream which was begun again, as after a crash, is read once.
func (s suite) again(t *testing.T) {
	name := s.fresh(t, "again"+topic.Private, 1)
	write(t, name, 2, false)
	write(t, name, 3, true)
	transport, l := at(t, name)
	for _, log := range must[[]topic.Log](t)(transport.Open(soon(t), l)) {
		wantRounds(t, log.Name(), read(t, log), 3)
	}
}

// tails checks that the last message and the last wanted message are found, and that an empty partition has none.
func (s suite) tails(t *testing.T) {
	name := s.fresh(t, "tails"+topic.Private, partitions)
	transport, l := at(t, name)
	for i, tail := range must[[]topic.Tail](t)(transport.Tails(soon(t), l)) {
		if tail.Frame != nil || tail.Offset != 0 {
			t.Errorf("empty partition %d: %+v", i, tail)
		}
	}
	write(t, name+"?partition=1", 3, true)
	for i, tail := range must[[]topic.Tail](t)(transport.Tails(soon(t), l)) {
		if want := i == 1; (tail.Frame != nil) != want || tail.Ends != want {
			t.Errorf("partition %d: %+v", i, tail.Mark)
		}
	}
	_, one := at(t, name+"?partition=1")
	found, err := transport.Search(soon(t), one, func(m stream.Mark) bool { return m.Closes && !m.Ends && m.Round < 3 })
	if err != nil || found == nil || found.Round != 2 {
		t.Errorf("the last close before round 3: %+v, %v", found, err)
	}
	if found, err := transport.Search(soon(t), one, func(m stream.Mark) bool { return m.Round > 9 }); found != nil ||
		err != nil {
		t.Errorf("a round that is not there: %+v, %v", found, err)
	}
}

// notes checks that a group's note comes back to this group only, and that the partition confirms only a true note.
func (s suite) notes(t *testing.T) {
	name := s.fresh(t, "notes"+topic.Private, 1)
	write(t, name, 3, true)
	transport, l := at(t, name+"?group=notes")
	log := must[topic.Log](t)(transport.OpenAt(soon(t), l, 0, -1))
	for r := must[*stream.Reader](t)(stream.NewMergedReader(log, log.Name(), 0)); ; {
		record := must[*wire.Record](t)(r.Next())
		if record.Round == 2 && record.GetRoundClose() != nil {
			break
		}
	}
	defer log.Close()
	offset := log.Next()
	var hints []topic.Hint
	for range 100 { // a note may be lost, for example while a broker begins to serve a new group
		log.Note(2, 9)
		if hints = must[[]topic.Hint](t)(transport.Hints(soon(t), l)); len(hints) == 1 && hints[0].Round > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if len(hints) != 1 || hints[0].Round != 2 || hints[0].Planned != 9 || hints[0].Ended {
		t.Fatalf("noted %+v, want round 2 of 9", hints)
	}
	for _, c := range []struct {
		hint   topic.Hint
		stands bool
	}{{hints[0], true}, {topic.Hint{Offset: offset, Round: 3}, false}, {topic.Hint{Offset: 1 << 40, Round: 2}, false}} {
		if stands, err := transport.Stands(soon(t), l, c.hint); stands != c.stands || err != nil {
			t.Errorf("%+v stands: %v, %v, want %v", c.hint, stands, err, c.stands)
		}
	}
	_, other := at(t, name+"?group=others")
	if hints := must[[]topic.Hint](t)(transport.Hints(soon(t), other)); hints[0].Round != 0 || hints[0].Offset >= 0 {
		t.Errorf("another group noted %+v", hints)
	}
}

// shared checks that a group's members do all partitions, and that their notes are stored.
func (s suite) shared(t *testing.T) {
	name := s.fresh(t, "shared"+topic.Private, partitions)
	write(t, name, 1, true)
	transport, l := at(t, name+"?group=shared")
	done := make(chan int, 100)
	ended := func(ctx context.Context) (bool, error) {
		hints, err := transport.Hints(ctx, l)
		return err == nil && !slices.ContainsFunc(hints, func(h topic.Hint) bool { return !h.Ended }), err
	}
	failed := make(chan error)
	for range 2 {
		go func() {
			member, err := transport.Join(l, "answers"+topic.Private)
			if err == nil {
				err = member.Share(soon(t), func(ctx context.Context, partition int) error {
					done <- partition
					member.Note(ctx, partition, topic.Hint{Offset: 1, Ended: true})
					return nil
				}, ended)
				member.Close()
			}
			failed <- err
		}()
	}
	for range 2 {
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	seen := make(map[int]bool)
	for partition := range done {
		seen[partition] = true
	}
	if len(seen) != partitions {
		t.Errorf("partitions %v were done, of %d", seen, partitions)
	}
}

// journal checks that two programs append entries and read the same order.
func (s suite) journal(t *testing.T) {
	transport, l := at(t, s.fresh(t, "journal", 1))
	one, other := must[topic.Journal](t)(transport.OpenJournal(soon(t), l)),
		must[topic.Journal](t)(transport.OpenJournal(soon(t), l))
	defer one.Close()
	defer other.Close()
	for i := range 6 {
		if err := []topic.Journal{one, other}[i%2].Append([]byte(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	for first, j := range []topic.Journal{one, other, one} {
		entries := must[[][]byte](t)(j.Read(first))
		for i, e := range entries {
			if string(e) != fmt.Sprint(first+i) || len(entries) != 6-first {
				t.Errorf("%s reads %q after %d", j.Name(), entries, first)
				break
			}
		}
	}
	many, l := at(t, s.fresh(t, "many", 2))
	if _, err := many.OpenJournal(soon(t), l); exit.Code(err) != exit.Usage {
		t.Errorf("a journal of two partitions: %v", err)
	}
}

// text checks that messages are read as lines, and with until=end up to the end of the topic.
func (s suite) text(t *testing.T) {
	name := s.fresh(t, "text", 1)
	transport, l := at(t, name+"?until=end")
	j := must[topic.Journal](t)(transport.OpenJournal(soon(t), l))
	defer j.Close()
	for _, line := range []string{"one", "two\n", "three"} {
		if err := j.Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	in := must[io.ReadCloser](t)(transport.OpenText(soon(t), l))
	defer in.Close()
	if text, err := io.ReadAll(in); string(text) != "one\ntwo\nthree\n" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
}

// stops checks that a waiting reader ends with the cause that Stop gives, or when its context ends.
func (s suite) stops(t *testing.T) {
	transport, l := at(t, s.fresh(t, "stops"+topic.Private, 1))
	cause := exit.Errorf(exit.Refused, "stopped by a test")
	ctx, cancel := context.WithCancel(soon(t))
	for what, stop := range map[string]func(topic.Log){
		"Stop": func(log topic.Log) { log.Stop(cause) }, "context": func(topic.Log) { cancel() },
	} {
		log := must[topic.Log](t)(transport.OpenAt(ctx, l, 0, -1))
		time.AfterFunc(50*time.Millisecond, func() { stop(log) })
		_, err := log.Frame()
		if err == nil || what == "Stop" && exit.Code(err) != exit.Refused {
			t.Errorf("%s: %v", what, err)
		}
		log.Close()
		if what == "context" {
			ctx, cancel = context.WithCancel(soon(t))
		}
	}
	cancel()
}
