package kafka

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire/stream"
)

func TestCreate(t *testing.T) {
	fake := broker.Fake(t, nil)
	creates(t, fake.Address, "", 1)
	settings := fake.TopicInfo("sums.private").Configs
	for key, want := range map[string]string{"cleanup.policy": "delete", "retention.ms": "3600000",
		"min.insync.replicas":    "1",
		"message.timestamp.type": "LogAppendTime", "unclean.leader.election.enable": "false"} {
		if got := settings[key]; got == nil || *got != want {
			t.Errorf("%s of a private topic is %v, want %s", key, got, want)
		}
	}
	if got := fake.TopicInfo("releases").Configs["retention.ms"]; got == nil || *got != "-1" {
		t.Errorf("retention.ms of a public topic is %v", got)
	}
}

func TestCreateReal(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	unique := b.Topic(t, "x", 1, nil) // whose name no other test's begins with
	creates(t, b.Address, unique+".", 1)
}

// creates makes topics, again, and otherwise than they are.
func creates(t *testing.T, address, prefix string, replicas int) {
	private := location(t, address, prefix+"sums.private", "")
	public := location(t, address, prefix+"releases", "")
	plan := Plan{Partitions: 3, Replicas: replicas, Retention: time.Hour}
	for range 2 {
		for _, l := range []*Location{private, public} {
			if err := Create(soon(t), l, plan); err != nil {
				t.Fatal(err)
			}
			if n, err := Partitions(soon(t), l); n != 3 || err != nil {
				t.Errorf("%d partitions, %v", n, err)
			}
			appendTo(t, location(t, address, l.Topic, "?partition=2")) // it is there at once
		}
	}
	unasked := location(t, address, prefix+"unasked.private", "")
	for range 2 {
		if err := Create(soon(t), unasked, Plan{Partitions: 1, Retention: time.Hour}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		location *Location
		change   func(*Plan)
		words    string
	}{
		{private, func(p *Plan) { p.Partitions = 4 }, "exists with 3 partitions, must have 4"},
		{private, func(p *Plan) { p.Partitions = 2 }, "exists with 3 partitions, must have 2"},
		{private, func(p *Plan) { p.Retention = 2 * time.Hour }, "exists with retention.ms=3600000, must have 7200000"},
	} {
		other := plan
		c.change(&other)
		wantError(t, Create(soon(t), c.location, other), exit.Usage, c.location.String(), c.words)
	}
	other := plan
	other.Retention = 2 * time.Hour
	if err := Create(soon(t), public, other); err != nil {
		t.Errorf("a public topic keeps its messages, whatever private ones do: %v", err)
	}
}

// TestCreateLostAnswer: a topic that was made, though the answer was lost, is as good as one that was there.
func TestCreateLostAnswer(t *testing.T) {
	fake := broker.Fake(t, nil)
	fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: kerr.RequestTimedOut})
	l := location(t, fake.Address, "t.private", "")
	if err := Create(soon(t), l, Plan{Partitions: 2, Retention: time.Hour}); err != nil {
		t.Fatal(err)
	}
	appendTo(t, location(t, fake.Address, "t.private", "?partition=1"))
}

func TestCreateRefused(t *testing.T) {
	fake := broker.Fake(t, nil)
	for words, err := range map[string]*kerr.Error{
		"does not allow it": kerr.TopicAuthorizationFailed, "Policy Violation": kerr.PolicyViolation} {
		fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: err})
		l := location(t, fake.Address, "t.private", "")
		code := map[*kerr.Error]int{kerr.TopicAuthorizationFailed: exit.Missing,
			kerr.PolicyViolation: exit.Missing}[err]
		wantError(t, Create(soon(t), l, Plan{Partitions: 2, Retention: time.Hour}), code, l.String(), "make the topic",
			words)
	}
	b := location(t, broker.Fake(t, nil).Address, "t.private", "")
	err := Create(soon(t), b, Plan{Partitions: 1, Replicas: 3, Retention: time.Hour})
	wantError(t, err, exit.Usage, "Invalid Replication Factor", "start more brokers")
}

// TestCompacted: each stage refuses a compacted topic at its first look. Topics of text are exempt. If the broker does
// not show the topic's settings, the broker refuses the messages that a stage writes.
func TestCompacted(t *testing.T) {
	fake := broker.Fake(t, nil)
	for _, policy := range []string{"compact", "compact,delete"} {
		topic := (&broker.Broker{Address: fake.Address}).
			Topic(t, "t.private", 1, map[string]string{"cleanup.policy": policy})
		l := location(t, fake.Address, topic, "")
		group := location(t, fake.Address, topic, "?group=g")
		for name, open := range map[string]func() error{
			"read":       func() error { _, err := Open(soon(t), l); return err },
			"go on":      func() error { _, err := OpenAt(soon(t), l, 0, 0); return err },
			"write":      func() error { _, err := Append(soon(t), l); return err },
			"tails":      func() error { _, err := Tails(soon(t), l); return err },
			"hints":      func() error { _, err := Hints(soon(t), group); return err },
			"journal":    func() error { _, err := OpenJournal(soon(t), l); return err },
			"partitions": func() error { _, err := Partitions(soon(t), l); return err },
			"create":     func() error { return Create(soon(t), l, Plan{Partitions: 1, Retention: time.Hour}) },
		} {
			err := open()
			if exit.Code(err) != exit.Missing || !strings.Contains(err.Error(), "compacted") ||
				!strings.Contains(err.Error(), topic) {
				t.Errorf("%s, %s: exit code %d of error: %v", policy, name, exit.Code(err), err)
			}
		}
		text, err := OpenText(soon(t), l)
		if err != nil {
			t.Errorf("%s: a topic of text: %v", policy, err)
		} else {
			text.Close()
		}
		fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeConfigs}, Err: kerr.TopicAuthorizationFailed})
		fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidRecord})
		a := appendTo(t, l)
		err = a.WriteFrame([]byte("frame"), stream.Mark{Ends: true})
		wantError(t, err, exit.Missing, topic, "refuses such messages", "cleanup.policy")
	}
}
