package page

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"privpipe/pipelines/model/modelfile"
)

const (
	foundWords  = 50   // each topic's most relevant words, searchable beside the slider's words
	foundTopics = 5    // the topics with the largest parts of one word
	leastFound  = 0.05 // the smallest part that is named
)

// A Found is a searchable word for the script: the word, and then pairs. A pair has a topic's place in All, and the
// percentage of the word that is in the topic.
type Found []any

// found returns the words that a reader can search for, in the order of the vocabulary. cells are the same as for
// NewTopics.
func (t *Topics) found(words []string, cells, overall []float64) []Found {
	v := len(words)
	among := make(map[int]bool)
	for _, topic := range t.All {
		ranking := modelfile.RankingOf(cells[topic.ID*v:(topic.ID+1)*v], overall)
		for _, id := range ranking.Best(t.Lambda, foundWords) {
			among[id] = true
		}
	}
	for _, ids := range t.ranked {
		for _, id := range ids {
			among[id] = true
		}
	}
	var all []Found
	for _, id := range slices.Sorted(maps.Keys(among)) {
		total := 0.0
		for k := range t.Number {
			total += cells[k*v+id]
		}
		type part struct {
			place int
			share float64
		}
		var parts []part
		for place, topic := range t.All {
			if share := cells[topic.ID*v+id] / total; share >= leastFound {
				parts = append(parts, part{place, share})
			}
		}
		slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.share, a.share) })
		of := Found{words[id]}
		for _, p := range parts[:min(foundTopics, len(parts))] {
			of = append(of, p.place, math.Round(100*p.share))
		}
		all = append(all, of)
	}
	return all
}
