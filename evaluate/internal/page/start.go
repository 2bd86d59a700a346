package page

import (
	"fmt"
	"math"
	"strings"

	"privpipe/pipelines/model/relevance"
)

// An Origin is where a topic of a model with public text comes from: shares whose sum is 1.
type Origin struct{ Own, Public, Frequencies float64 }

// A Kind is a kind of public text, and how much of the text reads like it. All kinds together have 1.
type Kind struct {
	Name  string
	Share float64
}

// The kinds that a sentence names.
const (
	mostKinds = 3
	leastKind = 0.1
)

// Like names the kinds that the text reads most like, with their shares; empty for none.
func (t *Topics) Like() string {
	var names []string
	for _, k := range t.Kinds {
		if len(names) < mostKinds && k.Share >= leastKind {
			names = append(names, fmt.Sprintf("%s (%.0f\u00a0%%)", k.Name, 100*k.Share))
		}
	}
	return strings.Join(names, ", ")
}

// A Change is a topic before the first release and after the last.
type Change struct {
	ID            int
	Before, After []ChangedWord // the most relevant first
	Moved         float64       // total variation distance between both
}

// A ChangedWord is a word of a change.
type ChangedWord struct {
	Word string
	New  bool // it is not among the words before
}

// changedWords is how many words a change shows of either side.
const changedWords = 10

// AddOrigins says where each topic comes from, given that of each topic of the model. The mean is that of the topics that the page shows, by their
// shares of the text.
func (t *Topics) AddOrigins(origins []Origin) {
	t.Origin = new(Origin)
	shown := 0.0
	for i := range t.All {
		shown += t.All[i].Share
	}
	for i := range t.All {
		o, share := origins[t.All[i].ID], t.All[i].Share/shown
		t.All[i].Origin = &o
		t.Origin.Own += share * o.Own
		t.Origin.Public += share * o.Public
		t.Origin.Frequencies += share * o.Frequencies
	}
}

// AddStart compares each topic with that of the same number in another model over the same words. Of both, cells are as NewTopics takes them. The
// words are those by the relevance with which the page begins, each side's by its own frequencies.
func (t *Topics) AddStart(words []string, start, last []float64) {
	startOverall, lastOverall := relevance.Overall(start, len(words)), relevance.Overall(last, len(words))
	for _, topic := range t.All {
		before, after := inTopic(start, topic.ID, len(words)), inTopic(last, topic.ID, len(words))
		c := Change{ID: topic.ID}
		known := make(map[int]bool)
		for _, id := range relevance.Of(before, startOverall).Best(t.Lambda, changedWords) {
			known[id] = true
			c.Before = append(c.Before, ChangedWord{Word: words[id]})
		}
		for _, id := range relevance.Of(after, lastOverall).Best(t.Lambda, changedWords) {
			c.After = append(c.After, ChangedWord{words[id], !known[id]})
		}
		for v := range words {
			c.Moved += math.Abs(after[v]-before[v]) / 2 // ½ Σ |p − q| (Levin and Peres 2017, proposition 4.2)
		}
		t.Changes = append(t.Changes, c)
	}
}

// inTopic returns the probabilities of a topic.
func inTopic(cells []float64, topic, words int) []float64 {
	row, size := make([]float64, words), 0.0
	for v, c := range cells[topic*words : (topic+1)*words] {
		row[v] = c
		size += c
	}
	for v := range row {
		row[v] /= size
	}
	return row
}
