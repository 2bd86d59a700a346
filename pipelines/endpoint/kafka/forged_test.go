package kafka

import (
	"testing"

	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// TestForgedHeaders: another program writes a message. Its frame holds only the stream's header, and its own headers
// announce rounds or the end. This message changes nothing: neither the partition's tail, nor the result of a search,
// nor the beginning of the newest set, nor a follower's view.
func TestForgedHeaders(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t": 1, "u": 1})
	empty := header(wire.Kind_RELEASES)
	empty.Matrices[0].Columns = 3
	for topic, late := range map[string]bool{"t": true, "u": false} {
		l := location(t, fake.Address, topic, "?from=newest")
		forge := func() {
			for _, c := range [][]string{{"round=3", "since=0", "mark=close"},
				{"round=4294967295", "since=0", "mark=end"}, {"round=7", "since=5"}} {
				put(t, l, 0, framed(t, empty), headersOf(append(c, "writer=beef", "frame=0")...)...)
			}
		}
		if !late {
			forge()
		}
		play(t, l, "a1 a1. a2 a2.")
		if late {
			forge()
		}
		begins := map[bool]int64{true: 2, false: 5}[late]
		tails, err := Tails(soon(t), l)
		if err != nil || tails[0].Mark != (stream.Mark{Round: 2, Closes: true}) || tails[0].Offset != begins+1 {
			t.Errorf("%s: the tail is %+v, %v", topic, tails[0], err)
		}
		for name, wanted := range map[string]func(stream.Mark) bool{
			"end":     func(m stream.Mark) bool { return m.Ends },
			"round 3": func(m stream.Mark) bool { return m.Round >= 3 },
		} {
			if m, err := Search(soon(t), l, wanted); err != nil || m != nil {
				t.Errorf("%s: a search for %s finds %+v, %v", topic, name, m, err)
			}
		}
		if got := openLog(t, l).next; got != begins {
			t.Errorf("%s: the newest set begins at %d, want %d", topic, got, begins)
		}
		for _, offset := range []int64{1, 5, 6, 7} {
			for _, round := range []uint32{3, 7, 1<<32 - 1} {
				if stands, err := Stands(soon(t), l, Hint{Offset: offset, Round: round}); err != nil || stands {
					t.Errorf("%s: the note of round %d before offset %d stands, %v", topic, round, offset, err)
				}
			}
		}
		oldest := *l
		oldest.From = "oldest"
		log := openLog(t, &oldest)
		// The first message, and those that close or end something by their headers.
		for _, offset := range map[bool][]int64{true: {0, 1, 3, 4, 5}, false: {0, 1, 4, 6}}[late] {
			m, err := log.Found()
			closes := offset == begins-1 || offset == begins+1
			if err != nil || log.next != offset+1 || m.Header == nil || m.Round > 2 || m.Ends || m.Closes != closes {
				t.Errorf("%s: at offset %d: %+v, %v, next is %d", topic, offset, m.Mark, err, log.next)
			}
		}
	}
}
