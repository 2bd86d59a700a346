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
