package page

import (
	"fmt"
	"math"
	"strings"

	"privpipe/pipelines/model/modelfile"
)

// An Origin says where one topic comes from, for models with public text. The sum of its shares is 1.
type Origin struct{ Own, Public, Frequencies float64 }

// A Kind is a kind of public text, and the share of the text that reads like it. The sum over all kinds is 1.
type Kind struct {
	Name  string
	Share float64
}

// Limits for the kinds in a sentence: their number, and the least share.
const (
	mostKinds = 3
	leastKind = 0.1
)

// Like names the kinds that the text reads most like, with their shares. It is empty if there are none.
func (t *Topics) Like() string {
	var names []string
	for _, k := range t.Kinds {
		if len(names) < mostKinds && k.Share >= leastKind {
			names = append(names, fmt.Sprintf("%s (%.0f\u00a0%%)", k.Name, 100*k.Share))
		}
	}
	return strings.Join(names, ", ")
}

// A Change is one topic before the first release and after the last.
type Change struct {
	ID            int
	Before, After []ChangedWord // the most relevant first
	Moved         float64       // total variation distance between both
}

// A ChangedWord is a topic's leading word, on one side of a change.
type ChangedWord struct {
	Word string
	New  bool // the word is not among the words before
}

// changedWords is the number of words that a change shows on each side.
const changedWords = 10

// AddNames adds the names that topics were given, in the order of the model; nil: none.
func (t *Topics) AddNames(names []string) {
	for i := range t.All {
		if names != nil {
			t.All[i].Given = names[t.All[i].ID]
		}
	}
}

// AddOrigins adds each topic's origin, given the origins of all topics in the model. The page's t.Origin is their mean
// over the topics on the page, weighted by the topics' shares of the words.
func (t *Topics) AddOrigins(origins []Origin) {
	t.Origin = new(Origin)
	shown := 0.0
	for i := range t.All {
		shown += t.All[i].words
	}
	for i := range t.All {
		o, share := origins[t.All[i].ID], t.All[i].words/shown
		t.All[i].Origin = &o
		t.Origin.Own += share * o.Own
		t.Origin.Public += share * o.Public
		t.Origin.Frequencies += share * o.Frequencies
	}
}

// AddStart compares each topic with its start: the topic with the same number in another model over the same words.
// start and last have the cells of both models, in NewTopics's layout. The words are the most relevant at t.Lambda, by
// each model's own frequencies.
func (t *Topics) AddStart(words []string, start, last []float64) {
	startOverall, lastOverall := modelfile.Overall(start, len(words)), modelfile.Overall(last, len(words))
	for _, topic := range t.All {
		before, after := inTopic(start, topic.ID, len(words)), inTopic(last, topic.ID, len(words))
		c := Change{ID: topic.ID}
		known := make(map[int]bool)
		for _, id := range modelfile.RankingOf(before, startOverall).Best(t.Lambda, changedWords) {
			known[id] = true
			c.Before = append(c.Before, ChangedWord{Word: words[id]})
		}
		for _, id := range modelfile.RankingOf(after, lastOverall).Best(t.Lambda, changedWords) {
			c.After = append(c.After, ChangedWord{words[id], !known[id]})
		}
		for v := range words {
			c.Moved += math.Abs(after[v]-before[v]) / 2 // ½ Σ |p − q| (Levin and Peres 2017, proposition 4.2)
		}
		t.Changes = append(t.Changes, c)
	}
}

// inTopic returns one topic's probabilities of words.
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
