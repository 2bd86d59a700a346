package kafka

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/exit"
)

// A Member is a program that shares the partitions of a topic with the others of its group.
type Member struct {
	client *client
	group  *kafka.ConsumerGroup

	mutex      sync.Mutex
	generation *kafka.Generation // of the group, in which notes are made; nil before the first
	notes      map[int]Hint      // that the broker has not taken yet, by partition
}

// rejoin is how long a member waits after an error before it joins again.
const rejoin = time.Second

// A dealer deals partitions. Its name is of what is read and what is answered: the broker lets no program into a group whose
// members deal by another name, and so no stage and no run among those of another.
type dealer struct {
	kafka.RangeGroupBalancer
	name string
}

// ProtocolName implements kafka.GroupBalancer.
func (d dealer) ProtocolName() string { return d.name }

// Join makes the program a member of the location's group, all of which write to the same topic of answers.
func Join(l *Location, answers string) (*Member, error) {
	c, err := newClient(l)
	if err != nil {
		return nil, err
	}
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: l.Group, Brokers: l.Brokers, Topics: []string{l.Topic},
		Dialer: &kafka.Dialer{
			ClientID: c.transport.ClientID, Timeout: answer, TLS: c.transport.TLS, SASLMechanism: c.transport.SASL,
		},
		GroupBalancers:    []kafka.GroupBalancer{dealer{name: l.Topic + " to " + answers}},
		HeartbeatInterval: l.Session / 5, SessionTimeout: l.Session, RebalanceTimeout: l.Session, JoinGroupBackoff: rejoin,
		Timeout: answer,
	})
	if err != nil {
		c.leave()
		return nil, exit.Errorf(exit.Usage, "%s: group %s: %w", l, l.Group, err)
	}
	return &Member{client: c, group: group, notes: make(map[int]Hint)}, nil
}

// Close leaves the group.
func (m *Member) Close() error {
	defer m.client.leave()
	return m.group.Close()
}

// Note notes how far a partition was worked off: see Hint. What the broker does not take, as amid a rebalance, it is told
// again later.
func (m *Member) Note(ctx context.Context, partition int, h Hint) {
	m.mutex.Lock()
	if ctx.Err() == nil {
		m.notes[partition] = h
	}
	m.mutex.Unlock()
	m.note(ctx)
}

// begin makes notes in a generation of the group from now on, and drops those of partitions that it assigns to others, who know
// better.
func (m *Member) begin(generation *kafka.Generation) {
	assigned := generation.Assignments[m.client.Topic]
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.generation = generation
	maps.DeleteFunc(m.notes, func(partition int, _ Hint) bool {
		return !slices.ContainsFunc(assigned, func(a kafka.PartitionAssignment) bool { return a.ID == partition })
	})
}

// note makes the notes that are left.
func (m *Member) note(ctx context.Context) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.generation == nil {
		return
	}
	for partition, h := range m.notes {
		if m.client.note(ctx, partition, h, int(m.generation.ID), m.generation.MemberID) == nil {
			delete(m.notes, partition)
		}
	}
}

// Work does one partition, until its context ends or it is done.
type Work = func(ctx context.Context, partition int) error

// Share does the work of the partitions that the group assigns to this member, side by side, and stops it where they are
// assigned to another. It goes on until finished says that nothing is left for anyone, or a work fails.
func (m *Member) Share(ctx context.Context, work Work, finished func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	generations, failed := make(chan *kafka.Generation), make(chan error, 1)
	fail := func(err error) {
		select {
		case failed <- err:
		default:
		}
	}
	go func() {
		defer exit.Guard()
		fail(m.follow(ctx, generations))
	}()
	running := make(map[int]context.CancelFunc)
	idle := make(chan int)
	busy := 0
	tick := time.NewTicker(rejoin)
	defer tick.Stop()
	for {
		select {
		case err := <-failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-idle:
			busy--
		case generation := <-generations:
			assigned := generation.Assignments[m.client.Topic]
			for partition, stop := range running {
				if !slices.ContainsFunc(assigned, func(a kafka.PartitionAssignment) bool { return a.ID == partition }) {
					stop()
					delete(running, partition)
				}
			}
			m.begin(generation) // now that works that were stopped make no more notes
			for _, a := range assigned {
				if running[a.ID] != nil {
					continue // it goes on through a rebalance
				}
				own, stop := context.WithCancel(ctx)
				running[a.ID] = stop
				busy++
				all.Go(func() {
					defer stop()
					defer exit.Guard()
					if err := work(own, a.ID); err != nil && own.Err() == nil {
						fail(err)
					}
					select {
					case idle <- a.ID:
					case <-ctx.Done():
					}
				})
			}
		case <-tick.C:
			m.note(ctx)
			if busy > 0 {
				continue
			}
			if done, err := finished(ctx); done || err != nil {
				return err
			}
		}
	}
}

// follow passes generation after generation on. Where the group cannot be reached, it tries until patience is at its end.
func (m *Member) follow(ctx context.Context, to chan<- *kafka.Generation) error {
	var lost time.Time
	for {
		generation, err := m.group.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			lost = time.Time{}
			select {
			case to <- generation:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		case lost.IsZero():
			lost = time.Now()
		case errors.Is(err, kafka.InconsistentGroupProtocol) && time.Since(lost) < 2*m.client.Session: // of members that are dead, perhaps
		case !passing(err) && !joining(err), time.Since(lost) > m.client.Patience:
			return m.client.failed("join group "+m.client.Group, err)
		}
	}
}

// joining says whether an error is of a group whose members come and go: one who joins again is in it.
func joining(err error) bool {
	return errors.Is(err, kafka.RebalanceInProgress) || errors.Is(err, kafka.UnknownMemberId) ||
		errors.Is(err, kafka.IllegalGeneration)
}
