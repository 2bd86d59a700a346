package kafka

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/metrics"
	"privpipe/pipelines/testkit/broker"
)

// TestStallOfAsker: who waits for the answer of a broker stands still, and tells what it waits for.
func TestStallOfAsker(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"asked": 1})
	fake.ControlKey(int16(kmsg.ListOffsets), func(kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		return nil, nil, true
	})
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() {
		_, err := Tails(ctx, location(t, fake.Address, "asked", ""))
		asked <- err
	}()
	for stalled, told := false, false; !stalled || !told; time.Sleep(time.Millisecond) {
		select {
		case err := <-asked:
			t.Fatal(err)
		case <-time.After(0):
		}
		alone, _ := metrics.Waiting(0)
		told = told || strings.Contains(strings.Join(alone, "; "), "/asked to look for an offset, for at most 2m0s")
		stalled = stalled || strings.Contains(metrics.Stalled(time.Millisecond),
			"the broker does not answer about asked")
	}
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
