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
	topics, model, err := readTopics(c.Model, c.Top, c.MaxCells)
	if err != nil {
		return err
	}
	in, h, err := endpoint.OpenStream(c.Reference, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}})
	if err != nil {
		return err
	}
	defer in.Close()
	if string(h.Vocabulary) != string(model.Vocabulary) {
		return exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", c.Reference, c.Model)
	}
	if h.Side == wire.Side_PRIVATE {
		r.Log.Warn("the reference documents are private: no budget covers a coherence computed from them")
	}
	if r.DryRun() {
		return nil
	}
	ids := make([][]uint32, len(topics))
	var all []uint32
	for i, t := range topics {
		for _, w := range t.Words {
			ids[i] = append(ids[i], uint32(w.id))
		}
		all = append(all, ids[i]...)
	}
	counter := coherence.NewCounter(all)
	meter := &progress.Meter{Name: "evaluate"}
	r.Show(c.Output, meter.Line)
	var words []uint32
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		words = wire.AppendIDs(words[:0], record.GetDocument().WordGaps)
		counter.Add(words)
		meter.Documents.Add(1)
	}
	if counter.Documents() == 0 {
		return exit.Errorf(exit.Malformed, "%s: no documents", c.Reference)
	}
	b, err := c.print(topics, ids, counter)
	if err != nil {
		return err
	}
	return writeText(c.Output, b)
}

// A coherenceRow has the coherences of a topic, or their means.
type coherenceRow struct {
	NPMI  float64 `json:"npmi"`
	CV    float64 `json:"c_v"`
	CNPMI float64 `json:"c_npmi"`
	UMass float64 `json:"u_mass"`
}

func (c *coherenceCommand) print(topics []topic, ids [][]uint32, counter *coherence.Counter) ([]byte, error) {
	type row struct {
		Topic int `json:"topic"`
		coherenceRow
	}
	rows := make([]row, len(topics))
	var mean coherenceRow
	for i, t := range topics {
		x := coherenceRow{counter.Topic(ids[i]), counter.CV(ids[i]), counter.CNPMI(ids[i]), counter.UMass(ids[i])}
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
