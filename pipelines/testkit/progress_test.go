package testkit

import (
	"context"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// shortened lets a test of Progress wait for a moment only.
func shortened(t *testing.T, d time.Duration) {
	before := between
	between = d
	t.Cleanup(func() { between = before })
}

// TestProgress: a state that changes keeps the context alive, far beyond the time without progress. One that stands
// ends it.
func TestProgress(t *testing.T) {
	shortened(t, 10*time.Millisecond)
	var written atomic.Int64
	ctx, end := Progress(time.Hour, func() int64 { return 7 }, func() int64 { return written.Add(1) / 20 })
	err := Wait(ctx, func() bool { return written.Load() > 4*polls })
	if err != nil {
		t.Errorf("a test that makes progress was ended: %v", err)
	}
	end()
	if err := context.Cause(ctx); err != context.Canceled {
		t.Errorf("a wait that is over ends with %v", err)
	}
	var asked atomic.Int64
	ctx, end = Progress(time.Hour, func() int64 { asked.Add(1); return 7 })
	err = Wait(ctx, func() bool { return false })
	if err == nil || !strings.Contains(err.Error(), "no progress") || asked.Load() != polls+1 {
		t.Errorf("after %d polls: %v", asked.Load(), err)
	}
	end()
	if err := Wait(ctx, func() bool { return true }); err != nil {
		t.Error(err)
	}
}

// TestProgressLimit: what goes on for ever ends at ten times the recorded time.
func TestProgressLimit(t *testing.T) {
	shortened(t, 10*time.Millisecond)
	ctx, end := Progress(10*time.Millisecond, func() int64 { return time.Now().UnixNano() })
	defer end()
	if err := Wait(ctx, func() bool { return false }); err == nil || !strings.Contains(err.Error(), "ten times") {
		t.Error(err)
	}
}

// TestOutput: a command that stands is ended with its children. A command that writes to its folder is not.
func TestOutput(t *testing.T) {
	shortened(t, 50*time.Millisecond)
	stands := exec.Command("bash", "-c", "echo begun; sleep 600; echo ended")
	out, err := Output(time.Hour, stands)
	if err == nil || !strings.Contains(err.Error(), "no progress") || string(out) != "begun\n" {
		t.Errorf("%q, %v", out, err)
	}
	writes := exec.Command("bash", "-c", "for i in {1..30}; do echo $i >>file; sleep .05; done; echo ended; exit 3")
	writes.Dir = t.TempDir()
	out, err = Output(time.Hour, writes)
	if string(out) != "ended\n" || writes.ProcessState.ExitCode() != 3 {
		t.Errorf("%q, %v", out, err)
	}
}
