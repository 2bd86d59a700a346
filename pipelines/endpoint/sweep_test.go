package endpoint_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/testkit/broker"
)

// A sweep ends the programs that write to a broker, each at its own write: those to a topic and the notes of a group of the same
// name.
type sweep struct {
	broker.Faked
	mutex sync.Mutex
	all   map[string]*victim
}

// A victim is a program that is to end.
type victim struct {
	left    int  // writes until then
	applied bool // the broker takes the last one
	end     context.CancelFunc
	ended   bool // what comes until it is started again was under way
}

var errKilled = errors.New("the program was killed before")

// write is called before the broker takes a write.
func (s *sweep) write(request kmsg.Request) (kmsg.Response, error, bool) {
	s.KeepControl()
	name := ""
	switch r := request.(type) {
	case *kmsg.ProduceRequest:
		name = r.Topics[0].Topic
	case *kmsg.OffsetCommitRequest:
		name = r.Group
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	v := s.all[name]
	switch {
	case v == nil:
		return nil, nil, false
	case v.ended:
		return nil, errKilled, true
	}
	if v.left--; v.left != 0 {
		return nil, nil, false
	}
	v.ended = true
	if v.end(); v.applied {
		return nil, nil, false
	}
	return nil, errKilled, true
}

// share shares the rounds until the program is to end, and says whether it came so far.
func (s *sweep) share(t *testing.T, name, in, out string, v *victim) (killed bool, err error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	v.end = cancel
	s.mutex.Lock()
	s.all[name] = v
	s.mutex.Unlock()
	err = endpoint.Share(ctx, in, rounds, out, (&copier{run: "a"}).work)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.all, name)
	if v.ended {
		return true, nil
	}
	return false, err
}

// TestShareSweep: wherever a member of a group ends, amid its answers, their end or its notes of either, the next one completes
// the answers, and comes to its end.
func TestShareSweep(t *testing.T) {
	for _, partitions := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(partitions), func(t *testing.T) {
			s := &sweep{Faked: broker.Fake(t, map[string]int{"rounds.private": partitions}), all: make(map[string]*victim)}
			for _, key := range []kmsg.Key{kmsg.Produce, kmsg.OffsetCommit} {
				s.ControlKey(key.Int16(), s.write)
			}
			for _, w := range streams(t, topic(s.Address, "rounds.private"), roundsHeader("a")) {
				put(t, w, round(1, 3)...)
				put(t, w, round(2, 3)...)
				if err := w.Commit(); err != nil {
					t.Fatal(err)
				}
			}
			places := partitions * 2 * (2 + 1) // two rounds and the end, and a note of each
			var programs sync.WaitGroup
			for place := range 2 * (places + 1) {
				programs.Go(func() {
					if err := s.goesOn(t, fmt.Sprintf("a%d.private", place), partitions, place/2+1, places, place%2 == 0); err != nil {
						t.Errorf("write %d of %d, taken: %v: %v", place/2+1, places, place%2 == 0, err)
					}
				})
			}
			programs.Wait()
			for place := range 2 * (places + 1) {
				readers, _, err := endpoint.OpenStreams(topic(s.Address, fmt.Sprintf("a%d.private?until=end", place)), rounds)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range readers {
					if got := all(t, r); !equal(got, round(1, 3), round(2, 3)) {
						t.Errorf("write %d: %s has %d records", place/2+1, r.Name(), len(got))
					}
					r.Close()
				}
			}
		})
	}
}

// goesOn ends a program at one of so many writes to a topic, or lets it be if there are fewer, and starts it again.
func (s *sweep) goesOn(t *testing.T, name string, partitions, write, writes int, applied bool) error {
	if err := s.CreateTopic(name, int32(partitions), nil); err != nil {
		return err
	}
	in, out := topic(s.Address, "rounds.private?group="+name), topic(s.Address, name)
	killed, err := s.share(t, name, in, out, &victim{left: write, applied: applied})
	if err == nil && killed != (write <= writes) {
		err = fmt.Errorf("killed: %v", killed)
	}
	if err == nil {
		_, err = s.share(t, name, in, out, &victim{left: -1})
	}
	return err
}
