package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
)

type diversityCommand struct {
	Top    int    `default:"25" help:"Take this many words of each topic."`
	JSON   bool   `name:"json" help:"Print JSON instead of text."`
	Output string `short:"o" placeholder:"FILE" help:"Write the result to FILE; standard output by default."`
	Model  string `arg:"" help:"Model file of mstep lda."`
	filter.Cells
}

// Validate is kong's hook.
func (c *diversityCommand) Validate() error {
	if c.Top < 1 {
		return fmt.Errorf("--top must be at least 1, is %d", c.Top)
	}
	return nil
}

// Run is kong's hook.
func (c *diversityCommand) Run(r *filter.Run) error {
	if err := endpoint.Distinct(c.Output, c.Model); err != nil {
		return err
	}
	topics, _, err := readTopics(c.Model, byProbability, c.Top, c.MaxCells)
	if err != nil || r.DryRun() {
		return err
	}
	top := len(topics[0].Words) // a small vocabulary has fewer
	value := diversity(topics)
	if !c.JSON {
		return writeText(c.Output, fmt.Appendf(nil, "%.3f of the %d likeliest words of %d topics are different\n",
			value, top, len(topics)))
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).
		Encode(map[string]any{"diversity": value, "top": top, "topics": len(topics)}); err != nil {
		return err
	}
	return writeText(c.Output, b.Bytes())
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
