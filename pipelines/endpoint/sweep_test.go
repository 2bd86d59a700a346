package endpoint_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// A sweep ends the programs that write to the broker, each at its own write. The writes are messages to one topic and
// notes of the group with the same name.
type sweep struct {
	broker  *broker.Broker
	address string // by which the programs reach it
	mutex   sync.Mutex
	all     map[string]*victim
}

func newSweep(t *testing.T, b *broker.Broker) *sweep {
	s := &sweep{broker: b, all: make(map[string]*victim)}
	s.address = broker.Relay(t, b.Address, s.see)
	return s
}

// A victim is a program that is to end.
type victim struct {
	left    int  // writes until then
	applied bool // the broker takes the last one
	end     context.CancelFunc
	ended   bool // what comes until it is started again was under way
}

// see ends a victim at its write. The lock is held until the broker has taken that, so that no program goes on before.
func (s *sweep) see(request kmsg.Request, pass func()) {
	name := ""
	switch r := request.(type) {
	case *kmsg.ProduceRequest:
		name = r.Topics[0].Topic
	case *kmsg.OffsetCommitRequest:
		name = r.Group
	}
	s.mutex.Lock()
	v := s.all[name]
	if v == nil {
		s.mutex.Unlock()
		pass()
		return
	}
	defer s.mutex.Unlock()
	if v.ended {
		return
	}
	if v.left--; v.left != 0 {
		pass()
		return
	}
	v.ended = true
	if v.end(); v.applied {
		pass()
	}
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

// TestShareSweep ends one member of the group at each of its writes: answers, end records and notes. The next member
// then completes the answers, and ends without an error.
func TestShareSweep(t *testing.T) {
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		for _, partitions := range []int{1, 2, 8} {
			t.Run(fmt.Sprint(partitions), func(t *testing.T) {
				if partitions != 2 {
					testkit.Deep(t, "kafka")
				}
				newSweep(t, b).everywhere(t, partitions)
			})
		}
	})
}

// everywhere ends a program at each of its writes.
func (s *sweep) everywhere(t *testing.T, partitions int) {
	questions := s.broker.Topic(t, "rounds.private", partitions, nil)
	for _, w := range streams(t, topic(s.broker.Address, questions), roundsHeader("a")) {
		put(t, w, round(1, 3)...)
		put(t, w, round(2, 3)...)
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	writes := partitions * 2 * (2 + 1) // two rounds and the end, and a note of each
	names := make([]string, 2*(writes+1))
	var programs sync.WaitGroup
	for place := range names {
		names[place] = s.broker.Topic(t, "answers.private", partitions, nil)
		programs.Go(func() {
			write, taken := place/2+1, place%2 == 0
			if err := s.goesOn(t, questions, names[place], write, writes, taken); err != nil {
				t.Errorf("write %d of %d, taken: %v: %v", write, writes, taken, err)
			}
		})
	}
	programs.Wait()
	for place, name := range names {
		readers, _, err := endpoint.OpenStreams(t.Context(), topic(s.broker.Address, name+"?until=end"), rounds)
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
}

// goesOn ends a program at one of so many writes to a topic, or lets it be if there are fewer, and starts it again.
func (s *sweep) goesOn(t *testing.T, questions, name string, write, writes int, taken bool) error {
	in, out := topic(s.address, questions+"?group="+name), topic(s.address, name)
	killed, err := s.share(t, name, in, out, &victim{left: write, applied: taken})
	if err == nil && killed != (write <= writes) {
		err = fmt.Errorf("killed: %v", killed)
	}
	if err == nil {
		_, err = s.share(t, name, in, out, &victim{left: -1})
	}
	return err
}
