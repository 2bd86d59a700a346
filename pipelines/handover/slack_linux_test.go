package handover

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestRelax: the next program of this thread has the slack. The thread ends with the test's goroutine, which keeps it
// locked.
func TestRelax(t *testing.T) {
	relax()
	out, err := exec.Command("cat", "/proc/self/timerslack_ns").Output()
	if err != nil {
		t.Skipf("no timer slack on this system: %v", err)
	}
	if want := strconv.FormatInt(slack.Nanoseconds(), 10); strings.TrimSpace(string(out)) != want {
		t.Errorf("%s ns, want %s", out, want)
	}
}
