package broker

import (
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestRelay: a client that was given only the relay's address never gets around it, a request that is passed was
// answered when pass returns, and one that is not never reaches the broker.
func TestRelay(t *testing.T) {
	Each(t, func(t *testing.T, b *Broker) {
		topic := b.Topic(t, "t", 2, nil)
		var writes, fetches atomic.Int32
		var behind, cut atomic.Int64
		address := Relay(t, b.Address, func(request kmsg.Request, pass func()) {
			switch request.(type) {
			case *kmsg.ProduceRequest:
				if writes.Add(1); cut.Load() > 0 {
					return
				}
				pass()
				behind.Store(b.End(t, topic, 1))
				return
			case *kmsg.FetchRequest:
				fetches.Add(1)
			}
			pass()
		})
		c := client(t, address)
		for i := range int64(3) {
			if err := produce(c, topic, 1, []byte("passed")); err != nil {
				t.Fatal(err)
			}
			if behind.Load() != i+1 {
				t.Errorf("after write %d the end was %d when pass returned", i, behind.Load())
			}
		}
		cut.Store(1)
		if err := produce(c, topic, 1, []byte("not passed")); err == nil {
			t.Error("a write that was not passed was acknowledged")
		}
		if end := b.End(t, topic, 1); end != 3 || b.End(t, topic, 0) != 0 || writes.Load() < 4 {
			t.Errorf("%d messages of %d writes, want 3 of 4", end, writes.Load())
		}
		if values, err := fetch(c, topic, 1, 2); err != nil || string(values[0]) != "passed" || fetches.Load() == 0 {
			t.Errorf("got %q, %v in %d fetches", values, err, fetches.Load())
		}
		b.Delete(t, topic, 1, 2)
		if _, err := fetch(c, topic, 1, 1); err == nil {
			t.Error("what was removed is there")
		}
	})
}
