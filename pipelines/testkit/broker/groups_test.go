package broker

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit"
)

// A member is one of a group, by requests of its own.
type member struct {
	subject
	topic, group string
	id           string
	generation   int
	leads        bool
	others       []string // ids of all members, where it leads
}

// join joins, again where the broker wants the id that it gave.
func (m *member) join(protocol string) error {
	for {
		answer, err := m.c.JoinGroup(m.t.Context(), &kafka.JoinGroupRequest{GroupID: m.group, MemberID: m.id,
			ProtocolType: "consumer", SessionTimeout: session, RebalanceTimeout: within,
			Protocols: []kafka.GroupProtocol{{Name: protocol,
				Metadata: kafka.GroupProtocolSubscription{Topics: []string{m.topic}}}}})
		if err != nil {
			return err
		}
		if m.id == "" && errors.Is(answer.Error, kafka.MemberIDRequired) {
			m.id = answer.MemberID
			continue
		}
		m.id, m.generation, m.others = answer.MemberID, answer.GenerationID, nil
		m.leads = answer.LeaderID == m.id
		for _, other := range answer.Members {
			m.others = append(m.others, other.ID)
		}
		return answer.Error
	}
}

// sync gets the member's partitions. The leader gives each member the partition of its place among them.
func (m *member) sync() ([]int, error) {
	var all []kafka.SyncGroupRequestAssignment
	for i, id := range m.others {
		all = append(all, kafka.SyncGroupRequestAssignment{MemberID: id, Assignment: kafka.GroupProtocolAssignment{
			AssignedPartitions: map[string][]int{m.topic: {i}}}})
	}
	answer, err := m.c.SyncGroup(m.t.Context(), &kafka.SyncGroupRequest{GroupID: m.group, GenerationID: m.generation,
		MemberID: m.id, ProtocolType: "consumer", ProtocolName: "answers", Assignments: all})
	if err != nil {
		return nil, err
	}
	return answer.Assignment.AssignedPartitions[m.topic], answer.Error
}

// beat asks by another client than the stages', which takes no error out of the answer.
func (m *member) beat() error {
	request := kmsg.NewPtrHeartbeatRequest()
	request.Group, request.Generation, request.MemberID = m.group, int32(m.generation), m.id
	client, err := kgo.NewClient(m.options()...)
	if err != nil {
		return err
	}
	defer client.Close()
	answer, err := request.RequestWith(m.t.Context(), client)
	if err != nil || answer.ErrorCode == 0 {
		return err
	}
	return kafka.Error(answer.ErrorCode)
}

// commit notes an offset with a text.
func (m *member) commit(partition int, offset int64, note string) error {
	noted := []kafka.OffsetCommit{{Partition: partition, Offset: offset, Metadata: note}}
	answer, err := m.c.OffsetCommit(m.t.Context(), &kafka.OffsetCommitRequest{GroupID: m.group,
		GenerationID: m.generation, MemberID: m.id, Topics: map[string][]kafka.OffsetCommit{m.topic: noted}})
	if err != nil {
		return err
	}
	return answer.Topics[m.topic][0].Error
}

// noted returns what a group has noted of partitions 0 and 1. A group that noted nothing is known to some brokers only.
func (m *member) noted() (one, two kafka.OffsetFetchPartition, err error) {
	one.CommittedOffset, two.CommittedOffset = -1, -1
	answer, err := m.c.OffsetFetch(m.t.Context(), &kafka.OffsetFetchRequest{GroupID: m.group,
		Topics: map[string][]int{m.topic: {0, 1}}})
	switch {
	case err != nil:
		return one, two, err
	case errors.Is(answer.Error, kafka.GroupIdNotFound):
		return one, two, nil
	}
	all := answer.Topics[m.topic]
	if answer.Error != nil || len(all) != 2 {
		return one, two, cmp.Or(answer.Error, errors.New("not two partitions"))
	}
	slices.SortFunc(all, func(a, b kafka.OffsetFetchPartition) int { return a.Partition - b.Partition })
	return all[0], all[1], errors.Join(all[0].Error, all[1].Error)
}

// coordinated waits until the broker serves the group: Kafka makes the topic of the groups' notes for the first of
// them.
func (m *member) coordinated() error {
	ctx, end := testkit.Progress(within)
	defer end()
	var err error
	wait := testkit.Wait(ctx, func() bool {
		_, _, err = m.noted()
		code := kafka.Error(0)
		return !errors.As(err, &code) || !code.Temporary()
	})
	return errors.Join(wait, err)
}

func committed(s subject) error {
	topic := s.Topic(s.t, "t", 2, nil)
	m := &member{subject: s, topic: topic, group: topic, generation: -1}
	if err := m.coordinated(); err != nil {
		return err
	}
	before, _, err := m.noted()
	commit := m.commit(0, 7, "round 3")
	one, other, after := m.noted()
	stranger := &member{subject: s, topic: topic, group: topic + "2"}
	none, _, elsewhere := stranger.noted()
	return errors.Join(err, commit, after, elsewhere, differs("before", before.CommittedOffset, -1),
		differs("offset", one.CommittedOffset, 7), differs("note", one.Metadata, "round 3"),
		differs("another partition", other.CommittedOffset, -1), differs("another group", none.CommittedOffset, -1))
}

// together makes two members that share a group.
func (s subject) together() (first, second *member, err error) {
	topic := s.Topic(s.t, "t", 2, nil)
	first = &member{subject: s, topic: topic, group: topic}
	other := s
	other.c = s.client() // a join waits for the others
	second = &member{subject: other, topic: topic, group: topic}
	if err := errors.Join(first.coordinated(), first.join("answers")); err != nil {
		return nil, nil, err
	}
	if own, err := first.sync(); err != nil || len(own) != 1 {
		return nil, nil, errors.Join(err, differs("alone", own, "[0]"))
	}
	joined := make(chan error)
	go func() { joined <- second.join("answers") }()
	var beat error
	ctx, end := testkit.Progress(within)
	defer end()
	wait := testkit.Wait(ctx, func() bool {
		beat = first.beat()
		return beat != nil
	})
	again := first.join("answers")
	if err := errors.Join(wait, refused("a heartbeat", beat, kafka.RebalanceInProgress), again, <-joined); err != nil {
		return nil, nil, err
	}
	if first.leads == second.leads {
		return nil, nil, errors.New("not one of two members leads")
	}
	return first, second, differs("generations", first.generation, second.generation)
}

func sharedGroup(s subject) error {
	first, second, err := s.together()
	if err != nil {
		return err
	}
	type share struct {
		own []int
		err error
	}
	shares := make(chan share, 2)
	for _, m := range []*member{first, second} {
		go func() {
			own, err := m.sync()
			shares <- share{own, err}
		}()
	}
	one, two := <-shares, <-shares
	if err := errors.Join(one.err, two.err); err != nil {
		return err
	}
	old, unknown, stranger := *first, *first, &member{subject: s, topic: first.topic, group: first.group}
	old.generation--
	unknown.id += "x"
	all := []error{differs("shares", len(one.own)+len(two.own), 2), differs("partitions", one.own[0]+two.own[0], 1),
		first.beat(), second.beat(), first.commit(0, 5, "first"),
		refused("an older generation", old.commit(0, 6, "old"), kafka.IllegalGeneration),
		refused("an unknown member", unknown.commit(0, 6, "unknown"), kafka.UnknownMemberId),
		refused("another protocol", stranger.join("others"), kafka.InconsistentGroupProtocol)}
	noted, _, err := first.noted()
	all = append(all, err, differs("noted", noted.CommittedOffset, 5))
	answer, err := first.c.LeaveGroup(first.t.Context(), &kafka.LeaveGroupRequest{GroupID: first.group,
		Members: []kafka.LeaveGroupRequestMember{{ID: first.id}}})
	if err == nil {
		err = answer.Error
	}
	ctx, end := testkit.Progress(within)
	defer end()
	var beat error
	wait := testkit.Wait(ctx, func() bool {
		beat = second.beat()
		return beat != nil
	})
	all = append(all, err, wait, refused("a member has left", beat, kafka.RebalanceInProgress), second.join("answers"),
		differs("members", len(second.others), 1))
	return errors.Join(all...)
}

// session is how long a member may be silent.
const session = 3 * time.Second

// expelled: who is silent for the time of its session is a member no more, and another takes its place.
func expelled(s subject) error {
	first, second, err := s.together()
	if err != nil {
		return err
	}
	var beat error
	ctx, end := testkit.Progress(within)
	defer end()
	wait := testkit.Wait(ctx, func() bool { // the first says nothing
		beat = second.beat()
		return errors.Is(beat, kafka.UnknownMemberId) ||
			errors.Is(beat, kafka.RebalanceInProgress) && second.join("answers") == nil && len(second.others) == 1
	})
	return errors.Join(wait, refused("its heartbeat", first.beat(), kafka.UnknownMemberId))
}

// oneLeader: if the leader falls silent, one of the members that join after it leads, and all know who.
func oneLeader(s subject) error {
	topic := s.Topic(s.t, "t", 2, nil)
	silent := &member{subject: s, topic: topic, group: topic}
	if err := errors.Join(silent.coordinated(), silent.join("answers")); err != nil {
		return err
	}
	if _, err := silent.sync(); err != nil {
		return err
	}
	leads := make(chan bool, 2)
	joined := make(chan error, 2)
	for range 2 {
		other := s
		other.c = s.client()
		m := &member{subject: other, topic: topic, group: topic}
		go func() {
			joined <- m.join("answers")
			leads <- m.leads
		}()
	}
	err := errors.Join(<-joined, <-joined)
	if one, other := <-leads, <-leads; err == nil && one == other {
		return fmt.Errorf("both of two members lead, or none: %v", one)
	}
	return err
}
