package metrics

import (
	"sync"
	"testing"
)

// TestUnknownExposure checks that a metric whose definition leaves out what it depends on is private.
func TestUnknownExposure(t *testing.T) {
	var unsaid exposure
	f := &family{exposure: unsaid, shown: make(map[string]*number), hidden: make(map[string]*number)}
	f.of("releases").Set(1)
	if len(f.shown) != 0 || len(f.hidden) != 1 {
		t.Error("it is public")
	}
}

// TestNumber: changes from several goroutines add up, and a counter refuses to decrease.
func TestNumber(t *testing.T) {
	n := &number{grows: true}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 1000 {
				n.Add(0.5)
			}
		})
	}
	all.Wait()
	if n.value() != 2000 {
		t.Errorf("%v, want 2000", n.value())
	}
	defer func() {
		if recover() == nil {
			t.Error("a counter decreased")
		}
	}()
	n.Add(-1)
}
