package broker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit"
)

// make asks for a topic as the stages do.
func (s subject) make(topic string, partitions, replicas int) error {
	answer, err := s.c.CreateTopics(s.t.Context(), &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{
		{Topic: topic, NumPartitions: partitions, ReplicationFactor: replicas}}})
	if err != nil {
		return err
	}
	return answer.Errors[topic]
}

// partitions is how many a topic has, or why it has none.
func (s subject) partitions(topic string) (int, error) {
	answer, err := s.c.Metadata(s.t.Context(), &kafka.MetadataRequest{Topics: []string{topic}})
	if err != nil {
		return 0, err
	}
	return len(answer.Topics[0].Partitions), answer.Topics[0].Error
}

func topicOnce(s subject) error {
	topic := s.Topic(s.t, "t", 3, nil)
	n, err := s.partitions(topic)
	return errors.Join(err, differs("partitions", n, 3),
		refused("again", s.make(topic, 3, 1), kafka.TopicAlreadyExists),
		refused("otherwise", s.make(topic, 4, 1), kafka.TopicAlreadyExists),
		refused("three replicas on one broker", s.make(topic+"3", 1, 3), kafka.InvalidReplicationFactor))
}

func unknownTopic(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil) + ".unknown"
	if produce(s.c, topic, 0, []byte("x")) == nil {
		return errors.New("it takes a message")
	}
	_, err := s.partitions(topic)
	return refused("metadata", err, kafka.UnknownTopicOrPartition)
}

func recreated(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil)
	if err := produce(s.c, topic, 0, words("a b")...); err != nil {
		return err
	}
	before := s.id(topic)
	s.ask(s.t, func(ctx context.Context, client *kgo.Client) error {
		if err := remove(ctx, client, topic); err != nil {
			return err
		}
		var err error
		wait := testkit.Wait(ctx, func() bool { // Kafka takes the name back a moment later
			err = create(ctx, client, topic, 1, nil)
			return !errors.Is(err, kerr.TopicAlreadyExists)
		})
		return errors.Join(wait, err, led(ctx, client, topic))
	})
	empty, c := s.End(s.t, topic, 0), s.client() // one that knows nothing of the topic before
	if err := produce(c, topic, 0, []byte("c")); err != nil {
		return err
	}
	values, err := fetch(c, topic, 0, 0)
	after := s.id(topic)
	return errors.Join(err, differs("end", empty, 0), differs("messages", fmt.Sprintf("%s", values), "[c]"),
		differs("no id, or the id of before", after == before || after == [16]byte{} || before == [16]byte{}, false),
		refused("a fetch by the id of before", s.fetchByID(before), kafka.UnknownTopicID), s.fetchByID(after))
}

// id is the id of a topic.
func (s subject) id(topic string) (id [16]byte) {
	s.ask(s.t, func(ctx context.Context, client *kgo.Client) error {
		named := kmsg.NewMetadataRequestTopic()
		named.Topic = &topic
		request := kmsg.NewPtrMetadataRequest()
		request.Topics = append(request.Topics, named)
		answer, err := request.RequestWith(ctx, client)
		if err == nil {
			id = answer.Topics[0].TopicID
		}
		return err
	})
	return id
}

// fetchByID fetches from partition 0 of the topic with an id, and returns the broker's error.
func (s subject) fetchByID(id [16]byte) (failed error) {
	s.ask(s.t, func(ctx context.Context, client *kgo.Client) error {
		of, which := kmsg.NewFetchRequestTopic(), kmsg.NewFetchRequestTopicPartition()
		which.PartitionMaxBytes = 1 << 20
		of.TopicID, of.Partitions = id, append(of.Partitions, which)
		request := kmsg.NewPtrFetchRequest()
		request.Version, request.MaxBytes, request.MaxWaitMillis, request.ReplicaID = 13, 1<<20, 100, -1
		request.SessionEpoch, request.Topics = -1, append(request.Topics, of)
		answer, err := client.SeedBrokers()[0].Request(ctx, request)
		if err != nil {
			return err
		}
		got := answer.(*kmsg.FetchResponse)
		code := got.ErrorCode
		if code == 0 {
			code = got.Topics[0].Partitions[0].ErrorCode
		}
		if code != 0 {
			failed = kafka.Error(code)
		}
		return nil
	})
	return failed
}

func addedPartitions(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil)
	answer, err := s.c.CreatePartitions(s.t.Context(), &kafka.CreatePartitionsRequest{
		Topics: []kafka.TopicPartitionsConfig{{Name: topic, Count: 3}}})
	if err != nil {
		return err
	}
	ctx, end := testkit.Progress(within)
	defer end()
	wait := testkit.Wait(ctx, func() bool { // clients hear of it a moment later
		s.c = s.client()
		n, err := s.partitions(topic)
		return n == 3 && err == nil && produce(s.c, topic, 2, []byte("x")) == nil
	})
	return errors.Join(answer.Errors[topic], wait, differs("end", s.End(s.t, topic, 2), 1))
}

func shownSettings(s subject) error {
	set := map[string]string{"retention.ms": "3600000", "message.timestamp.type": "LogAppendTime",
		"min.insync.replicas": "1", "unclean.leader.election.enable": "false"}
	topic := s.Topic(s.t, "t", 1, set)
	answer, err := s.c.DescribeConfigs(s.t.Context(), &kafka.DescribeConfigsRequest{Resources: []kafka.
		DescribeConfigRequestResource{{ResourceType: kafka.ResourceTypeTopic, ResourceName: topic}}})
	if err != nil {
		return err
	}
	all := []error{answer.Resources[0].Error}
	shown := make(map[string]string)
	for _, entry := range answer.Resources[0].ConfigEntries {
		shown[entry.ConfigName] = entry.ConfigValue
	}
	set["cleanup.policy"] = "delete" // by default
	for name, want := range set {
		all = append(all, differs(name, shown[name], want))
	}
	return errors.Join(all...)
}

func compacted(s subject) error {
	topic := s.Topic(s.t, "t", 1, map[string]string{"cleanup.policy": "compact"})
	return refused("no key", produce(s.c, topic, 0, []byte("x")), kafka.InvalidRecord)
}

func sizes(s subject) error {
	usual := s.Topic(s.t, "t", 1, nil)
	small := s.Topic(s.t, "t", 1, map[string]string{"max.message.bytes": "10000"})
	large := []byte(strings.Repeat("x", 1_000_000))
	return errors.Join(produce(s.c, usual, 0, large), produce(s.c, small, 0, large[:9000]),
		refused("beyond the default", produce(s.c, usual, 0, large, large[:100_000]), kafka.MessageSizeTooLarge),
		refused("beyond a setting", produce(s.c, small, 0, large[:20_000]), kafka.MessageSizeTooLarge),
		differs("end", s.End(s.t, usual, 0)+s.End(s.t, small, 0), 2))
}

func deletedRecords(s subject) error {
	topic := s.Topic(s.t, "t", 1, nil)
	if err := produce(s.c, topic, 0, words("a b c")...); err != nil {
		return err
	}
	s.Delete(s.t, topic, 0, 2)
	first, err := s.offset(topic, kafka.FirstOffsetOf(0))
	_, before := fetch(s.c, topic, 0, 1)
	_, beyond := fetch(s.c, topic, 0, 4)
	values, at := fetch(s.c, topic, 0, 2)
	return errors.Join(err, at, differs("first", first, 2), differs("end", s.End(s.t, topic, 0), 3),
		differs("message", fmt.Sprintf("%s", values), "[c]"),
		refused("before", before, kafka.OffsetOutOfRange), refused("beyond", beyond, kafka.OffsetOutOfRange))
}

// offset asks for an offset as the stages do.
func (s subject) offset(topic string, wanted kafka.OffsetRequest) (int64, error) {
	answer, err := s.c.ListOffsets(s.t.Context(), &kafka.ListOffsetsRequest{
		Topics: map[string][]kafka.OffsetRequest{topic: {wanted}}})
	if err != nil {
		return 0, err
	}
	p := answer.Topics[topic][0]
	for offset := range p.Offsets { // asked for by time
		return offset, p.Error
	}
	if wanted.Timestamp == kafka.FirstOffset {
		return p.FirstOffset, p.Error
	}
	return p.LastOffset, p.Error
}

func retention(s subject) error {
	topic := s.Topic(s.t, "t", 1, map[string]string{"retention.ms": "100", "segment.ms": "100"})
	if err := produce(s.c, topic, 0, words("a b")...); err != nil {
		return err
	}
	time.Sleep(200 * time.Millisecond)
	if err := produce(s.c, topic, 0, []byte("c")); err != nil { // begins a segment
		return err
	}
	ctx, end := testkit.Progress(within)
	defer end()
	return testkit.Wait(ctx, func() bool {
		first, err := s.offset(topic, kafka.FirstOffsetOf(0))
		return err == nil && first >= 2
	})
}
