package main

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestDeadline: a round's time begins with the first word of it, another partition's word of an older round does not begin it
// anew, and once a time is over nothing is in time any more.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeadline(time.Second)
		d.begin(2)
		time.Sleep(600 * time.Millisecond)
		d.begin(1)
		if err := d.running(); err != nil {
			t.Error(err)
		}
		time.Sleep(600 * time.Millisecond)
		synctest.Wait()
		for name, err := range map[string]error{"running": d.running(), "met": d.met(), "passed": <-d.passed} {
			if err == nil {
				t.Errorf("%s: the time of round 2 is over, and it says nothing", name)
			}
		}
		d.begin(3)
		if d.running() == nil || d.met() == nil {
			t.Error("a later round is in time after one was not")
		}
	})
	d := newDeadline(0)
	if d.begin(1); d.met() != nil || d.running() != nil {
		t.Error("no limit is over")
	}
}
