package serve

import (
	"strings"
	"testing"

	"privpipe/pipelines/metrics"
)

// TestText: a file has the numbers that a server serves with and without private numbers, as Prometheus' own client writes them.
func TestText(t *testing.T) {
	setAll()
	for _, private := range []bool{false, true} {
		var text strings.Builder
		if err := metrics.WriteText(&text, private); err != nil {
			t.Fatal(err)
		}
		gatherers := gatherers(metrics.Options{Private: private})
		if private {
			gatherers = gatherers[:2] // without the numbers of the process
		}
		if got, want := text.String(), scrape(gatherers); got != want {
			t.Errorf("private %v:\n%s\nwant\n%s", private, got, want)
		}
	}
}
