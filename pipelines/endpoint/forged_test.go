package endpoint_test

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	wirestream "privpipe/pipelines/wire/stream"
)

// forge appends a message whose frame has only the header of a stream, and whose own headers say more.
func forge(t *testing.T, address, topic string, h *wire.Header, mark, round string) {
	t.Helper()
	c, err := wirestream.NewCompressor(wirestream.None)
	if err != nil {
		t.Fatal(err)
	}
	header, err := wire.Append(nil, &wire.Record{Body: &wire.Record_Header{Header: h}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(address))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	r := &kgo.Record{Topic: topic, Value: c.AppendFrame(nil, header)}
	for _, header := range [][2]string{{"writer", "beef"}, {"frame", "0"}, {"since", "0"}, {"round", round},
		{"mark", mark}} {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: header[0], Value: []byte(header[1])})
	}
	if err := client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// TestForgedMarks: a message that only says that it closes a round, or ends the stream, in the rounds or among the
// answers, keeps no round from its answer, whenever the stage starts, and moves nobody who follows the answers.
func TestForgedMarks(t *testing.T) {
	for name, c := range map[string]struct{ mark, round string }{"close": {"close", "3"},
		"end": {"end", "4294967295"}} {
		for _, query := range []string{"", "?group=g"} {
			t.Run(name+query, func(t *testing.T) {
				t.Parallel()
				fake := broker.Fake(t, map[string]int{"rounds.private": 1, "answers.private": 1, "releases": 1})
				in, out := topic(fake.Address, "rounds.private"), topic(fake.Address, "answers.private")
				w := streams(t, in, roundsHeader("a"))[0]
				put(t, w, round(1, 3)...)
				forge(t, fake.Address, "rounds.private", roundsHeader("a"), c.mark, c.round)
				forge(t, fake.Address, "answers.private", roundsHeader("a"), c.mark, c.round)
				parts := [][]*wire.Record{round(1, 3)}
				for number := uint32(2); number <= 9; number++ {
					parts = append(parts, round(number, 3))
					put(t, w, round(number, 3)...)
				}
				if err := w.Commit(); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := testkit.Progress(15*time.Second, fake.Broker().Written("answers.private"))
				defer cancel()
				if err := endpoint.Share(ctx, in+query, rounds, out, (&copier{run: "a"}).work); err != nil {
					t.Fatal(err)
				}
				tails, err := endpoint.Tails(t.Context(), out, roundsHeader("a"))
				if err != nil || tails[0].Closed != 9 || !tails[0].Ended {
					t.Errorf("the answers are %+v, %v", tails, err)
				}
				r, _, err := endpoint.OpenStream(t.Context(), out, rounds)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				if got := all(t, r); !equal(got, parts...) {
					t.Errorf("%d records are answered", len(got))
				}
				follower, err := endpoint.Follow(ctx, topic(fake.Address, "releases"), "")
				if err != nil {
					t.Fatal(err)
				}
				defer follower.Close()
				h := numbersHeader()
				forge(t, fake.Address, "releases", h, c.mark, c.round)
				waited := make(chan error, 1)
				go func() { waited <- follower.Wait(1) }()
				put(t, streams(t, topic(fake.Address, "releases"), h)[0], releaseOf(1)...)
				if err := <-waited; err != nil || follower.Reached(2) {
					t.Errorf("round 2 is reached: %v, %v, exit code %d", follower.Reached(2), err, exit.Code(err))
				}
			})
		}
	}
}

func numbersHeader() *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_RELEASES, Side: wire.Side_PUBLIC, Unit: wire.Unit_DOCUMENT, Run: "a",
		Matrices: []*wire.Matrix{{Name: "a", Rows: 1, Columns: 1, Element: wire.Element_INT64}},
	}
}

func releaseOf(round uint32) []*wire.Record {
	head := &wire.Release{Mechanism: "none", Grid: 1, Scheme: &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 9}}
	return []*wire.Record{
		{Round: round, Body: &wire.Record_Release{Release: head}},
		{Round: round, Body: &wire.Record_Block{Block: &wire.Block{Values: make([]byte, 8)}}},
	}
}
