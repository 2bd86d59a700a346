package serve

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/metrics"
)

// TestPrivateTopics checks that the topics whose numbers are kept are those that hold private records.
func TestPrivateTopics(t *testing.T) {
	private := "rounds" + topic.Private
	metrics.Lag(private, 0).Set(7)
	metrics.Lag("releases", 0).Set(7)
	s, err := metrics.Serve(metrics.Options{Address: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	answer, err := http.Get(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || strings.Contains(string(body), private) || !strings.Contains(string(body), `topic="releases"} 7`) {
		t.Errorf("%v: %s", err, body)
	}
}
