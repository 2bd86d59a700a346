package filter

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"privpipe/pipelines/metrics"
)

// TestTextfile: the file follows the run every 15 seconds. It tells that the stage stands still, names the partition,
// and tells that the stage goes on. Each text has the time. A reader of another user may read the file.
func TestTextfile(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	name := filepath.Join(t.TempDir(), "run.prom")
	synctest.Test(t, func(t *testing.T) {
		r := &Run{Context: t.Context(), Log: slog.New(slog.DiscardHandler),
			common: &Common{Metrics: name, StallTimeout: time.Minute}}
		wait := metrics.NewWait("c.private", 3)
		end, err := r.showMetrics(Stage{Name: "fake"})
		if err != nil {
			t.Fatal(err)
		}
		shows := func(when string, healthy bool) {
			t.Helper()
			synctest.Wait()
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines := make(map[string]string)
			for line := range strings.Lines(string(content)) {
				number, value, _ := strings.Cut(strings.TrimSpace(line), " ")
				lines[number] = value
			}
			stalled := lines[`privpipe_stalled_partition{partition="3",topic="c.private"}`]
			if healthy && (lines["privpipe_healthy"] != "1" || stalled != "") || !healthy &&
				(lines["privpipe_healthy"] != "0" || stalled != "1") {
				t.Errorf("%s: %s", when, content)
			}
			if at, err := strconv.ParseFloat(lines["privpipe_textfile_timestamp_seconds"], 64); err != nil ||
				time.Now().Unix()-int64(at) >= 15 {
				t.Errorf("%s: the file is of %v, now is %d, %v", when, at, time.Now().Unix(), err)
			}
		}
		shows("at the start", true)
		wait.Begin()
		time.Sleep(59 * time.Second)
		shows("before the time is over", true)
		time.Sleep(16 * time.Second)
		shows("after it", false)
		wait.End()
		metrics.Progress()
		time.Sleep(15 * time.Second)
		shows("after a message", true)
		time.Sleep(2 * time.Second)
		metrics.Progress()
		wait.Begin()
		time.Sleep(61 * time.Second)
		shows("before the end", true) // the file is three seconds old
		end()
		shows("at the end", false)
		wait.End()
	})
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
