package lda

import (
	"slices"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
)

// TestNames: names come back as they were put, and names or numbers that cannot be are refused.
func TestNames(t *testing.T) {
	size := model.Size{Words: 3, Components: 2}
	for _, c := range []struct {
		names map[string]float64
		want  []string
		bad   bool
	}{
		{nil, nil, false},
		{map[string]float64{"fish tanks": 1}, []string{"", "fish tanks"}, false},
		{map[string]float64{"a": 0, "b": 1}, []string{"a", "b"}, false},
		{map[string]float64{"a": 0, "b": 0}, nil, true},
		{map[string]float64{"a": 2}, nil, true},
		{map[string]float64{"a": -1}, nil, true},
		{map[string]float64{"a": 0.5}, nil, true},
		{map[string]float64{"": 0}, nil, true},
		{map[string]float64{"a\nb": 0}, nil, true},
		{map[string]float64{"a\x1b[31m": 0}, nil, true},
	} {
		s := new(model.Snapshot)
		for name, topic := range c.names {
			Name(name).Put(s, topic)
		}
		got, err := NamesOf(modeltest.Snapshot(Family.Name, s), size)
		if (err != nil) != c.bad || !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, %v", c.names, got, err)
		}
	}
}
