package metrics

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestStalled: a stage stands still when it waits for a topic and no message came in or went out for long enough, and
// not when it waits for nothing.
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
		if s := Stalled(time.Minute); s != "no progress for 1h0m0s, at round 7: nothing comes in c.private[0], "+
			"c.private[2]" {
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

// TestStalledWrites: a stage stands still, too, when it sends messages or asks and no broker answers for long enough,
// whatever it reads meanwhile.
func TestStalledWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		Progress()
		sent := AwaitWrite("c.private", 1, "b of c")
		answered := AwaitAnswer("d", "b of d")
		for range 59 {
			time.Sleep(time.Second)
			Progress()
		}
		if s := Stalled(time.Minute); s != "" {
			t.Errorf("before the time is over: %s", s)
		}
		time.Sleep(time.Second)
		Progress()
		if s := Stalled(time.Minute); !strings.HasPrefix(s, "no progress for 1m0s, ") ||
			!strings.HasSuffix(s, ": nothing goes out to c.private[1]; the broker does not answer about d") {
			t.Error(s)
		}
		if all := health(time.Minute); all[0].Value != 0 || len(all) != 2 {
			t.Errorf("its numbers are %v", all)
		}
		sent()
		if s := Stalled(time.Minute); !strings.HasSuffix(s, ": the broker does not answer about d") {
			t.Error(s)
		}
		answered()
		if s := Stalled(time.Minute); s != "" {
			t.Errorf("a stage that waits for nothing: %s", s)
		}
	})
}

// TestWaiting: waits are told when they have lasted, those that may never end apart from the others.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, whole := NewWait("r", 0), NewWait("d", 0)
		whole.Expect("the end of d")
		read.Begin()
		whole.Begin()
		time.Sleep(4 * time.Second)
		sent := AwaitWrite("c", 1, "a broker")
		for _, c := range []struct{ alone, others string }{{"[]", "[]"}, {"[the end of d]", "[messages of r[0]]"},
			{"[a broker the end of d]", "[messages of r[0]]"}} {
			alone, others := Waiting(5 * time.Second)
			if fmt.Sprint(alone) != c.alone || fmt.Sprint(others) != c.others {
				t.Errorf("alone %v, others %v, want %v", alone, others, c)
			}
			time.Sleep(4 * time.Second)
		}
		sent()
		read.End()
		whole.End()
		if alone, others := Waiting(0); len(alone)+len(others) != 0 {
			t.Errorf("alone %v, others %v after all have ended", alone, others)
		}
	})
}
