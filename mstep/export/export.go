// Package export writes the topics of a model file for other programs.
package export

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"privpipe/mstep/internal/npy"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Command is mstep export.
type Command struct {
	Format string `enum:"npy,csv,jsonl,words" default:"npy" help:"Write this format: ${enum}. npy: an array of K × V; words: the words of its columns, one a line; csv: topic,word,value; jsonl: an object a topic."`
	Values string `enum:"lambda,probability" default:"lambda" help:"Write these values: ${enum}. lambda: the Dirichlet parameters λ of the topics; probability: λ divided by the sum of its topic."`
	Output string `short:"o" placeholder:"FILE" help:"Write to FILE; standard output by default."`
	Input  string `arg:"" help:"Model file of mstep lda."`
	filter.Cells
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	if err := endpoint.Distinct(c.Output, c.Input); err != nil {
		return err
	}
	topics, err := modelfile.ReadTopics(c.Input, c.MaxCells)
	if err != nil {
		return err
	}
	if c.Values == "probability" {
		normalize(topics)
	}
	if r.DryRun() {
		return nil
	}
	name := c.Output
	if name == "" && c.Format != "npy" {
		name = endpoint.Stdio // text may go to a terminal
	}
	out, err := endpoint.Create(name, wire.Side_PUBLIC)
	if err != nil {
		return err
	}
	defer out.Abort()
	buffered := bufio.NewWriterSize(out, 1<<16)
	switch c.Format {
	case "npy":
		err = npy.Write(buffered, topics.Number, len(topics.Words), topics.Cells)
	case "words":
		err = vocabulary.Words(topics.Words).Write(buffered)
	case "csv":
		err = writeCSV(buffered, c.Values, topics)
	case "jsonl":
		err = writeJSON(buffered, c.Values, topics)
	}
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

// normalize divides each topic by its sum.
func normalize(topics *modelfile.Topics) {
	for topic := range topics.Number {
		row := topics.Row(topic)
		total := 0.0
		for _, v := range row {
			total += v
		}
		for i := range row {
			row[i] /= total
		}
	}
}

// writeCSV writes a line for each cell: topic from 0, word, value.
func writeCSV(w io.Writer, value string, topics *modelfile.Topics) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"topic", "word", value}); err != nil {
		return err
	}
	for topic := range topics.Number {
		for word, v := range topics.Row(topic) {
			line := []string{strconv.Itoa(topic), topics.Words[word], strconv.FormatFloat(v, 'g', -1, 64)}
			if err := out.Write(line); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// writeJSON writes an object for each topic, with a list of words and the list of their values.
func writeJSON(w io.Writer, value string, topics *modelfile.Topics) error {
	out := json.NewEncoder(w)
	for topic := range topics.Number {
		object := map[string]any{"topic": topic, "words": topics.Words, value: topics.Row(topic)}
		if err := out.Encode(object); err != nil {
			return err
		}
	}
	return nil
}
