package job

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"privpipe/pipelines/wire/stream"
)

// TestWait: the parameters that have arrived decide which of them answer a round. A round after the previous one wants
// the previous round's parameters. With stale parameters it wants the parameters of the round before the previous one.
// Other arrivals matter only for whether the round is released already.
func TestWait(t *testing.T) {
	for _, test := range []struct {
		stale    uint32
		arrived  []uint32
		previous uint32
		of       uint32
		newest   uint32
		want     string
		once     bool // by a FIFO
	}{
		{0, []uint32{0}, 0, 0, 0, "", false},
		{0, []uint32{2}, 2, 2, 2, "", false},
		{0, []uint32{5}, 2, 5, 5, "", false}, // resumed
		{0, []uint32{1}, 2, 0, 0, "params: ends before the parameters after round 2", false},
		{1, []uint32{0}, 0, 0, 0, "", false},
		{1, []uint32{0}, 1, 0, 0, "", false},
		{1, []uint32{0, 1}, 1, 0, 1, "", false}, // not the newest, so that all workers answer alike
		{1, []uint32{1, 2}, 2, 1, 2, "", false},
		{1, []uint32{1}, 2, 1, 1, "", false},
		{1, []uint32{5}, 2, 5, 5, "", false},
		{1, []uint32{0, 1, 2, 3}, 3, 2, 3, "", false},
		{1, []uint32{0, 3}, 3, 3, 3, "", false}, // a round is missing
		{1, []uint32{0}, 2, 0, 0, "params: ends before the parameters after round 1", false},
		{1, []uint32{0}, 1, 0, 0, "", true},
		{1, []uint32{5}, 2, 5, 5, "", true}, // a round that is released
		{1, []uint32{5}, 4, 5, 5, "", true},
		{1, []uint32{5}, 5, 0, 0,
			"params: begins with the parameters after round 5, and --stale wants those after round 4", true},
		{1, []uint32{5, 6}, 6, 5, 6, "", true},
		{0, []uint32{5}, 5, 5, 5, "", true},
	} {
		p := &parameters{name: "params", stale: test.stale, once: test.once, err: io.EOF}
		p.change = sync.NewCond(&p.mutex)
		for _, round := range test.arrived {
			p.keep(&stream.Set{Round: round})
		}
		set, newest, err := p.wait(context.Background(), test.previous)
		switch {
		case test.want != "":
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%+v: %v", test, err)
			}
		case err != nil || set.Round != test.of || newest != test.newest:
			t.Errorf("%+v: %v, newest %d, %v", test, set, newest, err)
		}
	}
	for stale, kept := range []int{1, 2} {
		p := &parameters{stale: uint32(stale)}
		for round := range uint32(5) {
			p.keep(&stream.Set{Round: round})
		}
		if len(p.sets) != kept || p.sets[0].Round != uint32(5-kept) {
			t.Errorf("with %d stale, of 5 sets %d are kept, from round %d on", stale, len(p.sets), p.sets[0].Round)
		}
	}
	ended, stop := context.WithCancelCause(context.Background())
	stop(errors.New("stopped"))
	p := &parameters{name: "params"}
	p.change = sync.NewCond(&p.mutex)
	if _, _, err := p.wait(ended, 0); err == nil || err.Error() != "stopped" {
		t.Error(err)
	}
}
