package endpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// answers is the header of what a copier answers.
func answers(run string) *wire.Header { return roundsHeader(run) }

// A copier answers each round with itself.
type copier struct {
	mutex sync.Mutex
	names []string // of the streams that it began
	limit int      // of rounds in one work, after which it dies; 0: none
	run   string
}

var errDied = errors.New("the program dies")

func (c *copier) work(ctx context.Context, in *endpoint.Partition) error {
	c.mutex.Lock()
	c.names = append(c.names, in.Name())
	c.mutex.Unlock()
	out, err := in.CreateStream(ctx, answers(c.run), "none")
	if err != nil {
		return err
	}
	defer out.Abort()
	for n := 0; ; {
		record, err := in.Next()
		if err == io.EOF {
			return out.Commit()
		}
		if err != nil {
			return err
		}
		if err := out.Write(record); err != nil {
			return err
		}
		if record.GetRoundClose() == nil {
			continue
		}
		if err := out.Flush(); err != nil {
			return err
		}
		in.Answered(record.Round)
		if n++; n == c.limit {
			return errDied
		}
	}
}

// wantAnswers checks the answers in each partition of the topic. Each partition holds the answers to one round less
// than the partition before.
func wantAnswers(t *testing.T, name string, parts ...[]*wire.Record) {
	t.Helper()
	readers, _, err := endpoint.OpenStreams(t.Context(), name, rounds)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range readers {
		if got := all(t, r); !equal(got, parts[i:]...) {
			t.Errorf("partition %d: %d records", i, len(got))
		}
		r.Close()
	}
}

var threeRounds = [][]*wire.Record{round(1, 30), round(2, 3), round(4, 5)}

// TestShare answers from and to files and topics, the partitions side by side.
func TestShare(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 3, "answers.private": 3, "one.private": 1,
		"back.private": 1})
	folder := t.TempDir()
	in, out := topic(fake.Address, "rounds.private"), topic(fake.Address, "answers.private")
	fill(t, in, roundsHeader("a"), threeRounds...)
	c := &copier{run: "a"}
	for range 2 { // the second one finds all done
		if err := endpoint.Share(t.Context(), in, rounds, out, c.work); err != nil {
			t.Fatal(err)
		}
	}
	if slices.Sort(c.names); !slices.Equal(c.names,
		[]string{"rounds.private[0]", "rounds.private[1]", "rounds.private[2]"}) {
		t.Errorf("works on %s", c.names)
	}
	wantAnswers(t, out, threeRounds...)

	file, answered := filepath.Join(folder, "rounds.pp"), filepath.Join(folder, "answers.pp")
	fill(t, file, roundsHeader("a"), threeRounds...)
	one, back := topic(fake.Address, "one.private"), topic(fake.Address, "back.private")
	for _, step := range [][2]string{{file, one}, {one, answered}, {answered, back}} {
		from, to := step[0], step[1]
		c := &copier{run: "a"}
		if err := endpoint.Share(t.Context(), from, rounds, to, c.work); err != nil {
			t.Fatalf("%s to %s: %v", from, to, err)
		}
		r, _, err := endpoint.OpenStream(t.Context(), to, rounds)
		if err != nil || !equal(all(t, r), threeRounds...) {
			t.Fatalf("%s to %s: %v", from, to, err)
		}
		r.Close()
	}

	other := topic(fake.Address, "other.private")
	fake.CreateTopic("other.private", 3, nil)
	if err := endpoint.Share(t.Context(), in+"?partition=1", rounds, other, (&copier{run: "a"}).work); err != nil {
		t.Fatal(err)
	}
	r, _, err := endpoint.OpenStream(t.Context(), other+"?partition=1", rounds)
	if err != nil || !equal(all(t, r), threeRounds[1:]...) {
		t.Errorf("of only partition 1:  %v", err)
	}
	if tails, err := endpoint.Tails(t.Context(), other,
		answers("a")); err != nil || tails[0].Closed > 0 || tails[2].Closed > 0 {
		t.Errorf("of only partition 1:  %+v, %v", tails, err)
	}
}

// TestShareGoesOn: a restarted program goes on after its last answer, with a group and without.
func TestShareGoesOn(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 2, "all.private": 2, "group.private": 2})
	in := topic(fake.Address, "rounds.private")
	fill(t, in, roundsHeader("a"), threeRounds...)
	for out, in := range map[string]string{"all.private": in, "group.private": in + "?group=estep"} {
		to := topic(fake.Address, out)
		begun := 0
		for dying := 0; ; dying++ {
			c := &copier{run: "a", limit: 1}
			err := endpoint.Share(t.Context(), in, rounds, to, c.work)
			begun += len(c.names)
			if err == nil {
				break
			}
			if !errors.Is(err, errDied) || dying > 6 {
				t.Fatalf("%s, time %d: %v", out, dying, err)
			}
		}
		wantAnswers(t, to, threeRounds...)
		if begun < 5 {
			t.Errorf("%s: works were begun %d times, though each stopped after a round", out, begun)
		}
	}
}

// TestShareGroup lets members of a group answer all partitions, while the broker forgets and refuses now and then.
func TestShareGroup(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 4, "answers.private": 4},
		kfake.GroupMinSessionTimeout(100*time.Millisecond))
	in, out := topic(fake.Address, "rounds.private?group=estep&session=500ms"), topic(fake.Address, "answers.private")
	parts := append(slices.Clone(threeRounds), round(7, 1))
	fill(t, topic(fake.Address, "rounds.private"), roundsHeader("a"), parts...)
	for key, err := range map[kmsg.Key]*kerr.Error{
		kmsg.OffsetCommit: kerr.RebalanceInProgress, kmsg.Produce: kerr.RequestTimedOut,
		kmsg.Heartbeat: kerr.UnknownMemberID, kmsg.Fetch: kerr.NotLeaderForPartition,
	} {
		fake.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: err, Count: 4})
	}
	var members sync.WaitGroup
	for i := range 3 {
		members.Go(func() {
			time.Sleep(time.Duration(i) * 300 * time.Millisecond)
			if err := endpoint.Share(t.Context(), in, rounds, out, (&copier{run: "a"}).work); err != nil {
				t.Error(err)
			}
		})
	}
	members.Wait()
	wantAnswers(t, out, parts...)
}

// patience is ten times what the slowest wait of these tests takes on a machine that does other work.
const patience = 5 * time.Minute

// TestShareEnded: a group is done when all answers are there. It does not matter that the member which completed them
// died before its note, or that a duplicate stands after the end record.
func TestShareEnded(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 2, "answers.private": 2})
	in, out := topic(fake.Address, "rounds.private"), topic(fake.Address, "answers.private")
	fill(t, in, roundsHeader("a"), threeRounds...)
	if err := endpoint.Share(t.Context(), in, rounds, out, (&copier{run: "a"}).work); err != nil {
		t.Fatal(err)
	}
	again := create0(t, out+"?partition=1", answers("a"))
	put(t, again, threeRounds[1]...) // by a slower program
	c := &copier{run: "a"}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := endpoint.Share(ctx, in+"?group=estep", rounds, out, c.work); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.names, []string{"rounds.private[1]"}) {
		t.Errorf("works on %s, want the one whose end does not show", c.names)
	}
	wantAnswers(t, out, threeRounds...)
}

// TestShareNoFrame: a message that nobody can read, behind an answered partition, is malformed. It does not make the
// answers another run's.
func TestShareNoFrame(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 1, "answers.private": 1})
	in, out := topic(fake.Address, "rounds.private"), topic(fake.Address, "answers.private")
	fill(t, in, roundsHeader("a"), threeRounds...)
	c := &copier{run: "a"}
	if err := endpoint.Share(t.Context(), in, rounds, out, c.work); err != nil {
		t.Fatal(err)
	}
	produce(t, fake.Address, "rounds.private", "this is no frame")
	err := endpoint.Share(t.Context(), in+"?group=estep", rounds, out, c.work)
	wantWords(t, err, exit.Malformed, "rounds.private[0]: the message at offset ")
	if err := fake.CreateTopic("others.private", 1, nil); err != nil {
		t.Fatal(err)
	}
	others := topic(fake.Address, "others.private")
	fill(t, others, roundsHeader("b"), threeRounds...)
	err = endpoint.Share(t.Context(), others+"?group=estep", rounds, out, c.work)
	wantWords(t, err, exit.Usage, "the existing answers are of another run")
}

func create0(t *testing.T, name string, h *wire.Header) *endpoint.StreamWriter {
	t.Helper()
	return streams(t, name, h)[0]
}

// TestShareRefuses: what cannot be shared, and what a work must not write.
func TestShareRefuses(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 3, "two.private": 2, "three.private": 3, "public": 3})
	in := topic(fake.Address, "rounds.private")
	fill(t, in, roundsHeader("a"), threeRounds...)
	folder := t.TempDir()
	outside := endpoint.Wanted{Kinds: rounds.Kinds, Side: wire.Side_PUBLIC}
	releases := endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_RELEASES}}
	for name, c := range map[string]struct {
		in, out string
		wanted  endpoint.Wanted
		code    int
		words   string
	}{
		"other partitions": {in, topic(fake.Address, "two.private"), rounds, exit.Usage, "has 3 partitions and"},
		"one file": {in, filepath.Join(folder, "out.pp"), rounds, exit.Usage,
			"has 3 partitions, and one stream needs one partition"},
		"a file of a group": {in + "?group=g&partition=0", filepath.Join(folder, "out.pp"), rounds, exit.Usage,
			"the answers of a group go to a topic"},
		"outside the wall": {in, topic(fake.Address, "three.private"), outside, exit.Usage, "outside the privacy wall"},
		"a public topic":   {in, topic(fake.Address, "public"), rounds, exit.Usage, "is for public records"},
		"another kind":     {in, topic(fake.Address, "three.private"), releases, exit.Malformed, "must be of RELEASES"},
		"no output": {in, topic(fake.Address, "none.private?patience=10ms"), rounds, exit.Missing,
			"no such topic"},
		"a wrong output": {in, "kafka://h/", rounds, exit.Usage, "a topic's name"},
		"a wrong input": {"kafka://h/t?x=1", topic(fake.Address, "three.private"), rounds, exit.Usage,
			`key "x" is unknown`},
	} {
		t.Run(name, func(t *testing.T) {
			err := endpoint.Share(t.Context(), c.in, c.wanted, c.out, (&copier{run: "a"}).work)
			wantWords(t, err, c.code, c.words)
		})
	}
}

// TestShareStops: the first work that fails ends the others, whatever they wait for, and so does the caller.
func TestShareStops(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 3, "answers.private": 3})
	in, out := topic(fake.Address, "rounds.private"), topic(fake.Address, "answers.private")
	for _, w := range streams(t, in, roundsHeader("a")) {
		put(t, w, round(1, 3)...) // and then nothing comes
	}
	cause := fmt.Errorf("stopped by a signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for _, query := range []string{"", "?group=estep"} {
		err := endpoint.Share(ctx, in+query, rounds, out, func(ctx context.Context, p *endpoint.Partition) error {
			if p.Name() == "rounds.private[1]" {
				return errDied
			}
			return (&copier{run: "a"}).work(ctx, p)
		})
		if !errors.Is(err, errDied) {
			t.Errorf("%q: %v", query, err)
		}
	}
	for _, query := range []string{"", "?group=again"} { // another group: what the first noted is done
		var begun sync.WaitGroup
		begun.Add(3)
		go func() {
			begun.Wait()
			cancel(cause)
		}()
		err := endpoint.Share(ctx, in+query, rounds, out, func(ctx context.Context, p *endpoint.Partition) error {
			begun.Done()
			return (&copier{run: "a"}).work(ctx, p)
		})
		if !errors.Is(err, cause) {
			t.Errorf("%q: %v", query, err)
		}
		ctx, cancel = context.WithCancelCause(t.Context())
		defer cancel(nil)
	}
}

// TestShareOldNote: a killed worker leaves a note that is some rounds old. Where retention has deleted messages after
// it, the work goes on from the oldest message if that is of an answered round, and only then.
func TestShareOldNote(t *testing.T) {
	for name, c := range map[string]struct {
		answered uint32
		deleted  int64 // messages, of two a round
		code     int
	}{
		"amid an answered round":    {2, 3, exit.OK},
		"amid one that is not":      {1, 3, exit.Malformed},
		"after the answered rounds": {1, 4, exit.Malformed},
		"nothing is answered":       {0, 3, exit.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := broker.Fake(t, map[string]int{"rounds.private": 1, "answers.private": 1},
				kfake.GroupMinSessionTimeout(100*time.Millisecond))
			in, out := topic(fake.Address, "rounds.private"), topic(fake.Address, "answers.private")
			w := streams(t, in, roundsHeader("a"))[0]
			answers := streams(t, out, roundsHeader("a"))[0]
			for number := range uint32(3) {
				records := round(number+1, 3)
				put(t, w, records[:2]...)
				put(t, w, records[2:]...)
				if number < c.answered {
					put(t, answers, records...)
				}
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			commit(t, fake.Address, "estep", "rounds.private", noted{2, "round 1 of 9"})
			fake.DeleteRecords("rounds.private", 0, c.deleted)
			copied := &copier{run: "a"}
			err := endpoint.Share(t.Context(), in+"?group=estep&session=500ms", rounds, out, copied.work)
			if exit.Code(err) != c.code {
				t.Fatalf("%v, want exit code %d", err, c.code)
			}
			if c.code == exit.OK {
				wantAnswers(t, out, round(1, 3), round(2, 3), round(3, 3))
			}
		})
	}
}
