package page

import (
	"math"
	"slices"
	"testing"
)

// TestAddStart by hand: topics 0 and 1 over twelve words. Topic 0 had all its probability on word 0 but for a
// hundredth, and has it on word 11 now.
func TestAddStart(t *testing.T) {
	words := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}
	start, last := slices.Repeat([]float64{1}, 24), slices.Repeat([]float64{1}, 24)
	start[0], last[11] = 1089, 1089 // 0.99 of 1100
	for i := 12; i < 24; i++ {
		last[i] = 1000 // topic 1 is the larger one, so the page begins with it
	}
	topics := NewTopics(words, last, nil, 5)
	topics.AddStart(words, start, last)
	if len(topics.Changes) != 2 || topics.Changes[0].ID != 1 || topics.Changes[1].ID != 0 {
		t.Fatalf("changes %+v, must be in the order of topics, the largest first", topics.Changes)
	}
	c := topics.Changes[1]
	if want := 1089./1100 - 1./1100; math.Abs(c.Moved-want) > 1e-12 {
		t.Errorf("moved %v, want %v", c.Moved, want)
	}
	if len(c.Before) != changedWords || len(c.After) != changedWords || c.Before[0].Word != "a" ||
		c.After[0] != (ChangedWord{"l", true}) {
		t.Errorf("from %+v to %+v", c.Before, c.After)
	}
	before := make(map[string]bool)
	for _, w := range c.Before {
		before[w.Word] = true
		if w.New {
			t.Errorf("%s is new before", w.Word)
		}
	}
	for _, w := range c.After {
		if w.New == before[w.Word] {
			t.Errorf("%s is new: %v, and before: %v", w.Word, w.New, before[w.Word])
		}
	}
	topics.AddStart(words, last, last)
	for _, c := range topics.Changes[2:] {
		if c.Moved != 0 || slices.ContainsFunc(c.After, func(w ChangedWord) bool { return w.New }) {
			t.Errorf("a model and itself: %+v", c)
		}
	}
}

// TestAddOrigins: each topic gets its own origin though topics are ranked by size, and the mean is by size.
func TestAddOrigins(t *testing.T) {
	topics := NewTopics([]string{"a", "b"}, []float64{1, 1, 3, 3}, nil, 2)
	topics.AddOrigins([]Origin{{Own: 1}, {0, .5, .5}})
	if topics.All[0].ID != 1 || *topics.All[0].Origin != (Origin{0, .5, .5}) ||
		*topics.All[1].Origin != (Origin{Own: 1}) {
		t.Errorf("topic %d has %+v, topic %d has %+v", topics.All[0].ID, *topics.All[0].Origin, topics.All[1].ID,
			*topics.All[1].Origin)
	}
	if want := (Origin{.25, .375, .375}); *topics.Origin != want {
		t.Errorf("all topics have %+v, want %+v", *topics.Origin, want)
	}
}
