// Package broker gives tests a Kafka broker: a fake one inside the process, or Apache Kafka itself.
//
// Its own requests go by another client than the stages', so that a fault of theirs does not hide in the test's setup.
package broker

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A Broker is a real broker that listens on loopback.
type Broker struct {
	Address string // HOST:PORT for clients that neither encrypt nor say who they are

	// Secure is the HOST:PORT for clients that do both, and Config the file for PRIVPIPE_KAFKA_CONFIG that lets them in.
	// Both are empty for the broker that PRIVPIPE_KAFKA names.
	Secure, Config string

	folder string   // of a broker that this process started
	alive  *os.File // the pipe that the end of this process closes, see watch; referred to, or else it closes before
}

// Real returns a broker for tests that leave it alone: the one that the environment's PRIVPIPE_KAFKA names by HOST:PORT, or
// else that of Own. It skips the test if there is neither.
func Real(t testing.TB) *Broker {
	t.Helper()
	address := os.Getenv("PRIVPIPE_KAFKA")
	if address == "" {
		return Own(t)
	}
	connection, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		t.Fatalf("PRIVPIPE_KAFKA=%s: %v", address, err)
	}
	connection.Close()
	return &Broker{Address: address}
}

// within is how long anything may take. It is never waited for, but when a test fails.
const within = 30 * time.Second

// Topic makes a topic of its own for the test, whose name ends in "." and suffix, and returns the name when every partition
// has a leader. The settings are Kafka's own ("retention.ms").
func (b *Broker) Topic(t testing.TB, suffix string, partitions int, settings map[string]string) string {
	t.Helper()
	var unique [8]byte
	rand.Read(unique[:])
	topic := "test-" + hex.EncodeToString(unique[:]) + "." + suffix
	b.Create(t, topic, partitions, settings)
	return topic
}

// Create is Topic for a name that the test gives.
func (b *Broker) Create(t testing.TB, topic string, partitions int, settings map[string]string) {
	t.Helper()
	b.ask(t, func(ctx context.Context, client *kgo.Client) error {
		return create(ctx, client, topic, partitions, settings)
	})
	if b.folder == "" { // or else it goes with the folder
		t.Cleanup(func() {
			b.ask(t, func(ctx context.Context, client *kgo.Client) error { return remove(ctx, client, topic) })
		})
	}
	b.ask(t, func(ctx context.Context, client *kgo.Client) error { return led(ctx, client, topic) })
}

// End returns the offset after the last message of a partition.
func (b *Broker) End(t testing.TB, topic string, partition int) (offset int64) {
	t.Helper()
	b.ask(t, func(ctx context.Context, client *kgo.Client) error {
		request, err := list(ctx, client, []string{topic}, -1)
		if err != nil {
			return err
		}
		answer, err := request.RequestWith(ctx, client)
		if err != nil {
			return err
		}
		for _, p := range answer.Topics[0].Partitions {
			if int(p.Partition) == partition {
				offset = p.Offset
				return kerr.ErrorForCode(p.ErrorCode)
			}
		}
		return fmt.Errorf("%s has no partition %d", topic, partition)
	})
	return offset
}

// Delete removes what stands in a partition before an offset, as retention does.
func (b *Broker) Delete(t testing.TB, topic string, partition int, before int64) {
	t.Helper()
	of, which := kmsg.NewDeleteRecordsRequestTopic(), kmsg.NewDeleteRecordsRequestTopicPartition()
	which.Partition, which.Offset = int32(partition), before
	of.Topic, of.Partitions = topic, append(of.Partitions, which)
	b.ask(t, func(ctx context.Context, client *kgo.Client) error {
		request := kmsg.NewPtrDeleteRecordsRequest()
		request.Topics, request.TimeoutMillis = append(request.Topics, of), int32(within.Milliseconds())
		answer, err := request.RequestWith(ctx, client)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(answer.Topics[0].Partitions[0].ErrorCode)
	})
}

// ask fails the test unless the question gets its answer in time.
func (b *Broker) ask(t testing.TB, question func(context.Context, *kgo.Client) error) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Address))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), within) // a cleanup asks, too
	defer cancel()
	if err := question(ctx, client); err != nil {
		t.Fatalf("broker %s: %v", b.Address, err)
	}
}

func create(ctx context.Context, client *kgo.Client, topic string, partitions int, settings map[string]string) error {
	wanted := kmsg.NewCreateTopicsRequestTopic()
	wanted.Topic, wanted.NumPartitions, wanted.ReplicationFactor = topic, int32(partitions), 1
	for name, value := range settings {
		setting := kmsg.NewCreateTopicsRequestTopicConfig()
		setting.Name, setting.Value = name, &value
		wanted.Configs = append(wanted.Configs, setting)
	}
	request := kmsg.NewPtrCreateTopicsRequest()
	request.Topics = append(request.Topics, wanted)
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	if made := answer.Topics[0]; made.ErrorCode != 0 {
		return fmt.Errorf("%w: %s", kerr.ErrorForCode(made.ErrorCode), *cmp.Or(made.ErrorMessage, new(string)))
	}
	return nil
}

// led waits until all partitions of the topics, or of all topics if none is named, have a leader. A broker says that a topic
// is made, that it runs, and who leads before it serves the partitions.
func led(ctx context.Context, client *kgo.Client, topics ...string) error {
	for ctx.Err() == nil {
		partitions, err := list(ctx, client, topics, -2)
		if err != nil {
			return err
		}
		answer, err := partitions.RequestWith(ctx, client)
		if err != nil {
			return err
		}
		served := len(answer.Topics) == len(partitions.Topics) && len(answer.Topics) >= len(topics)
		for _, topic := range answer.Topics {
			for _, partition := range topic.Partitions {
				served = served && partition.ErrorCode == 0
			}
		}
		if served {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return ctx.Err()
}

// list returns the question after an offset of every partition, -2: the first, -1: that after the last. Only a leader
// answers.
func list(ctx context.Context, client *kgo.Client, topics []string, offset int64) (*kmsg.ListOffsetsRequest, error) {
	request := kmsg.NewPtrMetadataRequest()
	for _, topic := range topics {
		named := kmsg.NewMetadataRequestTopic()
		named.Topic = &topic
		request.Topics = append(request.Topics, named)
	}
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	question := kmsg.NewPtrListOffsetsRequest()
	for _, topic := range answer.Topics {
		if topic.ErrorCode != 0 {
			continue
		}
		of := kmsg.NewListOffsetsRequestTopic()
		of.Topic = *topic.Topic
		for _, partition := range topic.Partitions {
			one := kmsg.NewListOffsetsRequestTopicPartition()
			one.Partition, one.Timestamp = partition.Partition, offset
			of.Partitions = append(of.Partitions, one)
		}
		question.Topics = append(question.Topics, of)
	}
	return question, nil
}

func remove(ctx context.Context, client *kgo.Client, topic string) error {
	named := kmsg.NewDeleteTopicsRequestTopic()
	named.Topic = &topic
	request := kmsg.NewPtrDeleteTopicsRequest()
	request.TopicNames, request.Topics = []string{topic}, append(request.Topics, named) // for older and newer brokers
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(answer.Topics[0].ErrorCode)
}
