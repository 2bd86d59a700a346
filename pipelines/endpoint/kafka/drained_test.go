package kafka

import (
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// TestDrained: a log says up to when it has returned all there was: not before it has, nor while the broker is away.
func TestDrained(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"t.private": 1})
	l := location(t, fake.Address, "t.private", "?patience=1m")
	begun := time.Now()
	writeStream(t, appendTo(t, l), header(wire.Kind_ROUNDS), round(1, 10))
	log := openLog(t, l)
	time.Sleep(2 * maxWait) // it has all, and has handed over nothing
	if log.Drained().After(begun) {
		t.Error("drained of what it has not returned")
	}
	for range count(t, l, 0) {
		if _, err := log.Frame(); err != nil {
			t.Fatal(err)
		}
	}
	if log.Drained().After(begun) {
		t.Error("drained while nobody waits")
	}
	more := make(chan error, 1)
	go func() {
		_, err := log.Frame()
		more <- err
	}()
	after := func(when time.Time) bool {
		for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if log.Drained().After(when) {
				return true
			}
		}
		return false
	}
	if !after(time.Now()) {
		t.Error("never drained")
	}
	fetch := kmsg.NewFetchRequest()
	fake.ControlKey(fetch.Key(), func(kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		return nil, errors.New("away"), true
	})
	away := time.Now()
	time.Sleep(4 * maxWait)
	if log.Drained().After(away) {
		t.Error("drained while the broker is away")
	}
	log.Stop(errors.New("stop"))
	if err := <-more; err == nil {
		t.Error("a frame that nobody wrote")
	}
}
