package measure

import (
	"bytes"
	"fmt"

	"privpipe/evaluate/internal/result"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Diversity counts the different words among a model's likeliest ones.
type Diversity struct {
	Top    int    `default:"25" help:"Take this many words of each topic."`
	JSON   bool   `name:"json" help:"Print JSON instead of text."`
	Output string `short:"o" placeholder:"FILE" help:"Write the result to FILE; standard output by default."`
	Model  string `arg:"" help:"Model file of mstep lda."`
	filter.Cells
}

// Validate is kong's hook.
func (c *Diversity) Validate() error {
	if c.Top < 1 {
		return fmt.Errorf("--top must be at least 1, is %d", c.Top)
	}
	return nil
}

// Run is kong's hook.
func (c *Diversity) Run(r *filter.Run) error {
	if err := endpoint.Distinct(r, c.Output, c.Model); err != nil {
		return err
	}
	topics, _, err := ReadTopics(r, c.Model, byProbability, c.Top, c.MaxCells)
	if err != nil || r.DryRun() {
		return err
	}
	top := len(topics[0].Words) // a small vocabulary has fewer
	value := diversity(topics)
	return result.Print(r, wire.Side_PUBLIC, c.Output, c.JSON,
		map[string]any{"diversity": value, "top": top, "topics": len(topics)}, func(b *bytes.Buffer) error {
			_, err := fmt.Fprintf(b, "%.3f of the %d likeliest words of %d topics are different\n", value, top,
				len(topics))
			return err
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
