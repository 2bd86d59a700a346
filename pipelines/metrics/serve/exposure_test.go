package serve

import (
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"privpipe/pipelines/metrics"
)

// setAll sets each metric, those of topics for a public one and a private one.
func setAll() {
	metrics.Progress()
	metrics.Round(3, 40)
	metrics.Documents(1)
	metrics.Units(1)
	for _, topic := range []string{"releases", "rounds.private"} {
		metrics.Lag(topic, 0).Set(7)
		metrics.MessagesRead(topic, 0).Add(1)
		metrics.MessagesWritten(topic, 11).Add(1)
		metrics.Retries(topic).Add(1)
	}
}

// samples are the lines of numbers in what is served, without the numbers.
func samples(t *testing.T, g prometheus.Gatherer) map[string]bool {
	t.Helper()
	all := make(map[string]bool)
	for line := range strings.Lines(scrape(g)) {
		if !strings.HasPrefix(line, "#") {
			name, _, _ := strings.Cut(line, " ")
			all[name] = true
		}
	}
	return all
}

func scrape(g prometheus.Gatherer) string {
	w := httptest.NewRecorder()
	handler(g, 0).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// TestExposure is the list of all numbers. One that is public here must be so for the reason that claim.md gives.
func TestExposure(t *testing.T) {
	public := []string{
		`privpipe_healthy`,
		`privpipe_kafka_lag_messages{partition="0",topic="releases"}`,
		`privpipe_kafka_messages_read_total{partition="0",topic="releases"}`,
		`privpipe_kafka_messages_written_total{partition="11",topic="releases"}`,
		`privpipe_kafka_retries_total{topic="releases"}`,
		`privpipe_last_progress_timestamp_seconds`,
		`privpipe_round`,
		`privpipe_round_timestamp_seconds`,
		`privpipe_rounds_planned`,
	}
	private := []string{
		`privpipe_documents_total`,
		`privpipe_kafka_lag_messages{partition="0",topic="rounds.private"}`,
		`privpipe_kafka_messages_read_total{partition="0",topic="rounds.private"}`,
		`privpipe_kafka_messages_written_total{partition="11",topic="rounds.private"}`,
		`privpipe_kafka_retries_total{topic="rounds.private"}`,
		`privpipe_units_total`,
	}
	setAll()
	wait := metrics.NewWait("rounds.private", 11)
	wait.Begin()
	defer wait.End()
	time.Sleep(time.Millisecond)
	stalled := slices.Sorted(maps.Keys(samples(t, gatherers(metrics.Options{StallTimeout: time.Nanosecond}))))
	stands := append(slices.Clone(public), `privpipe_stalled_partition{partition="11",topic="rounds.private"}`)
	if slices.Sort(stands); !slices.Equal(stalled, stands) {
		t.Errorf("served while it stands still: %q", stalled)
	}
	if got := slices.Sorted(maps.Keys(samples(t, gatherers(metrics.Options{})))); !slices.Equal(got, public) {
		t.Errorf("served without --private-logs: %q", got)
	}
	all := slices.Sorted(slices.Values(append(public, private...)))
	got := samples(t, gatherers(metrics.Options{Private: true}))
	maps.DeleteFunc(got, func(name string, _ bool) bool { return !strings.HasPrefix(name, "privpipe_") })
	if got := slices.Sorted(maps.Keys(got)); !slices.Equal(got, all) {
		t.Errorf("served with --private-logs: %q", got)
	}
}

// TestNames has Prometheus' own rules for names and help texts checked.
func TestNames(t *testing.T) {
	setAll()
	problems, err := promlint.New(strings.NewReader(scrape(gatherers(metrics.Options{Private: true})[:2]))).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	text := "# HELP bad_count A counter.\n# TYPE bad_count counter\nbad_count 1\n"
	var file strings.Builder
	if err := metrics.WriteText(&file, metrics.Options{Private: true, StallTimeout: time.Nanosecond}); err != nil {
		t.Fatal(err)
	}
	if problems, err := promlint.New(strings.NewReader(file.String())).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("a file: %v, %v", problems, err)
	}
	if problems, err := promlint.New(strings.NewReader(text)).Lint(); err != nil || len(problems) == 0 {
		t.Errorf("the rules let pass what breaks them: %v", err)
	}
}

func BenchmarkCounter(b *testing.B) {
	messages := metrics.MessagesRead("rounds.private", 0)
	for b.Loop() {
		messages.Add(1)
	}
}

func BenchmarkRound(b *testing.B) {
	for b.Loop() {
		metrics.Round(3, 40)
	}
}
