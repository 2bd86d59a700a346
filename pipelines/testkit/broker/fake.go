package broker

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// A Faked is a broker inside this process. Its Cluster can be told to fail (Fault), to lose data (DeleteRecords) and more
// that no real broker does when asked. It is an imitation: what must hold of Kafka is tested on Real, too.
type Faked struct {
	Address string // HOST:PORT
	*kfake.Cluster
}

// Fake starts a broker that lives as long as the test, with the given topics and how many partitions each has. Other topics
// do not come by themselves.
func Fake(t testing.TB, topics map[string]int, options ...kfake.Opt) Faked {
	t.Helper()
	all := []kfake.Opt{kfake.NumBrokers(1)}
	for topic, partitions := range topics {
		all = append(all, kfake.SeedTopics(int32(partitions), topic))
	}
	cluster, err := kfake.NewCluster(append(all, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return Faked{Address: cluster.ListenAddrs()[0], Cluster: cluster}
}

// Broker is the same broker for tests that ask it as they ask a real one.
func (f Faked) Broker() *Broker { return &Broker{Address: f.Address} }

// Each runs a test on a fake broker, whose topics are its own, and on a real one.
func Each(t *testing.T, test func(t *testing.T, b *Broker)) {
	t.Run("fake", func(t *testing.T) { test(t, Fake(t, nil).Broker()) })
	t.Run("real", func(t *testing.T) { test(t, Real(t)) })
}
