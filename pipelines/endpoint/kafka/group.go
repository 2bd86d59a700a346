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
	"privpipe/pipelines/metrics"
)

// A Member shares a topic's partitions with the other members of its consumer group.
type Member struct {
	client *client
	group  *kafka.ConsumerGroup

	mutex sync.Mutex
	// the group's current generation, used to commit notes; nil before the first generation
	generation *kafka.Generation
	notes      map[int]Hint // the notes that the broker has not taken yet, by partition
}

// rejoin is how long a member waits after an error before it joins again.
const rejoin = time.Second

// A dealer assigns partitions to members. Its protocol name holds the input topic and the output topic. The broker
// refuses a member if its protocol name differs from the group's. So stages or runs with different topics cannot share
// a group.
type dealer struct {
	kafka.RangeGroupBalancer
	name string
}

// ProtocolName implements kafka.GroupBalancer.
func (d dealer) ProtocolName() string { return d.name }

// Join makes the program a member of the location's group. All members write their answers to the same topic.
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
		HeartbeatInterval: l.Session / 5, SessionTimeout: l.Session, RebalanceTimeout: l.Session,
		JoinGroupBackoff: rejoin,
		Timeout:          answer,
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

// Note commits the progress in a partition: see Hint. If the broker refuses the note, for example during a rebalance,
// the member sends the note again later.
func (m *Member) Note(ctx context.Context, partition int, h Hint) {
	m.mutex.Lock()
	if ctx.Err() == nil {
		m.notes[partition] = h
	}
	m.mutex.Unlock()
	m.note(ctx)
}

// begin makes the member commit its notes in a new generation of the group. It drops the notes for partitions that this
// generation assigns to other members, since those members know their progress better.
func (m *Member) begin(generation *kafka.Generation) {
	assigned := generation.Assignments[m.client.Topic]
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.generation = generation
	maps.DeleteFunc(m.notes, func(partition int, _ Hint) bool {
		return !slices.ContainsFunc(assigned, func(a kafka.PartitionAssignment) bool { return a.ID == partition })
	})
}

// note commits the notes that the broker has not taken yet.
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

// Work works on one partition until its context ends or the partition is done.
type Work = func(ctx context.Context, partition int) error

// Share calls work concurrently for each partition that the group assigns to this member. It cancels a call when its
// partition is assigned to another member. Share returns when finished says that no member has work left, or when work
// fails.
func (m *Member) Share(ctx context.Context, work Work, finished func(context.Context) (bool, error)) error {
	if _, err := m.client.partitions(ctx); err != nil { // notes bear the topic's id
		return err
	}
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
	pause := rejoin
	for {
		select {
		case err := <-failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-idle:
			if busy--; busy == 0 { // the others may be done, too: nobody waits a second for the end
				pause = firstPause
				tick.Reset(pause)
			}
		case generation := <-generations:
			assigned := generation.Assignments[m.client.Topic]
			for partition, stop := range running {
				if !slices.ContainsFunc(assigned, func(a kafka.PartitionAssignment) bool { return a.ID == partition }) {
					stop()
					delete(running, partition)
				}
			}
			m.begin(generation) // the cancelled calls commit no more notes by now
			for _, a := range assigned {
				if running[a.ID] != nil {
					continue // work on this partition goes on through the rebalance
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
			pause = min(2*pause, rejoin)
			tick.Reset(pause)
			if busy > 0 {
				continue
			}
			if done, err := finished(ctx); done || err != nil {
				return err
			}
		}
	}
}

// follow sends each generation of the group to a channel. If the group cannot be reached, follow retries until Patience
// has passed.
func (m *Member) follow(ctx context.Context, to chan<- *kafka.Generation) error {
	var lost time.Time
	found := func() {}
	defer func() { found() }()
	for {
		generation, err := m.group.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			lost = time.Time{}
			found()
			select {
			case to <- generation:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		case lost.IsZero():
			lost = time.Now()
			found = metrics.AwaitAnswer(m.client.Topic, m.client.awaits("join group "+m.client.Group))
		// the other members may be dead, and leave after the session
		case errors.Is(err, kafka.InconsistentGroupProtocol) && time.Since(lost) < 2*m.client.Session:
		case !passing(err) && !joining(err), time.Since(lost) > m.client.Patience:
			return m.client.failed("join group "+m.client.Group, err)
		}
	}
}

// joining says whether an error comes from a rebalance. A member that joins again is then in the group.
func joining(err error) bool {
	return errors.Is(err, kafka.RebalanceInProgress) || errors.Is(err, kafka.UnknownMemberId) ||
		errors.Is(err, kafka.IllegalGeneration)
}
