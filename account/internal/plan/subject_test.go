package plan

import (
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modelfile"
)

// TestFeatures: a family of real numbers has features of its own, so the words of the default vocabulary are not
// assumed.
func TestFeatures(t *testing.T) {
	before := modelfile.Families
	t.Cleanup(func() { modelfile.Families = before })
	modelfile.Families = append(modelfile.Families[:len(before):len(before)], &model.Family{Name: "rows", Values: true})
	f := Subject{Model: "rows", Matrix: []matrix{{name: "gram", rows: perWord, columns: perWord}}}
	_, err := f.subject(t.Context(), slog.New(slog.DiscardHandler), event.Gaussian)
	if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "--vocab must name the list of features") {
		t.Errorf("without --vocab: %v", err)
	}
}

// TestShortForm: --model lda:50 is --model lda --matrix topics=50xV.
func TestShortForm(t *testing.T) {
	subject := func(f Subject) (event.Subject, error) {
		return f.subject(t.Context(), slog.New(slog.DiscardHandler), event.Gaussian)
	}
	want, err := subject(Subject{Model: "lda", Matrix: []matrix{{name: "topics", rows: "50", columns: perWord}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := subject(Subject{Model: "lda:50"}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("lda:50 is %+v, %v; want %+v", got, err, want)
	}
	for flag, says := range map[string]string{
		"lda:": "the number of components", "lda:0": "the number of components", "lda:many": "the number of components",
		"words:3": "model words has no number of components",
	} {
		if _, err := subject(Subject{Model: flag}); exit.Code(err) != exit.Usage ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("--model %s: %v", flag, err)
		}
	}
	_, err = subject(Subject{Model: "lda:2", Matrix: []matrix{{name: "topics", rows: "2", columns: perWord}}})
	if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "leave out --matrix") {
		t.Errorf("the short form with a matrix: %v", err)
	}
	if got, err := subject(Subject{Model: "theirs:2"}); err != nil || got.Model != "theirs:2" {
		t.Errorf("a model of another program: %+v, %v", got, err)
	}
}
