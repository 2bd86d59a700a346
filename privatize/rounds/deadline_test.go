package rounds

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// TestDeadline: a round's time begins when the round before is whole, or at the start, and once a time is over nothing
// is in time any more.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeadline(time.Second)
		for last := range uint32(2) {
			d.begin(last)
			time.Sleep(600 * time.Millisecond)
			if d.running() != nil || d.met() != nil {
				t.Fatal("a round in time is late")
			}
		}
		d.begin(2)
		d.waits("c.private[0]", "", "c.private[2]")
		time.Sleep(1200 * time.Millisecond)
		synctest.Wait()
		for name, err := range map[string]error{"running": d.running(), "met": d.met(), "passed": <-d.passed} {
			if exit.Code(err) != exit.Malformed ||
				!strings.HasPrefix(err.Error(),
					"the round after 2, or the end, is not whole 1s after the wait for it began") ||
				!strings.HasSuffix(err.Error(), "; waiting for c.private[0], c.private[2]") {
				t.Errorf("%s: %v", name, err)
			}
		}
		d.begin(3)
		if d.running() == nil || d.met() == nil {
			t.Error("a later round is in time after one was not")
		}
	})
	d := newDeadline(0)
	if d.begin(0); d.met() != nil || d.running() != nil {
		t.Error("no limit is over")
	}
}

// TestDeadlineOfSilence: inputs that hold nothing but their header, or rounds and then nothing, are late.
func TestDeadlineOfSilence(t *testing.T) {
	for rounds, words := range []string{"the first round is not whole", "the round after 1, or the end, is not whole"} {
		synctest.Test(t, func(t *testing.T) {
			in := &silent{supplied{partition: partition{0, uint32(rounds)}, name: "one"}, make(chan struct{})}
			defer synctest.Wait()
			defer close(in.end)
			s := &Sources{deadline: newDeadline(time.Minute), streams: []supplier{in},
				headers: []*wire.Header{contributions}}
			err := s.deadline.within(func() error { return s.all(upTo(9)) })
			if exit.Code(err) != exit.Malformed || !strings.HasPrefix(err.Error(), words) ||
				!strings.HasSuffix(err.Error(), "waiting for one") {
				t.Errorf("after %d rounds: %v", rounds, err)
			}
		})
	}
}

// A silent partition has no end.
type silent struct {
	supplied
	end chan struct{}
}

func (s *silent) Answered(uint32) {}

func (s *silent) Next() (*wire.Record, error) {
	record, err := s.supplied.Next()
	if err == io.EOF {
		<-s.end
	}
	return record, err
}
