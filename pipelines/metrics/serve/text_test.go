package serve

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
)

// TestText: a file has the numbers that a server serves with and without private numbers, as Prometheus' own client
// writes them, and the time.
func TestText(t *testing.T) {
	setAll()
	wait := metrics.NewWait("rounds.private", 11)
	wait.Begin()
	defer wait.End()
	written := regexp.MustCompile(`(?m)^(# \w+ )?privpipe_textfile_timestamp_seconds .*\n`)
	for _, o := range []metrics.Options{{}, {Private: true}, {StallTimeout: time.Nanosecond}} {
		var text strings.Builder
		if err := metrics.WriteText(&text, o); err != nil {
			t.Fatal(err)
		}
		gatherers := gatherers(o)
		if o.Private {
			gatherers = gatherers[:2] // without the numbers of the process
		}
		if n := len(written.FindAllString(text.String(), -1)); n != 3 {
			t.Errorf("the time is on %d lines, want 3: help, type and number", n)
		}
		if got, want := written.ReplaceAllString(text.String(), ""), scrape(gatherers); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", o, got, want)
		}
	}
}

// TestLabels: all numbers of a file get the labels beside their own, so that an exporter can serve several files.
func TestLabels(t *testing.T) {
	setAll()
	var text strings.Builder
	if err := metrics.WriteText(&text,
		metrics.Options{Private: true, Labels: map[string]string{"run": `a "b"`, "stage": "combine"}}); err != nil {
		t.Fatal(err)
	}
	if problems, err := promlint.New(strings.NewReader(text.String())).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("Prometheus cannot read it: %v, %v", problems, err)
	}
	numbers := 0
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		numbers++
		if strings.Count(line, `run="a \"b\""`) != 1 || strings.Count(line, `stage="combine"`) != 1 {
			t.Errorf("without labels: %s", line)
		}
	}
	if want := `privpipe_kafka_lag_messages{partition="0",run="a \"b\"",stage="combine",topic="releases"} 7`; numbers < 14 || !strings.Contains(text.String(), want) {
		t.Errorf("%d numbers, without %s", numbers, want)
	}
}

func TestLabelsRefused(t *testing.T) {
	for name, good := range map[string]bool{"run": true, "_a9": true, "": false, "9a": false, "a-b": false,
		"__name__": false, "topic": false, "partition": false} {
		if err := metrics.CheckLabels(map[string]string{"stage": "x", name: "y"}); (err == nil) != good || !good &&
			exit.Code(err) != exit.Usage {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := metrics.CheckLabels(map[string]string{"run": "\xff"}); exit.Code(err) != exit.Usage {
		t.Errorf("bytes that are no text: %v", err)
	}
}
