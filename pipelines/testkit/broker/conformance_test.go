package broker

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/simulation/network"
)

// A behaviour is one that a test relies on. The subject is a broker, with the client that the stages have.
type behaviour struct {
	name   string
	holds  func(s subject) error
	differ string // how the fake broker differs from Kafka; empty: it does not
}

// A subject is a broker that is asked.
type subject struct {
	*Broker
	t *testing.T
	c *kafka.Client
}

func newSubject(t *testing.T, b *Broker) subject {
	s := subject{b, t, nil}
	s.c = s.client()
	return s
}

// client returns a client of its own.
func (s subject) client() *kafka.Client {
	c := client(s.t, s.Address)
	c.Transport.(*kafka.Transport).Dial = s.Dial
	return c
}

// behaviours are all that tests rely on. A test that relies on another one adds it here first. No test of the gate may
// rely on one of which the fake broker differs.
//
// Nothing relies on deduplication by sequence numbers: the stages write with neither producer id nor transaction. No
// single broker answers that it has too few replicas: tests have the fake one say so.
var behaviours = []behaviour{
	{"a topic is made once", topicOnce, ""},
	{"an unknown topic is refused and not made", unknownTopic, ""},
	{"a topic that is made again is another", recreated, ""},
	{"partitions are added", addedPartitions, ""},
	{"settings are shown, with defaults", shownSettings, ""},
	{"an acknowledged message can be read", acknowledged, ""},
	{"messages come back whole", wholeMessages, ""},
	{"batches come back in each compression", compressed, ""},
	{"messages up to the limit", sizes, ""},
	{"no message without a key is compacted", compacted, ""},
	{"the writer's time is kept", writersTime, ""},
	{"the broker's time replaces the writer's", brokersTime, ""},
	{"offsets by time", byTime, ""},
	{"offsets by the broker's time", byBrokersTime, ""},
	{"a partition's beginning moves", deletedRecords, ""},
	{"retention deletes", retention, ""},
	{"a fetch waits for a message", longPoll, ""},
	{"transactions", transactions, ""},
	{"an open transaction hides what follows", openTransaction, ""},
	{"a producer of the same name fences the older", fenced, ""},
	{"offsets are committed without members", committed, ""},
	{"members share a group", sharedGroup, ""},
	{"a member that is silent is expelled", expelled, ""},
	{"new members agree on a leader", oneLeader, "each new member hears that it leads: modules.go repairs it"},
}

// TestConformance: the fake broker, which tests of the gate use, does what Kafka does, and so it does in the virtual
// time of a simulation. Kafka itself does it in part kafka.
func TestConformance(t *testing.T) {
	t.Run("fake", func(t *testing.T) {
		each(t, func(t *testing.T, b behaviour) {
			t.Parallel()
			conforms(t, b, Fake(t, nil, ShortSessions).Broker())
		})
	})
	t.Run("simulated", func(t *testing.T) {
		each(t, func(t *testing.T, b behaviour) {
			synctest.Test(t, func(t *testing.T) {
				n := network.New(func(_ network.Request, deliver func(network.Fate)) { deliver(network.Fate{}) })
				broker := Fake(t, nil, ShortSessions, kfake.ListenFn(Mending(n.Listen))).Broker()
				broker.Dial = n.Dialer("test")
				conforms(t, b, broker)
			})
		})
	})
	t.Run("real", func(t *testing.T) {
		testkit.Deep(t, "kafka")
		broker := Real(t)
		each(t, func(t *testing.T, b behaviour) {
			t.Parallel()
			b.differ = ""
			conforms(t, b, broker)
		})
	})
}

func each(t *testing.T, test func(*testing.T, behaviour)) {
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) { test(t, b) })
	}
}

// conforms checks that a broker has a behaviour, or differs from it as it says.
func conforms(t *testing.T, b behaviour, broker *Broker) {
	err := b.holds(newSubject(t, broker))
	switch {
	case b.differ == "" && err != nil:
		t.Error(err)
	case b.differ != "" && err == nil:
		t.Errorf("the fake broker differs no more, though the suite says that %s", b.differ)
	case b.differ != "":
		t.Logf("no test of the gate may rely on it: %s (%v)", b.differ, err)
	}
}

// differs is an error unless a value is the wanted one. Values are compared as they are printed.
func differs(what string, got, want any) error {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		return fmt.Errorf("%s: %s, want %s", what, g, w)
	}
	return nil
}

// refused is an error unless an answer is the one of Kafka's errors that is wanted.
func refused(what string, got error, want ...kafka.Error) error {
	for _, w := range want {
		if errors.Is(got, w) {
			return nil
		}
	}
	return fmt.Errorf("%s: %v, want %v", what, got, want)
}

// words are values of messages.
func words(text string) (values [][]byte) {
	for word := range strings.FieldsSeq(text) {
		values = append(values, []byte(word))
	}
	return values
}
