package topics

import (
	"bytes"
	"os"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit/broker"
)

// TestKill is the gate's one training over Apache Kafka itself: the privatizer is killed when it has charged the third
// round, before the broker gets the release. Started again, it ends the run with the sums and the model of the pipe.
func TestKill(t *testing.T) {
	b := broker.Real(t)
	r := newRun(t, newJob(t, lda), b, 2)
	var kills atomic.Int64
	r.address = atRelease(t, b, r.topics["releases"], r.ledger(), func(charges int) (pass bool) {
		if charges < 3 || kills.Load() > 0 {
			return true
		}
		if r.signal("privatize", syscall.SIGKILL) {
			kills.Add(1)
		}
		return false
	})
	err := r.all(scripted)
	if err == nil {
		err = r.judge()
	}
	if err != nil || kills.Load() != 1 {
		t.Errorf("%d kills, %v\n%s", kills.Load(), err, r.log.String())
	}
}

// atRelease returns an address by which stages reach a broker. ask says whether the broker gets a release, by the
// number of charges that the ledger has then. A stage sends again what the broker does not get.
func atRelease(t *testing.T, b *broker.Broker, releases, ledger string, ask func(charges int) (pass bool)) string {
	return broker.Relay(t, b.Address, func(request kmsg.Request, pass func()) {
		if written, ok := request.(*kmsg.ProduceRequest); ok && written.Topics[0].Topic == releases {
			lines, err := os.ReadFile(ledger)
			if err == nil && !ask(bytes.Count(lines, []byte(`"charge":{`))) {
				return
			}
		}
		pass()
	})
}
