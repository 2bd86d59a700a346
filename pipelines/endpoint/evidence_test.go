package endpoint_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// A noted offset is what somebody commits in a group for a partition.
type noted struct {
	offset int64
	note   string
}

// commit commits offsets as any client may: of each partition of a topic.
func commit(t *testing.T, address, group, topic string, offsets ...noted) {
	t.Helper()
	// which calls topics by name
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.MaxVersions(kversion.V3_0_0()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	of := kmsg.NewOffsetCommitRequestTopic()
	of.Topic = topic
	for i, o := range offsets {
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.Metadata = int32(i), o.offset, &o.note
		of.Partitions = append(of.Partitions, p)
	}
	request := kmsg.NewPtrOffsetCommitRequest()
	request.Group, request.Topics, request.Generation = group, append(request.Topics, of), -1
	answer, err := request.RequestWith(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range answer.Topics[0].Partitions {
		if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOffsetsDecideNothing: whatever stands in a group, all rounds are answered, and all that were not answered are
// read.
func TestOffsetsDecideNothing(t *testing.T) {
	parts := [][]*wire.Record{round(1, 3), round(2, 3), round(3, 3)}
	for name, offset := range map[string]noted{
		"reset to the end":                    {4, ""},
		"reset to the middle":                 {2, ""},
		"of a message that closes nothing":    {1, "round 3 of 9"},
		"of another round than is closed":     {1, "round 2 of 9"},
		"after the end, of a recreated topic": {40, "round 1 of 9"},
		"of answers that are not there":       {2, "round 2 of 9"},
		"of an end that is not there":         {4, "end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := broker.Fake(t, map[string]int{"rounds.private": 2, "answers.private": 2})
			in, out := topic(fake.Address, "rounds.private?group=g"), topic(fake.Address, "answers.private")
			for i := range 2 {
				fill(t, topic(fake.Address, "rounds.private")+[]string{"?partition=0", "?partition=1"}[i],
					roundsHeader("a"), parts...)
			}
			for _, w := range streams(t, out, roundsHeader("a")) {
				put(t, w, parts[0]...)
			}
			commit(t, fake.Address, "g", "rounds.private", offset, offset)
			ctx, cancel := testkit.Progress(15*time.Second, fake.Broker().Written("answers.private"))
			defer cancel()
			if offset.note != "end" {
				readers, _, err := endpoint.OpenStreams(t.Context(), in, endpoint.Wanted{Kinds: rounds.Kinds,
					Answers: out})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range readers {
					context.AfterFunc(ctx, func() { r.Close() })
					if got := all(t, r); !equal(got, parts...) {
						t.Errorf("%d records are read", len(got))
					}
				}
			}
			if err := endpoint.Share(ctx, in, rounds, out, (&copier{run: "a"}).work); err != nil {
				t.Fatal(err)
			}
			for _, partition := range []string{"?partition=0", "?partition=1"} {
				r, _, err := endpoint.OpenStream(t.Context(), out+partition, rounds)
				if err != nil || !equal(all(t, r), parts...) {
					t.Errorf("answers of %s: %v", partition, err)
				}
			}
		})
	}
}

// TestOffsetsThatStand: what the topic and the answers bear out is not read again.
func TestOffsetsThatStand(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 1, "answers.private": 1})
	in, out := topic(fake.Address, "rounds.private?group=g"), topic(fake.Address, "answers.private")
	fill(t, topic(fake.Address, "rounds.private"), roundsHeader("a"), round(1, 3), round(2, 3), round(3, 3))
	w := streams(t, out, roundsHeader("a"))[0]
	put(t, w, round(1, 3)...)
	put(t, w, round(2, 3)...)
	put(t, streams(t, out, roundsHeader("a"))[0], round(1, 3)...) // by a slower program
	commit(t, fake.Address, "g", "rounds.private", noted{2, "round 2 of 9"})
	wanted := endpoint.Wanted{Kinds: rounds.Kinds, Answers: out}
	r, _, err := endpoint.OpenStream(t.Context(), in, wanted)
	if err != nil || !equal(all(t, r), round(3, 3)) {
		t.Fatalf("not after round 2: %v", err)
	}
	fake.DeleteRecords("rounds.private", 0, 2) // the message that closes round 2 is gone, and none that is unread
	if r, _, err = endpoint.OpenStream(t.Context(), in, wanted); err != nil || !equal(all(t, r), round(3, 3)) {
		t.Errorf("retention took what was answered: %v", err)
	}
	fake.DeleteRecords("answers.private", 0, 3)
	if r, _, err = endpoint.OpenStream(t.Context(), in, wanted); err != nil || !equal(all(t, r), round(3, 3)) {
		t.Errorf("retention took all answers: %v", err)
	}
}

// TestSharedGroup: a group is of one stage of one run. Who answers elsewhere is not let in, and what was noted says
// nothing to who comes later.
func TestSharedGroup(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 2, "first.private": 2, "second.private": 2},
		kfake.GroupMinSessionTimeout(100*time.Millisecond))
	in := topic(fake.Address, "rounds.private?group=g&session=500ms")
	first, second := topic(fake.Address, "first.private"), topic(fake.Address, "second.private")
	parts := [][]*wire.Record{round(1, 3), round(2, 3)}
	fill(t, topic(fake.Address, "rounds.private"), roundsHeader("a"), parts...)
	hold, held := make(chan struct{}), make(chan struct{}, 2)
	ended := make(chan error, 1)
	go func() {
		ended <- endpoint.Share(t.Context(), in, rounds, first, func(ctx context.Context, p *endpoint.Partition) error {
			held <- struct{}{}
			<-hold
			return (&copier{run: "a"}).work(ctx, p)
		})
	}()
	select {
	case <-held:
	case err := <-ended:
		t.Fatal(err)
	}
	wantWords(t, endpoint.Share(t.Context(), in, rounds, second, (&copier{run: "a"}).work), exit.Usage,
		"group g is another stage's, or another run's", "a group of its own")
	close(hold)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	wantAnswers(t, first, parts...)
	if err := endpoint.Share(t.Context(), in, rounds, second, (&copier{run: "a"}).work); err != nil {
		t.Fatal(err)
	}
	wantAnswers(t, second, parts...)
}

// endAlone writes the end of a stream, as somebody may who has not written the stream.
func endAlone(t *testing.T, name string, h *wire.Header) {
	t.Helper()
	w := streams(t, name, h)[0]
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestForeignEnd: an end that another program wrote does not end a stage with rounds missing.
func TestForeignEnd(t *testing.T) {
	for name, before := range map[string][][]*wire.Record{"at the beginning": nil, "after a round": {round(1, 3)}} {
		t.Run(name, func(t *testing.T) {
			fake := broker.Fake(t, map[string]int{"rounds.private": 1, "answers.private": 1, "cut.private": 1})
			in, out := topic(fake.Address, "rounds.private"), topic(fake.Address, "answers.private")
			w := streams(t, in, roundsHeader("a"))[0]
			answer := streams(t, out, roundsHeader("a"))[0]
			for _, r := range before {
				put(t, w, r...)
				put(t, answer, r...)
			}
			endAlone(t, out, roundsHeader("a"))
			refused := errors.New("a work begins")
			begins := func(context.Context, *endpoint.Partition) error { return refused }
			if before != nil {
				wantWords(t, endpoint.Share(t.Context(), in, rounds, out, begins), exit.Malformed,
					"the answers of partition 0 have ended", "another program wrote the end record")
				put(t, w, round(2, 1)...)
				if err := w.Commit(); err != nil {
					t.Fatal(err)
				}
				wantWords(t, endpoint.Share(t.Context(), in, rounds, out, begins), exit.Malformed,
					"another program wrote the end record")
				commit(t, fake.Address, "g", "rounds.private", noted{1, "round 1 of 2"})
				wantWords(t, endpoint.Share(t.Context(), in+"?group=g", rounds, out, begins), exit.Malformed,
					"another program wrote the end record")
			}
			cut := topic(fake.Address, "cut.private")
			w = streams(t, cut, roundsHeader("a"))[0]
			for _, r := range before {
				put(t, w, r...)
			}
			endAlone(t, cut, roundsHeader("a"))
			put(t, w, round(2, 3)...)
			r, _, err := endpoint.OpenStream(t.Context(), cut, rounds)
			if err != nil {
				t.Fatal(err)
			}
			if got := all(t, r); !equal(got, before...) {
				t.Errorf("%d records before the end", len(got))
			}
			wantWords(t, r.Complete(), exit.Malformed, "cut.private[0]: it ends after round",
				"another program wrote the end record", "find who")
		})
	}
}

// TestComplete accepts an end record after the last planned round, also if only the end record is left to read, and any
// end of windows of time.
func TestComplete(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 1, "windows.private": 1, "answers.private": 1})
	name := topic(fake.Address, "rounds.private")
	last := round(9, 1)
	w := streams(t, name, roundsHeader("a"))[0]
	put(t, w, round(8, 1)...)
	put(t, w, last...)
	endAlone(t, name, roundsHeader("a"))
	put(t, streams(t, topic(fake.Address, "answers.private"), roundsHeader("a"))[0], last...)
	commit(t, fake.Address, "g", "rounds.private", noted{2, "round 9 of 9"})
	windows := round(3, 1)
	windows[0].GetRoundOpen().Scheme = &wire.Scheme{Method: wire.Scheme_EPOCH, Rate: 1. / 9, Rounds: 9, Coins: "state"}
	fill(t, topic(fake.Address, "windows.private"), roundsHeader("a"), windows)
	for _, name := range []string{"rounds.private", "rounds.private?group=g", "rounds.private?from=2",
		"windows.private"} {
		r, _, err := endpoint.OpenStream(t.Context(), topic(fake.Address, name),
			endpoint.Wanted{Kinds: rounds.Kinds, Answers: topic(fake.Address, "answers.private")})
		if err != nil {
			t.Fatal(err)
		}
		got := all(t, r)
		if err := r.Complete(); err != nil {
			t.Errorf("%s, %d records: %v", name, len(got), err)
		}
	}
}
