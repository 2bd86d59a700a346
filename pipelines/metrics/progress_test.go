package metrics

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestStalled: a stage stands still when it waits for a topic and no message came in or went out for long enough, and not when
// it waits for nothing.
func TestStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, other := NewWait("c.private", 0), NewWait("c.private", 2)
		again := NewWait("c.private", 2) // another reader of the partition, which is named once
		time.Sleep(time.Hour)
		if s := Stalled(time.Minute); s != "" {
			t.Errorf("a stage that waits for nothing: %s", s)
		}
		other.Begin()
		one.Begin()
		again.Begin()
		Round(7, 9)
		if s := Stalled(time.Minute); s != "no progress for 1h0m0s, at round 7: nothing comes in c.private[0], c.private[2]" {
			t.Error(s)
		}
		if s := Stalled(0); s != "" {
			t.Errorf("without a limit: %s", s)
		}
		Progress()
		time.Sleep(59 * time.Second)
		if s := Stalled(time.Minute); s != "" {
			t.Errorf("before the time is over: %s", s)
		}
		one.End()
		time.Sleep(time.Second)
		if s := Stalled(time.Minute); s != "no progress for 1m0s, at round 7: nothing comes in c.private[2]" {
			t.Error(s)
		}
		other.End()
		other.End()
		again.End()
	})
}
