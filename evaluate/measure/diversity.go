package measure

import (
	"fmt"
	"io"

	"privpipe/evaluate/internal/result"
	"privpipe/pipelines/filter"
)

// Diversity counts the different words among a model's likeliest ones.
type Diversity struct {
	Top     int `default:"25" help:"Take this many words of each topic."`
	ofModel `set:"form=text"`
}

// Validate is kong's hook.
func (c *Diversity) Validate() error { return checkTop(c.Top, 1) }

// Run is kong's hook.
func (c *Diversity) Run(r *filter.Run) error {
	return c.run(r, c.Top, byProbability, func(topics []topic) *result.Result {
		value, top := diversity(topics), len(topics[0].Words) // a small vocabulary has fewer words than --top
		return &result.Result{
			JSON: map[string]any{"diversity": value, "top": top, "topics": len(topics)},
			Text: func(w io.Writer) {
				fmt.Fprintf(w, "%.3f of the %d likeliest words of %d topics are different\n", value, top, len(topics))
			},
		}
	})
}

// diversity returns topic diversity: the number of different words among the top words of all topics, divided by the
// number of top words. At 1, no word is a top word of two topics. Dieng, Ruiz and Blei, Topic Modeling in Embedding
// Spaces, TACL 2020, §6.
func diversity(topics []topic) float64 {
	different, all := make(map[int]bool), 0
	for _, t := range topics {
		for _, w := range t.Words {
			different[w.id] = true
			all++
		}
	}
	return float64(len(different)) / float64(all)
}
