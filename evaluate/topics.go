package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

type topicsCommand struct {
	Top    int    `default:"10" help:"Words a topic."`
	JSON   bool   `name:"json" xor:"form" help:"Print JSON: an object a topic."`
	CSV    bool   `name:"csv" xor:"form" help:"Print CSV: topic,share,rank,word,probability."`
	Output string `short:"o" placeholder:"FILE" help:"Where it goes; standard output by default."`
	Model  string `arg:"" help:"Model file of mstep lda."`
	filter.Cells
}

// Validate is kong's hook.
func (c *topicsCommand) Validate() error {
	if c.Top < 1 {
		return fmt.Errorf("--top must be at least 1, is %d", c.Top)
	}
	return nil
}

// A topic is its share of the model and its likeliest words.
type topic struct {
	Topic int     `json:"topic"` // from 0
	Share float64 `json:"share"` // of the model's words
	Words []word  `json:"words"` // the likeliest first
}

type word struct {
	Word        string  `json:"word"`
	Probability float64 `json:"probability"`

	id int
}

// readTopics returns the top words of each topic of a model file, the largest topic first, and the model's header.
func readTopics(name string, top int, maxCells uint64) ([]topic, *wire.Header, error) {
	in, h, err := endpoint.OpenStream(name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC, MaxCells: maxCells})
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	var words []string
	set, err := in.ReadOne(func(w *wire.Words) { words = append(words, w.Words...) })
	if err != nil {
		return nil, nil, err
	}
	lambda, err := readLambda(set, len(words))
	if err != nil {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return rank(lambda, words, top), h, nil
}

func readLambda(set *stream.Set, words int) ([]float64, error) {
	lambda, err := stream.Cells[float64](set, "lambda")
	if err != nil {
		return nil, err
	}
	if _, m, err := set.Matrix("lambda"); err != nil || int(m.Columns) != words {
		return nil, errors.New("holds no vocabulary of its topics: not a model file")
	}
	for _, l := range lambda {
		if !(l > 0) {
			return nil, errors.New("λ of a topic is not positive")
		}
	}
	return lambda, nil
}

func rank(lambda []float64, words []string, top int) []topic {
	topics := make([]topic, len(lambda)/len(words))
	total := 0.0
	for k := range topics {
		row := lambda[k*len(words) : (k+1)*len(words)]
		topics[k].Topic = k
		for _, l := range row {
			topics[k].Share += l
		}
		total += topics[k].Share
		ids := make([]int, len(row))
		for id := range ids {
			ids[id] = id
		}
		slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
		for _, id := range ids[:min(top, len(ids))] {
			topics[k].Words = append(topics[k].Words, word{words[id], row[id] / topics[k].Share, id})
		}
	}
	for k := range topics {
		topics[k].Share /= total
	}
	slices.SortStableFunc(topics, func(a, b topic) int { return cmp.Compare(b.Share, a.Share) })
	return topics
}

// Run is kong's hook.
func (c *topicsCommand) Run(r *filter.Run) error {
	if err := endpoint.Distinct(c.Output, c.Model); err != nil {
		return err
	}
	topics, _, err := readTopics(c.Model, c.Top, c.MaxCells)
	if err != nil || r.DryRun() {
		return err
	}
	var b bytes.Buffer
	switch {
	case c.JSON:
		e := json.NewEncoder(&b)
		for _, t := range topics {
			if err := e.Encode(t); err != nil {
				return err
			}
		}
	case c.CSV:
		if err := writeCSV(&b, topics); err != nil {
			return err
		}
	default:
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "topic\tshare\twords and their probabilities\n")
		for _, t := range topics {
			fmt.Fprintf(w, "%d\t%.1f%%\t", t.Topic, 100*t.Share)
			for i, x := range t.Words {
				if i > 0 {
					fmt.Fprint(w, "  ")
				}
				fmt.Fprintf(w, "%s %.4f", x.Word, x.Probability)
			}
			fmt.Fprintln(w)
		}
		w.Flush()
	}
	return writeText(c.Output, b.Bytes())
}

// writeText writes what a command prints. Text may go to a terminal.
func writeText(name string, text []byte) error {
	return endpoint.WriteFile(cmp.Or(name, endpoint.Stdio), wire.Side_PUBLIC, text)
}

func writeCSV(w io.Writer, topics []topic) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"topic", "share", "rank", "word", "probability"}); err != nil {
		return err
	}
	for _, t := range topics {
		for i, x := range t.Words {
			err := out.Write([]string{
				strconv.Itoa(t.Topic), strconv.FormatFloat(t.Share, 'g', 6, 64), strconv.Itoa(i + 1), x.Word,
				strconv.FormatFloat(x.Probability, 'g', 6, 64),
			})
			if err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
