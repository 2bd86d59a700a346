package network

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit/simulation/effect"
)

// The faults of a request.
const (
	CutBefore  effect.Fault = "cut before"  // the broker never gets the request
	CutAfter   effect.Fault = "cut after"   // the broker acts, and the answer is lost
	LandsLate  effect.Fault = "lands late"  // the client loses its connection, and the broker acts later
	SlowAnswer effect.Fault = "slow answer" // the answer comes later than the client waits for it
	Doubled    effect.Fault = "doubled"     // the broker acts twice
)

// late is more than a client waits for an answer, and less than it tries again.
const late = 20 * time.Second

// fates has the fate for each fault.
var fates = map[effect.Fault]Fate{
	effect.None: {}, CutBefore: {Loss: Before}, CutAfter: {Loss: After}, LandsLate: {Loss: Late, Delay: late},
	SlowAnswer: {Answer: late}, Doubled: {Twice: true},
}

// broken has the faults of any request. Only requests that the broker may get twice from a client can be doubled.
var broken = []effect.Fault{CutBefore, CutAfter, LandsLate, SlowAnswer}

// Quiet are requests that are no effects. Some only read how the cluster is laid out: the client sends them by itself.
var Quiet = []kmsg.Key{kmsg.ApiVersions, kmsg.Metadata, kmsg.FindCoordinator}

// networks has the network of each scheduler.
var networks sync.Map

// Simulated returns a network where each request of a process is an effect of the scheduler, except Quiet ones and
// others that are named. The caller calls Close.
func Simulated(s *effect.Scheduler, quiet ...kmsg.Key) *Network {
	n := New(nil)
	n.judge, n.scheduler, n.quiet = n.effects, s, append(slices.Clip(Quiet), quiet...)
	networks.Store(s, n)
	return n
}

// Close forgets the network. Close the listeners before.
func (n *Network) Close() { networks.Delete(n.scheduler) }

// Dial connects the current process. It has the signature of net.Dialer.DialContext.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	p := effect.Current()
	if p == nil {
		return nil, errors.New("simulation: only a process dials here")
	}
	n, ok := networks.Load(p.Scheduler)
	if !ok {
		return nil, never(p, address)
	}
	return n.(*Network).dial(ctx, p, address)
}

// Answered returns the memory of brokers that the current process has.
func Answered() *sync.Map {
	return effect.Current().Local(answered{}, func() any { return new(sync.Map) }).(*sync.Map)
}

type answered struct{}

// names counts the names that a process has taken for a partition.
type names struct {
	topic     string
	partition int
}

// Name gives a writer of the current process a name of its own.
func Name(topic string, partition int, into []byte) {
	p := effect.Current()
	count := p.Local(names{topic, partition}, func() any { return new(atomic.Int64) }).(*atomic.Int64)
	sum := sha256.Sum256(fmt.Append(nil, p.Name, p.Life, topic, partition, count.Add(1)))
	copy(into, sum[:])
}

// never waits as all effects of a process do that has ended.
func never(p *effect.Process, address string) error {
	return p.Perform(&effect.Effect{Kind: "connect", Object: address, Do: func(effect.Fault) {}})
}

// dial connects a process that lives. Another waits as long as all its effects do.
func (n *Network) dial(ctx context.Context, p *effect.Process, address string) (net.Conn, error) {
	name := fmt.Sprintf("%s.%d", p.Name, p.Life)
	n.mutex.Lock()
	ended := n.ended[name]
	n.processes[name] = p
	n.mutex.Unlock()
	if ended {
		return nil, never(p, address)
	}
	return n.Dialer(name)(ctx, "tcp", address)
}

// effects makes each request an effect of its process.
func (n *Network) effects(r Request, deliver func(Fate)) {
	n.mutex.Lock()
	p := n.processes[r.Process]
	n.mutex.Unlock()
	if p == nil || slices.Contains(n.quiet, r.Key) { // the test itself asks without faults
		deliver(Fate{})
		return
	}
	faults := broken
	if r.Key == kmsg.Produce || r.Key == kmsg.OffsetCommit {
		faults = append(slices.Clip(faults), Doubled)
	}
	p.Perform(&effect.Effect{Kind: r.Key.Name(), Object: r.object(), Content: r.Body, Faults: faults,
		Do: func(fault effect.Fault) {
			p.Local(n, func() any {
				p.AtEnd(func() { n.end(r.Process) })
				return nil
			})
			if n.Asked != nil && fault != CutBefore {
				n.Asked(p, r)
			}
			deliver(fates[fault])
		}})
}

// end breaks the connections of a process that has ended.
func (n *Network) end(process string) {
	n.mutex.Lock()
	n.ended[process] = true
	n.mutex.Unlock()
	n.Kill(process)
}

// Parsed returns the request, or nil if its body is malformed.
func (r Request) Parsed() kmsg.Request {
	request := r.Key.Request()
	if request == nil || len(r.Body) < 2 {
		return nil
	}
	request.SetVersion(r.Version)
	client := max(0, int(int16(r.Body[0])<<8|int16(r.Body[1]))) // the size of the client's id; −1: it has none
	if len(r.Body) < 2+client+1 {
		return nil
	}
	body := r.Body[2+client:]
	if request.IsFlexible() {
		body = body[1:] // no tags
	}
	if request.ReadFrom(body) != nil {
		return nil
	}
	return request
}

// object names the first partition, or the group, of a request.
func (r Request) object() string {
	switch q := r.Parsed().(type) {
	case *kmsg.ProduceRequest:
		for _, topic := range q.Topics {
			for _, partition := range topic.Partitions {
				return fmt.Sprintf("%s/%d", topic.Topic, partition.Partition)
			}
		}
	case *kmsg.FetchRequest:
		for _, topic := range q.Topics {
			if topic.Topic == "" {
				topic.Topic = fmt.Sprintf("%x", topic.TopicID[:4])
			}
			for _, partition := range topic.Partitions {
				return fmt.Sprintf("%s/%d", topic.Topic, partition.Partition)
			}
		}
	case *kmsg.ListOffsetsRequest:
		for _, topic := range q.Topics {
			for _, partition := range topic.Partitions {
				return fmt.Sprintf("%s/%d", topic.Topic, partition.Partition)
			}
		}
	case *kmsg.CreateTopicsRequest:
		for _, topic := range q.Topics {
			return topic.Topic
		}
	case *kmsg.JoinGroupRequest:
		return q.Group
	case *kmsg.SyncGroupRequest:
		return q.Group
	case *kmsg.HeartbeatRequest:
		return q.Group
	case *kmsg.OffsetCommitRequest:
		return q.Group
	}
	return ""
}
