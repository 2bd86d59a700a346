package endpoint_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// administer asks a broker something as an administrator does.
func administer(t *testing.T, address string, request kmsg.Request) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.MaxVersions(kversion.V3_0_0()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Request(t.Context(), request); err != nil {
		t.Fatal(err)
	}
}

// recreate deletes a topic and creates it again under the same name.
func recreate(t *testing.T, address, topic string, partitions int32) {
	t.Helper()
	named := kmsg.NewDeleteTopicsRequestTopic()
	named.Topic = &topic
	remove := kmsg.NewPtrDeleteTopicsRequest()
	remove.TopicNames, remove.Topics = []string{topic}, append(remove.Topics, named)
	administer(t, address, remove)
	wanted := kmsg.NewCreateTopicsRequestTopic()
	wanted.Topic, wanted.NumPartitions, wanted.ReplicationFactor = topic, partitions, 1
	create := kmsg.NewPtrCreateTopicsRequest()
	create.Topics = append(create.Topics, wanted)
	eventually(t, "it is made again", func() bool {
		client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.MaxVersions(kversion.V3_0_0()))
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		answer, err := create.RequestWith(t.Context(), client)
		return err == nil && kerr.ErrorForCode(answer.Topics[0].ErrorCode) == nil
	})
}

// more gives a topic more partitions.
func more(t *testing.T, address, topic string, partitions int32) {
	t.Helper()
	wanted := kmsg.NewCreatePartitionsRequestTopic()
	wanted.Topic, wanted.Count = topic, partitions
	request := kmsg.NewPtrCreatePartitionsRequest()
	request.Topics = append(request.Topics, wanted)
	administer(t, address, request)
}

// TestChanged: if a topic is recreated or gets partitions during a run, the programs that use it end with an error,
// even while they wait for something else.
func TestChanged(t *testing.T) {
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := broker.Fake(t, map[string]int{"rounds.private": 1, "answers.private": 1})
			changed(t, fake.Address, "rounds.private", "answers.private", change)
		})
	}
}

// TestChangedReal is TestChanged on Kafka itself.
func TestChangedReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			changed(t, b.Address, b.Topic(t, "rounds.private", 1, nil), b.Topic(t, "answers.private", 1, nil), change)
		})
	}
}

// A change is one of the topics of rounds and of answers, with what the stage says of it.
type change func(t *testing.T, address, rounds, answers string) (words string)

var changes = map[string]change{
	"answers recreated": func(t *testing.T, address, _, answers string) string {
		recreate(t, address, answers, 1)
		return answers + "[0]: the messages that were written are gone: the topic was recreated or truncated"
	},
	"rounds recreated": func(t *testing.T, address, rounds, _ string) string {
		recreate(t, address, rounds, 1)
		return rounds + ": the topic was deleted and created again"
	},
	"partitions of answers": func(t *testing.T, address, _, answers string) string {
		more(t, address, answers, 3)
		return answers + ": it has 3 partitions and had 1"
	},
	"partitions of rounds": func(t *testing.T, address, rounds, _ string) string {
		more(t, address, rounds, 2)
		return rounds + ": it has 2 partitions and had 1"
	},
}

func changed(t *testing.T, address, asked, answered string, change change) {
	in, out := topic(address, asked), topic(address, answered)
	put(t, streams(t, in, roundsHeader("a"))[0], round(1, 3)...)
	waiting := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- endpoint.Share(t.Context(), in, rounds, out, func(ctx context.Context, p *endpoint.Partition) error {
			w, err := p.CreateStream(ctx, answers("a"), "none")
			if err != nil {
				return err
			}
			defer w.Abort()
			for range round(1, 3) {
				record, err := p.Next()
				if err == nil {
					err = w.Write(record)
				}
				if err != nil {
					return err
				}
			}
			if err := w.Flush(); err != nil {
				return err
			}
			close(waiting)
			next := make(chan error)
			go func() {
				_, err := p.Next()
				next <- err
			}()
			select {
			case err := <-next:
				return err
			case <-ctx.Done(): // as who waits for parameters
				return context.Cause(ctx)
			}
		})
	}()
	select {
	case <-waiting:
	case err := <-ended:
		t.Fatal(err)
	}
	words := change(t, address, asked, answered)
	select {
	case err := <-ended:
		wantWords(t, err, exit.Malformed, words)
	case <-time.After(time.Minute):
		t.Fatal("it waits on")
	}
}

// TestAddedPartition: who starts after a partition was added finds that nobody has written to it, and others have
// rounds.
func TestAddedPartition(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 1, "answers.private": 2})
	in, out := topic(fake.Address, "rounds.private"), topic(fake.Address, "answers.private")
	w := streams(t, in, roundsHeader("a"))[0]
	put(t, w, round(1, 3)...)
	put(t, w, round(2, 3)...)
	more(t, fake.Address, "rounds.private", 2)
	for _, query := range []string{"", "?group=g"} {
		err := endpoint.Share(t.Context(), in+query, rounds, out, (&copier{run: "a"}).work)
		wantWords(t, err, exit.Malformed, "partition 1 was added to the topic during the run", "new private topics")
	}
}

// TestPartitionLookedAtBefore: a partition that is empty when it is looked at was not added amid the run where sample
// wrote to all of them before the next was looked at.
func TestPartitionLookedAtBefore(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 2, "answers.private": 2})
	in := topic(fake.Address, "rounds.private")
	var written atomic.Bool
	fake.ControlKey(int16(kmsg.ListOffsets), func(request kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		asked := request.(*kmsg.ListOffsetsRequest).Topics[0]
		if asked.Topic == "rounds.private" && asked.Partitions[0].Partition == 1 && !written.Swap(true) {
			fake.SleepControl(func() {
				fill(t, in+"?partition=0", roundsHeader("a"), round(8, 1), round(9, 1))
				fill(t, in+"?partition=1", roundsHeader("a"), round(8, 1), round(9, 1))
			})
		}
		return nil, nil, false
	})
	if err := endpoint.Share(t.Context(), in, rounds, topic(fake.Address, "answers.private"),
		(&copier{run: "a"}).work); err != nil {
		t.Error(err)
	}
}
