package broker

import (
	"net"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit"
)

// A Faked is a broker inside this process. Its Cluster can be told to fail (Fault), to lose data (DeleteRecords) and to
// do more that no real broker does on request. It imitates a real broker: TestConformance says how far.
type Faked struct {
	Address string // HOST:PORT
	*kfake.Cluster
}

// Fake starts a broker that lives as long as the test. topics gives the number of partitions for each topic. Other
// topics are not created automatically.
func Fake(t testing.TB, topics map[string]int, options ...kfake.Opt) Faked {
	t.Helper()
	fake, err := NewFake(topics, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	return fake
}

// NewFake starts a broker that lives until Close.
func NewFake(topics map[string]int, options ...kfake.Opt) (Faked, error) {
	all := []kfake.Opt{kfake.NumBrokers(1), kfake.ListenFn(Mending(net.Listen)), cleaning}
	for topic, partitions := range topics {
		all = append(all, kfake.SeedTopics(int32(partitions), topic))
	}
	cluster, err := kfake.NewCluster(append(all, options...)...)
	if err != nil {
		return Faked{}, err
	}
	cluster.ControlKey(int16(kmsg.Produce), func(request kmsg.Request) (kmsg.Response, error, bool) {
		write := request.(*kmsg.ProduceRequest)
		if refused := keyless(cluster, write); refused != nil {
			cluster.KeepControl()
			return refused, nil, true
		}
		stamp(cluster, write)
		return nil, nil, false
	})
	return Faked{Address: cluster.ListenAddrs()[0], Cluster: cluster}, nil
}

// cleaning makes a fake broker look every second for messages that retention removes.
var cleaning = kfake.BrokerConfigs(map[string]string{"log.cleaner.backoff.ms": "1000"})

// Broker returns the same broker for tests that use a real broker's methods.
func (f Faked) Broker() *Broker { return &Broker{Address: f.Address} }

// ShortSessions is an option for groups on a fake broker. It allows sessions as short as those that broker.sh allows.
var ShortSessions = kfake.GroupMinSessionTimeout(500 * time.Millisecond)

// Each runs a test on a fake broker with its own topics. In part kafka of the deep suite it also runs the test on a
// real broker. The fake broker does what TestConformance checks.
func Each(t *testing.T, test func(t *testing.T, b *Broker)) {
	t.Run("fake", func(t *testing.T) { test(t, Fake(t, nil, ShortSessions).Broker()) })
	t.Run("real", func(t *testing.T) {
		testkit.Deep(t, "kafka")
		test(t, Real(t))
	})
}
