// Package broker gives tests a Kafka broker: a fake one inside the process, or Apache Kafka itself.
//
// Its own requests use another client than the stages, so that a fault in the stages' client does not hide in the
// test's setup.
package broker

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/testkit"
)

// A Broker is a real broker that listens on loopback.
type Broker struct {
	Address string // HOST:PORT for clients without encryption and authentication

	// Secure is the HOST:PORT for clients with encryption and authentication. Config is a settings file that lets such
	// clients in, for PRIVPIPE_KAFKA_CONFIG. Both are empty for the broker that PRIVPIPE_KAFKA names.
	Secure, Config string

	// Dial connects to the broker; nil is as net does.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	folder string // the broker's folder if this process started it; otherwise empty
	// the pipe that closes when this process ends, see watch; the reference keeps it from being closed earlier
	alive *os.File
}

// Real returns a broker for tests that do not disturb it. It is the broker at HOST:PORT in the environment's
// PRIVPIPE_KAFKA, or else the broker of Own. If there is neither, Real skips the test.
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

// within limits the wait for one answer. A test waits so long only if it fails.
const within = time.Minute

// Topic creates a topic for this test alone. Its name ends in "." and suffix. Topic returns the name when every
// partition has a leader. The settings have Kafka's names ("retention.ms").
func (b *Broker) Topic(t testing.TB, suffix string, partitions int, settings map[string]string) string {
	t.Helper()
	var unique [8]byte
	rand.Read(unique[:])
	topic := "test-" + hex.EncodeToString(unique[:]) + "." + suffix
	b.Create(t, topic, partitions, settings)
	return topic
}

// Create does the same as Topic for a name that the test gives.
func (b *Broker) Create(t testing.TB, topic string, partitions int, settings map[string]string) {
	t.Helper()
	b.ask(t, func(ctx context.Context, client *kgo.Client) error {
		return create(ctx, client, topic, partitions, settings)
	})
	if b.folder == "" { // otherwise the topic goes with the folder
		t.Cleanup(func() {
			b.ask(t, func(ctx context.Context, client *kgo.Client) error { return remove(ctx, client, topic) })
		})
	}
	b.ask(t, func(ctx context.Context, client *kgo.Client) error { return led(ctx, client, topic) })
}

// End returns the offset after a partition's last message.
func (b *Broker) End(t testing.TB, topic string, partition int) (offset int64) {
	t.Helper()
	b.ask(t, func(ctx context.Context, client *kgo.Client) error {
		ends, err := kadm.NewClient(client).ListEndOffsets(ctx, topic)
		if err != nil {
			return err
		}
		end, ok := ends.Lookup(topic, int32(partition))
		if !ok {
			return fmt.Errorf("%s has no partition %d", topic, partition)
		}
		offset = end.Offset
		return end.Err
	})
	return offset
}

// Written returns a state for testkit.Progress: the number of messages in the topics. The state does not change while
// the broker is away.
func (b *Broker) Written(topics ...string) func() int64 {
	var last int64
	return func() int64 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		client, err := kgo.NewClient(b.options()...)
		if err != nil {
			return last
		}
		defer client.Close()
		ends, err := kadm.NewClient(client).ListEndOffsets(ctx, topics...)
		if err != nil {
			return last
		}
		last = 0
		ends.Each(func(end kadm.ListedOffset) { last += max(0, end.Offset) })
		return last
	}
}

// Delete removes a partition's messages before an offset, as retention does.
func (b *Broker) Delete(t testing.TB, topic string, partition int, before int64) {
	t.Helper()
	b.ask(t, func(ctx context.Context, client *kgo.Client) error {
		var offsets kadm.Offsets
		offsets.AddOffset(topic, int32(partition), before, -1)
		answer, err := kadm.NewClient(client).DeleteRecords(ctx, offsets)
		return cmp.Or(err, answer.Error())
	})
}

// options are the options of a client of the broker.
func (b *Broker) options(more ...kgo.Opt) []kgo.Opt {
	more = append(more, kgo.SeedBrokers(b.Address))
	if b.Dial != nil {
		more = append(more, kgo.Dialer(b.Dial))
	}
	return more
}

// ask fails the test unless the question is answered while the broker makes progress.
func (b *Broker) ask(t testing.TB, question func(context.Context, *kgo.Client) error) {
	t.Helper()
	client, err := kgo.NewClient(b.options()...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, end := testkit.Progress(within, testkit.Files(b.folder)) // progress in data and log, if their folder is known
	defer end()
	if err := question(ctx, client); err != nil {
		t.Fatalf("broker %s: %v", b.Address, err)
	}
}

func create(ctx context.Context, client *kgo.Client, topic string, partitions int, settings map[string]string) error {
	configs := make(map[string]*string)
	for name, value := range settings {
		configs[name] = &value
	}
	var err error
	wait := testkit.Wait(ctx, func() bool {
		var made kadm.CreateTopicResponse
		made, err = kadm.NewClient(client).CreateTopic(ctx, int32(partitions), 1, configs, topic)
		if made.ErrMessage != "" {
			err = fmt.Errorf("%w: %s", err, made.ErrMessage)
		}
		// The controller gives no topic to a broker that it has not heard from lately, for example just after the
		// broker's start or a pause.
		return !strings.Contains(made.ErrMessage, "fenced")
	})
	return cmp.Or(wait, err)
}

// led waits until each partition has a leader that serves it. It waits for the named topics, or for all topics if none
// is named. A broker reports that a topic exists, that it runs and who leads it before it serves the partitions: only
// a leader says where its partition begins.
func led(ctx context.Context, client *kgo.Client, topics ...string) error {
	var err error
	wait := testkit.Wait(ctx, func() bool {
		var starts kadm.ListedOffsets
		starts, err = kadm.NewClient(client).ListStartOffsets(ctx, topics...)
		return err == nil && starts.Error() == nil && len(starts) >= len(topics)
	})
	if wait != nil {
		return errors.Join(wait, err)
	}
	return nil
}

func remove(ctx context.Context, client *kgo.Client, topic string) error {
	_, err := kadm.NewClient(client).DeleteTopic(ctx, topic)
	return err
}
