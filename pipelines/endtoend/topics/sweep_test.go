package topics

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit/broker"
)

// swept is how many rounds the swept runs have.
const swept = 2

// A sweep kills a stage at every write to the broker: one kill before the broker takes it, and one after, whose
// acknowledgement the stage never sees. Writes are messages, entries of a journal and notes of a group.
type sweep struct {
	t      *testing.T
	fake   broker.Faked
	folder string

	mutex   sync.Mutex
	victim  *os.Process
	dead    <-chan struct{} // closed when the victim has ended
	left    int             // writes until the kill; 0: no kill is to come
	applied bool            // the broker takes the last write
}

func newSweep(t *testing.T, topics map[string]int) *sweep {
	s := &sweep{t: t, fake: broker.Fake(t, topics), folder: t.TempDir()}
	for _, key := range []kmsg.Key{kmsg.Produce, kmsg.OffsetCommit} {
		s.fake.ControlKey(key.Int16(), s.write)
	}
	return s
}

// write is called before the broker takes a write.
func (s *sweep) write(kmsg.Request) (kmsg.Response, error, bool) {
	s.fake.KeepControl()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.left == 0 {
		return nil, nil, false
	}
	if s.left--; s.left > 0 {
		return nil, nil, false
	}
	s.victim.Kill()
	<-s.dead
	if s.applied {
		return nil, nil, false
	}
	return nil, errors.New("the stage was killed before"), true
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
	late := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
	err = c.Wait()
	close(dead)
	inTime := late.Stop()
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

// must runs a stage to its end.
func (s *sweep) must(folder, command string) {
	s.t.Helper()
	if _, err := s.run(folder, 0, false, command); err != nil {
		s.t.Fatal(err)
	}
}

// all kills a stage at each of its writes, in a folder of its own with topics of its own, and starts the same command again.
// begin makes what the stage needs and returns the command, and judge looks at what the two left.
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
func (s *sweep) url(topic string) string { return "kafka://" + s.fake.Address + "/" + topic }

// topic makes a topic and returns its name as the stages are given it.
func (s *sweep) topic(name string, partitions int) string {
	s.t.Helper()
	if err := s.fake.CreateTopic(name, int32(partitions), nil); err != nil {
		s.t.Fatal(err)
	}
	return s.url(name)
}
