package metrics

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestStalled: a stage stands still when it waits for a topic and no message came in or went out for long enough, and not when
// it waits for nothing.
func TestStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, other := NewWait("c.private", 0), NewWait("c.private", 2)
		time.Sleep(time.Hour)
		if s := Stalled(time.Minute); s != "" {
			t.Errorf("a stage that waits for nothing: %s", s)
		}
		other.Begin()
		one.Begin()
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
	})
}

// TestHealth: /healthz is 503 with the reason while the stage stands still.
func TestHealth(t *testing.T) {
	s, err := Serve(Options{Address: "127.0.0.1:0", StallTimeout: time.Nanosecond, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wait := NewWait("r", 3)
	for _, c := range []struct {
		change func()
		status int
		words  string
	}{
		{func() {}, http.StatusOK, "ok\n"}, {wait.Begin, http.StatusServiceUnavailable, "nothing comes in r[3]"}, {wait.End, http.StatusOK, "ok\n"},
	} {
		c.change()
		time.Sleep(time.Millisecond)
		answer, err := http.Get(strings.TrimSuffix(s.URL(), "metrics") + "healthz")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != c.status || !strings.Contains(string(body), c.words) {
			t.Errorf("%s: %q, %v, want %d with %q", answer.Status, body, err, c.status, c.words)
		}
	}
}
