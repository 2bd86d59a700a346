package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
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

// fates has what each fault does.
var fates = map[effect.Fault]Fate{
	effect.None: {}, CutBefore: {Loss: Before}, CutAfter: {Loss: After}, LandsLate: {Loss: Late, Delay: late},
	SlowAnswer: {Answer: late}, Doubled: {Twice: true},
}

// broken has the faults of any request. Only requests that the broker may get twice from a client can be doubled.
var broken = []effect.Fault{CutBefore, CutAfter, LandsLate, SlowAnswer}

// looks are requests that are no effects: they only read how the cluster is laid out. The client sends them by itself.
var looks = []kmsg.Key{kmsg.ApiVersions, kmsg.Metadata, kmsg.FindCoordinator}

// networks has the network of each scheduler.
var networks sync.Map

// Simulated returns a network where each request of a process is an effect of the scheduler. The caller calls Close.
func Simulated(s *effect.Scheduler) *Network {
	n := New(nil)
	n.judge, n.scheduler = n.effects, s
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
		return nil, errors.New("simulation: the network is gone")
	}
	return n.(*Network).dial(ctx, p, address)
}

// dial connects a process that lives. Another waits as long as all its effects do.
func (n *Network) dial(ctx context.Context, p *effect.Process, address string) (net.Conn, error) {
	name := fmt.Sprintf("%s.%d", p.Name, p.Life)
	n.mutex.Lock()
	ended := n.ended[name]
	n.processes[name] = p
	n.mutex.Unlock()
	if ended {
		return nil, p.Perform(&effect.Effect{Kind: "connect", Object: address, Do: func(effect.Fault) {}})
	}
	return n.Dialer(name)(ctx, "tcp", address)
}

// effects makes each request an effect of its process.
func (n *Network) effects(r Request, deliver func(Fate)) {
	n.mutex.Lock()
	p := n.processes[r.Process]
	n.mutex.Unlock()
	if p == nil || slices.Contains(looks, r.Key) { // the test itself asks without faults
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

// object names the first partition, or the group, of a request.
func (r Request) object() string {
	request := r.Key.Request()
	if request == nil {
		return ""
	}
	request.SetVersion(r.Version)
	body := r.Body
	if len(body) < 2 {
		return ""
	}
	if size := int(int16(body[0])<<8 | int16(body[1])); size >= 0 && 2+size <= len(body) {
		body = body[2+size:]
	} else {
		body = body[2:]
	}
	if request.IsFlexible() && len(body) > 0 {
		body = body[1:] // no tags
	}
	if request.ReadFrom(body) != nil {
		return ""
	}
	switch q := request.(type) {
	case *kmsg.ProduceRequest:
		for _, topic := range q.Topics {
			for _, partition := range topic.Partitions {
				return fmt.Sprintf("%s/%d", topic.Topic, partition.Partition)
			}
		}
	case *kmsg.FetchRequest:
		for _, topic := range q.Topics {
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
