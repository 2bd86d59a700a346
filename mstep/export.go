package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"privpipe/mstep/internal/npy"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

type exportCommand struct {
	Format string `enum:"npy,csv,jsonl,words" default:"npy" help:"${enum}. npy: an array of K × V; words: the words of its columns, one a line; csv: topic,word,value; jsonl: an object a topic."`
	Values string `enum:"lambda,probability" default:"lambda" help:"${enum}. lambda: the topics' parameters; probability: λ over its topic's sum."`
	Output string `short:"o" placeholder:"FILE" help:"Where it goes; standard output by default."`
	Input  string `arg:"" help:"Model file of mstep lda."`
	filter.Cells
}

// Run is kong's hook.
func (c *exportCommand) Run(r *filter.Run) error {
	if err := endpoint.Distinct(c.Output, c.Input); err != nil {
		return err
	}
	in, h, err := endpoint.OpenStream(c.Input, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC, MaxCells: c.MaxCells})
	if err != nil {
		return err
	}
	defer in.Close()
	var words []string
	set, err := in.ReadOne(func(w *wire.Words) { words = append(words, w.Words...) })
	if err != nil {
		return err
	}
	_, m, err := set.Matrix("lambda")
	if err == nil && (len(words) != int(h.VocabularySize) || len(words) != int(m.Columns)) {
		err = errors.New("holds no vocabulary of its topics: not a model file")
	}
	var cells []float64
	if err == nil {
		cells, err = stream.Cells[float64](set, "lambda")
	}
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", c.Input, err)
	}
	if c.Values == "probability" {
		normalize(cells, int(m.Columns))
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
		err = npy.Write(buffered, int(m.Rows), int(m.Columns), cells)
	case "words":
		err = vocabulary.Words(words).Write(buffered)
	case "csv":
		err = writeCSV(buffered, c.Values, words, cells)
	case "jsonl":
		err = writeJSON(buffered, c.Values, words, cells)
	}
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

// normalize divides each row by its sum.
func normalize(cells []float64, columns int) {
	for at := 0; at < len(cells); at += columns {
		row := cells[at : at+columns]
		total := 0.0
		for _, v := range row {
			total += v
		}
		for i := range row {
			row[i] /= total
		}
	}
}

// writeCSV writes a line a cell: topic from 0, word, value.
func writeCSV(w io.Writer, value string, words []string, cells []float64) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"topic", "word", value}); err != nil {
		return err
	}
	for i, v := range cells {
		topic, word := i/len(words), i%len(words)
		if err := out.Write([]string{strconv.Itoa(topic), words[word], strconv.FormatFloat(v, 'g', -1, 64)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// writeJSON writes an object a topic, with a list of values in the order of its list of words.
func writeJSON(w io.Writer, value string, words []string, cells []float64) error {
	out := json.NewEncoder(w)
	for topic := range len(cells) / len(words) {
		object := map[string]any{
			"topic": topic, "words": words, value: cells[topic*len(words) : (topic+1)*len(words)],
		}
		if err := out.Encode(object); err != nil {
			return err
		}
	}
	return nil
}
