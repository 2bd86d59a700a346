package exit

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// percent is the growth that holds now.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

// begin brings the rule of Go back, as it is at the start of a process.
func begin(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(100) })
}

// becomes waits for the cleanup after a collection.
func becomes(t *testing.T, want int) {
	t.Helper()
	for range 1000 {
		runtime.GC()
		if percent() == want {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("the growth is %d after a collection, want %d", percent(), want)
}

// TestDelayCollection: the first collection waits, and then Go's own rule holds.
func TestDelayCollection(t *testing.T) {
	begin(t)
	DelayCollection()
	if got := percent(); got != lateGrowth {
		t.Errorf("the growth is %d before the first collection, want %d", got, lateGrowth)
	}
	becomes(t, 100)
}

// TestCollectOften: large matrices rule, also after the first collection, and small ones change nothing.
func TestCollectOften(t *testing.T) {
	begin(t)
	DelayCollection()
	CollectOften(largeMatrices - 1)
	if got := percent(); got != lateGrowth {
		t.Errorf("the growth is %d with small matrices, want %d", got, lateGrowth)
	}
	CollectOften(largeMatrices)
	if got := percent(); got != matrixGrowth {
		t.Errorf("the growth is %d with large matrices, want %d", got, matrixGrowth)
	}
	for range 3 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	becomes(t, matrixGrowth)
}

// TestGiven: what the environment sets stays.
func TestGiven(t *testing.T) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		begin(t)
		t.Setenv(name, "70")
		DelayCollection()
		CollectOften(largeMatrices)
		if got := percent(); got != 100 {
			t.Errorf("%s: the growth is %d, want 100, which it was", name, got)
		}
	}
}
