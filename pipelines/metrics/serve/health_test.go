package serve

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/metrics"
)

// TestHealth: /healthz is 503 with the reason while the stage stands still.
func TestHealth(t *testing.T) {
	s, err := metrics.Serve(metrics.Options{Address: "127.0.0.1:0", StallTimeout: time.Nanosecond,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wait := metrics.NewWait("r", 3)
	for _, c := range []struct {
		change func()
		status int
		words  string
	}{
		{func() {}, http.StatusOK, "ok\n"}, {wait.Begin, http.StatusServiceUnavailable, "nothing comes in r[3]"},
		{wait.End, http.StatusOK, "ok\n"},
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
