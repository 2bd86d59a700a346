package filter

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"privpipe/pipelines/metrics"
)

// TestTellWaits: a wait that lasts is told once: as a warning if it may never end, otherwise to --verbose. A wait that
// begins again is told again.
func TestTellWaits(t *testing.T) {
	var out bytes.Buffer
	r := &Run{Context: t.Context(), common: new(Common),
		Log: slog.New(&textHandler{program: "stage", level: slog.LevelInfo, out: &out})}
	defer metrics.AwaitAnswer("d", "the broker of d")()
	read := metrics.NewWait("r", 0)
	read.Begin()
	var x teller
	x.tell(r, 0)
	x.tell(r, 0)
	read.End()
	x.tell(r, 0)
	read.Begin()
	defer read.End()
	x.tell(r, 0)
	for line, times := range map[string]int{"stage: warning: waiting for the broker of d\n": 1,
		"stage: waiting for messages of r[0]\n": 2} {
		if n := strings.Count(out.String(), line); n != times {
			t.Errorf("%q is told %d times, want %d: %s", line, n, times, fmt.Sprint(out.String()))
		}
	}
}
