package broker

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit"
)

// A Faked is a broker inside this process. Its Cluster can be told to fail (Fault), to lose data (DeleteRecords) and more
// that no real broker does when asked. It is an imitation: TestConformance says how far.
type Faked struct {
	Address string // HOST:PORT
	*kfake.Cluster
}

// Fake starts a broker that lives as long as the test, with the given topics and how many partitions each has. Other topics
// do not come by themselves.
func Fake(t testing.TB, topics map[string]int, options ...kfake.Opt) Faked {
	t.Helper()
	all := []kfake.Opt{kfake.NumBrokers(1), kfake.ListenFn(listen)}
	for topic, partitions := range topics {
		all = append(all, kfake.SeedTopics(int32(partitions), topic))
	}
	cluster, err := kfake.NewCluster(append(all, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	cluster.ControlKey(int16(kmsg.Produce), func(request kmsg.Request) (kmsg.Response, error, bool) {
		stamp(cluster, request.(*kmsg.ProduceRequest))
		return nil, nil, false
	})
	return Faked{Address: cluster.ListenAddrs()[0], Cluster: cluster}
}

// Broker is the same broker for tests that ask it as they ask a real one.
func (f Faked) Broker() *Broker { return &Broker{Address: f.Address} }

// ShortSessions is the option of a broker whose groups take sessions as short as those of broker.sh do.
var ShortSessions = kfake.GroupMinSessionTimeout(500 * time.Millisecond)

// Each runs a test on a fake broker, whose topics are its own, and in part kafka of the deep suite on a real one. The
// fake broker does what TestConformance says.
func Each(t *testing.T, test func(t *testing.T, b *Broker)) {
	t.Run("fake", func(t *testing.T) { test(t, Fake(t, nil, ShortSessions).Broker()) })
	t.Run("real", func(t *testing.T) {
		testkit.Deep(t, "kafka")
		test(t, Real(t))
	})
}
