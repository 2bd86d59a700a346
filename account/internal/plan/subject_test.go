package plan

import (
	"log/slog"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// TestFeatures: a family of real numbers has features of its own, so the words of the default vocabulary are not
// assumed.
func TestFeatures(t *testing.T) {
	before := families.All
	t.Cleanup(func() { families.All = before })
	families.All = append(families.All[:len(before):len(before)], &model.Family{Name: "rows", Values: true})
	f := subjectFlags{Model: "rows", Matrix: []matrix{{name: "gram", rows: perWord, columns: perWord}}}
	_, err := f.subject(slog.New(slog.DiscardHandler), event.Gaussian)
	if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "--vocab must name the list of features") {
		t.Errorf("without --vocab: %v", err)
	}
}
