package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"privpipe/evaluate/internal/coherence"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

type coherenceCommand struct {
	Reference string `required:"" placeholder:"FILE" help:"Count words in the documents of FILE, which tokenize --public made over the model's vocabulary."`
	Top       int    `default:"10" help:"Compare this many words of each topic."`
	JSON      bool   `name:"json" help:"Print JSON instead of a table."`
	Output    string `short:"o" placeholder:"FILE" help:"Write the result to FILE; standard output by default."`
	Model     string `arg:"" help:"Model file of mstep lda."`
	filter.Cells
}

// Validate is kong's hook.
func (c *coherenceCommand) Validate() error {
	if c.Top < 2 {
		return fmt.Errorf("--top must be at least 2, is %d", c.Top)
	}
	return nil
}

// Run is kong's hook.
func (c *coherenceCommand) Run(r *filter.Run) error {
	if err := r.Check(c.Model, c.Reference); err != nil {
		return err
	}
	if err := endpoint.Distinct(c.Output, c.Model, c.Reference); err != nil {
		return err
	}
	topics, model, err := readTopics(c.Model, byProbability, c.Top, c.MaxCells)
	if err != nil {
		return err
	}
	wanted := endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}}
	meter := &progress.Meter{Name: "evaluate"}
	in, h, err := openReference(c.Reference, c.Model, wanted, model)
	if err != nil {
		return err
	}
	defer in.Close()
	if h.Side == wire.Side_PRIVATE {
		r.Log.Warn("the reference documents are private: no budget covers a coherence computed from them")
	}
	if r.DryRun() {
		return nil
	}
	r.Show(c.Output, meter.Line)
	values, err := coherences(in, topics, func() { meter.Documents.Add(1) })
	if err != nil {
		return err
	}
	b, err := c.print(topics, values)
	if err != nil {
		return err
	}
	return writeTextOf(h.Side, c.Output, b)
}

// openReference opens the documents that a coherence is worked out on.
func openReference(name, of string, wanted endpoint.Wanted, model *wire.Header) (*endpoint.StreamReader, *wire.Header, error) {
	in, h, err := endpoint.OpenStream(name, wanted)
	if err == nil && string(h.Vocabulary) != string(model.Vocabulary) {
		in.Close()
		err = exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", name, of)
	}
	return in, h, err
}

// A coherenceRow has the coherences of a topic, or their means.
type coherenceRow struct {
	NPMI  float64 `json:"npmi"`
	CV    float64 `json:"c_v"`
	CNPMI float64 `json:"c_npmi"`
	UMass float64 `json:"u_mass"`
}

// coherences returns the coherences of the words of each topic in the documents of a stream, and calls counted after each document.
func coherences(in *endpoint.StreamReader, topics []topic, counted func()) ([]coherenceRow, error) {
	ids := make([][]uint32, len(topics))
	var all []uint32
	for i, t := range topics {
		for _, w := range t.Words {
			ids[i] = append(ids[i], uint32(w.id))
		}
		all = append(all, ids[i]...)
	}
	counter := coherence.NewCounter(all)
	var words []uint32
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		words = wire.AppendIDs(words[:0], record.GetDocument().WordGaps)
		counter.Add(words)
		counted()
	}
	if counter.Documents() == 0 {
		return nil, exit.Errorf(exit.Malformed, "%s: no documents", in.Name())
	}
	values := make([]coherenceRow, len(topics))
	for i, of := range ids {
		values[i] = coherenceRow{counter.Topic(of), counter.CV(of), counter.CNPMI(of), counter.UMass(of)}
	}
	return values, nil
}

func (c *coherenceCommand) print(topics []topic, values []coherenceRow) ([]byte, error) {
	type row struct {
		Topic int `json:"topic"`
		coherenceRow
	}
	rows := make([]row, len(topics))
	var mean coherenceRow
	for i, t := range topics {
		x := values[i]
		rows[i] = row{t.Topic, x}
		n := float64(len(topics))
		mean = coherenceRow{mean.NPMI + x.NPMI/n, mean.CV + x.CV/n, mean.CNPMI + x.CNPMI/n, mean.UMass + x.UMass/n}
	}
	var b bytes.Buffer
	if c.JSON {
		err := json.NewEncoder(&b).Encode(map[string]any{
			"mean_npmi": mean.NPMI, "mean_c_v": mean.CV, "mean_c_npmi": mean.CNPMI, "mean_u_mass": mean.UMass,
			"top": c.Top, "topics": rows,
		})
		return b.Bytes(), err
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "topic\tNPMI of its %d likeliest words\tC_V\tC_NPMI\tUMass\n", c.Top)
	line := func(name string, x coherenceRow) {
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.3f\t%.3f\n", name, x.NPMI, x.CV, x.CNPMI, x.UMass)
	}
	for _, x := range rows {
		line(strconv.Itoa(x.Topic), x.coherenceRow)
	}
	line("mean", mean)
	err := w.Flush()
	return b.Bytes(), err
}
