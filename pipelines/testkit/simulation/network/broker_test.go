package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/simulation/effect"
)

// traces is how many runs TestTraces has.
const traces = "PRIVPIPE_TRACES"

const (
	messages = 5 // by each writer
	session  = 5 * time.Minute
)

// A sharing is a run of two writers, each to its partition, and of two members of a group that read both.
type sharing struct {
	s     *effect.Scheduler
	trace []string
	took  time.Duration // of virtual time

	mutex sync.Mutex
	read  map[string]int // how often each message was read
}

// share runs a sharing. Faults strike as planned; a member that is killed never comes back.
func share(t *testing.T, seed uint64, plan ...effect.Planned) *sharing {
	run := &sharing{read: make(map[string]int)}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		run.s = effect.New(seed, plan)
		run.s.Limit = time.Hour
		run.s.Trace = func(line string) {
			run.trace = append(run.trace, fmt.Sprint(time.Since(begun), " ", line))
		}
		n := Simulated(run.s)
		defer n.Close()
		fake := broker.Fake(t, map[string]int{"a": 2}, kfake.ListenFn(broker.Mending(n.Listen)))
		var all []*effect.Process
		for i := range 2 {
			all = append(all, run.s.Start(fmt.Sprint("writer", i), 1, func(p *effect.Process) {
				client, end := client(p, fake.Address)
				defer end()
				for number := range messages {
					text := fmt.Sprintf("%d.%d", i, number)
					for produce(p.Context, client, i, text) != nil && p.Context.Err() == nil {
						time.Sleep(time.Second)
					}
				}
			}), run.s.Start(fmt.Sprint("reader", i), 1, func(p *effect.Process) { run.member(p, fake.Address) }))
		}
		err := run.s.Run(func() bool {
			return !slices.ContainsFunc(all, func(p *effect.Process) bool { return !p.Ended() })
		})
		if err != nil {
			t.Errorf("seed %d, %v: %v\n%s", seed, plan, err, strings.Join(run.trace, "\n"))
		}
		run.took = time.Since(begun)
		fake.Close()
		run.s.Close()
	})
	return run
}

func client(p *effect.Process, address string) (*kafka.Client, func()) {
	transport := &kafka.Transport{Dial: Dial, MetadataTTL: time.Minute, MetadataTopics: []string{"a"},
		Context: p.Context}
	return &kafka.Client{Addr: kafka.TCP(address), Transport: transport, Timeout: 15 * time.Second},
		transport.CloseIdleConnections
}

func produce(ctx context.Context, c *kafka.Client, partition int, text string) error {
	answer, err := c.Produce(ctx, &kafka.ProduceRequest{Topic: "a", Partition: partition,
		RequiredAcks: kafka.RequireAll,
		Records:      kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes([]byte(text))})})
	if err != nil {
		return err
	}
	return answer.Error
}

// member reads the partitions that the group gives it, until the group has noted the last message of both.
func (run *sharing) member(p *effect.Process, address string) {
	c, end := client(p, address)
	defer end()
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{ID: "g", Brokers: []string{address},
		Topics: []string{"a"}, Dialer: &kafka.Dialer{ClientID: "m", DialFunc: Dial},
		HeartbeatInterval: session / 5, SessionTimeout: session, RebalanceTimeout: session,
		JoinGroupBackoff: time.Second, Timeout: 15 * time.Second})
	if err != nil {
		panic(err)
	}
	defer group.Close()
	ctx, done := context.WithCancel(p.Context)
	defer done()
	for ctx.Err() == nil {
		generation, err := group.Next(ctx)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		for _, a := range generation.Assignments["a"] {
			generation.Start(func(ctx context.Context) { run.follow(ctx, c, generation, a.ID, a.Offset) })
		}
		generation.Start(func(own context.Context) {
			for own.Err() == nil {
				if finished(own, c) {
					done()
					return
				}
				select {
				case <-own.Done():
				case <-time.After(10 * time.Second):
				}
			}
		})
	}
}

// follow reads a partition from an offset on, and notes each message.
func (run *sharing) follow(ctx context.Context, c *kafka.Client, g *kafka.Generation, partition int, offset int64) {
	offset = max(0, offset)
	for ctx.Err() == nil {
		answer, err := c.Fetch(ctx, &kafka.FetchRequest{Topic: "a", Partition: partition, Offset: offset, MinBytes: 1,
			MaxBytes: 1 << 20, MaxWait: 10 * time.Second})
		if err == nil {
			err = answer.Error
		}
		for err == nil {
			record, end := answer.Records.ReadRecord()
			if end != nil {
				if !errors.Is(end, io.EOF) {
					err = end
				}
				break
			}
			value, _ := kafka.ReadAll(record.Value)
			if record.Offset < offset {
				continue
			}
			run.mutex.Lock()
			run.read[string(value)]++
			run.mutex.Unlock()
			if err = note(ctx, c, g, partition, record.Offset+1); err == nil { // else the message is read again
				offset = record.Offset + 1
			}
		}
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

// note commits an offset on a connection of its own, as the stages do.
func note(ctx context.Context, c *kafka.Client, g *kafka.Generation, partition int, offset int64) error {
	answer, err := c.OffsetCommit(ctx, &kafka.OffsetCommitRequest{GroupID: "g", GenerationID: int(g.ID),
		MemberID: g.MemberID, Topics: map[string][]kafka.OffsetCommit{"a": {{Partition: partition, Offset: offset}}}})
	if err != nil {
		return err
	}
	return answer.Topics["a"][0].Error
}

// finished says whether the group has noted as many messages as both writers write, at least.
func finished(ctx context.Context, c *kafka.Client) bool {
	answer, err := c.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: "g", Topics: map[string][]int{"a": {0, 1}}})
	if err != nil || answer.Error != nil {
		return false
	}
	noted := answer.Topics["a"]
	return len(noted) == 2 && noted[0].CommittedOffset >= messages && noted[1].CommittedOffset >= messages
}

// TestBubble: client, broker and group in virtual time, with the modules as they are.
func TestBubble(t *testing.T) {
	for seed := range uint64(5) {
		for _, plan := range [][]effect.Planned{nil, {{Process: "reader0", Effect: 5, Fault: effect.Kill}}} {
			run := share(t, seed, plan...)
			if len(run.read) != 2*messages {
				t.Errorf("seed %d: read %v\n%s", seed, run.read, strings.Join(run.trace, "\n"))
			}
		}
	}
}

// disturbed runs a sharing with up to three faults, all by its seed. The second reader is never killed.
func disturbed(t *testing.T, seed uint64) *sharing {
	random := rand.New(rand.NewPCG(seed, 1))
	any := append(slices.Clone(broken), Doubled, effect.Kill, effect.Pause)
	var plan []effect.Planned
	for range random.IntN(4) {
		p := effect.Planned{Process: []string{"writer0", "writer1", "reader0", "reader1"}[random.IntN(4)],
			Effect: 1 + random.IntN(15), Fault: any[random.IntN(len(any))]}
		if p.Fault == effect.Kill && p.Process != "reader0" {
			p.Process = "reader0"
		}
		plan = append(plan, p)
	}
	return share(t, seed, plan...)
}

// TestTraces is the inner part of TestSameTrace. It runs seeds again and again: each run of a seed has the same trace.
func TestTraces(t *testing.T) {
	times, _ := strconv.Atoi(os.Getenv(traces))
	if times == 0 {
		t.Skip("TestSameTrace runs it, with other modules")
	}
	first := make(map[uint64]*sharing)
	expelled := 0 // runs that waited until a member's session was over
	different, struck := make(map[uint64]bool), make(map[effect.Fault]int)
	for i := range times {
		seed := uint64(i % (times / 10))
		run := disturbed(t, seed)
		switch before := first[seed]; {
		case before == nil:
			first[seed] = run
			different[run.s.Sum()] = true
			if run.took >= session {
				expelled++
			}
			for _, p := range run.s.Struck() {
				struck[p.Fault]++
			}
		case !slices.Equal(before.trace, run.trace):
			t.Fatalf("seed %d:\n%s\n\nbefore:\n%s", seed, strings.Join(run.trace, "\n"),
				strings.Join(before.trace, "\n"))
		}
		if len(run.read) != 2*messages {
			t.Fatalf("seed %d: read %v\n%s", seed, run.read, strings.Join(run.trace, "\n"))
		}
	}
	if len(different) != len(first) || expelled == 0 {
		t.Errorf("%d seeds have %d traces; %d waited for a session", len(first), len(different), expelled)
	}
	t.Log(len(first), "seeds, faults:", struck)
}
