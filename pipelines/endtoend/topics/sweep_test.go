package topics

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// swept is how many rounds the swept runs have.
const swept = 2

// A sweep kills a stage at every write to the broker: one kill before the broker takes it, and one after, whose
// acknowledgement the stage never sees. Writes are messages, entries of a journal and notes of a group.
type sweep struct {
	t       *testing.T
	broker  *broker.Broker
	address string // by which the stages reach it
	name    string // that the names of topics and groups begin with
	folder  string

	mutex   sync.Mutex
	victim  *os.Process
	dead    <-chan struct{} // closed when the victim has ended
	left    int             // writes until the kill; 0: no kill is to come
	writes  atomic.Int64    // so far
	applied bool            // the broker takes the last write
}

func newSweep(t *testing.T, b *broker.Broker) *sweep {
	s := &sweep{t: t, broker: b, name: fmt.Sprintf("sweep-%x.", rand.Uint64()), folder: t.TempDir()}
	s.address = broker.Relay(t, b.Address, func(request kmsg.Request, pass func()) {
		switch request.(type) {
		case *kmsg.ProduceRequest, *kmsg.OffsetCommitRequest:
			s.write(pass)
		default:
			pass()
		}
	})
	return s
}

// write is called before the broker takes a write. The lock is held until the broker has taken it, so that a stage does
// not start again before.
func (s *sweep) write(pass func()) {
	s.writes.Add(1)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	kill := s.left == 1
	s.left = max(0, s.left-1)
	if kill {
		s.victim.Kill()
		<-s.dead
	}
	if !kill || s.applied {
		pass()
	}
}

// run runs a stage and kills it at a write, if that is not 0. It says whether the stage came to its end.
func (s *sweep) run(folder string, write int, applied bool, command string) (ended bool, err error) {
	arguments := strings.Fields(command)
	c := exec.Command(arguments[0], arguments[1:]...)
	c.Dir = folder
	var stderr bytes.Buffer
	c.Stderr = &stderr
	dead := make(chan struct{})
	s.mutex.Lock()
	if err := c.Start(); err != nil {
		s.mutex.Unlock()
		return false, err
	}
	s.victim, s.dead, s.left, s.applied = c.Process, dead, write, applied
	s.mutex.Unlock()
	ctx, end := s.progress(folder)
	defer end()
	late := context.AfterFunc(ctx, func() { c.Process.Kill() })
	err = c.Wait()
	close(dead)
	inTime := late()
	s.mutex.Lock()
	killed := write > 0 && s.left == 0
	s.left = 0
	s.mutex.Unlock()
	switch {
	case err == nil:
		return true, nil
	case killed && inTime:
		return false, nil
	}
	return false, fmt.Errorf("%s: %w (in time: %v)\n%s", command, err, inTime, stderr.String())
}

// progress ends when the stages write neither to the broker nor to a folder.
func (s *sweep) progress(folder string) (context.Context, context.CancelFunc) {
	return testkit.Progress(scripted, s.writes.Load, testkit.Files(folder))
}

// must runs a stage to its end.
func (s *sweep) must(folder, command string) {
	s.t.Helper()
	if _, err := s.run(folder, 0, false, command); err != nil {
		s.t.Fatal(err)
	}
}

// all kills a stage at each of its writes, in a folder of its own with topics of its own, and starts the same command
// again. begin makes what the stage needs and returns the command, and judge looks at what the two left.
func (s *sweep) all(begin func(place, folder string) (command string), judge func(place, folder string) error) {
	s.t.Helper()
	places := 0
	for _, applied := range []bool{false, true} {
		for write := 1; ; write++ {
			place := fmt.Sprintf("%d-%v", write, applied)
			folder := filepath.Join(s.folder, place)
			if err := os.Mkdir(folder, 0o700); err != nil {
				s.t.Fatal(err)
			}
			command := begin(place, folder)
			ended, err := s.run(folder, write, applied, command)
			if err == nil && !ended {
				_, err = s.run(folder, 0, false, command)
			}
			if err == nil {
				err = judge(place, folder)
			}
			if err != nil {
				s.t.Errorf("write %d, taken: %v: %v", write, applied, err)
			}
			if ended {
				break
			}
			places++
		}
	}
	s.t.Logf("%d kills", places)
	if places < 2*swept {
		s.t.Errorf("%d kills: the stage wrote nothing", places)
	}
}

// url is the name of a topic.
func (s *sweep) url(topic string) string { return "kafka://" + s.address + "/" + s.name + topic }

// topic makes a topic and returns its name as the stages are given it.
func (s *sweep) topic(name string, partitions int) string {
	s.t.Helper()
	s.broker.Create(s.t, s.name+name, partitions, nil)
	return s.url(name)
}
