// Package shares makes a series of released shares of topics: how many documents of each window have each topic, with a
// band, and an alarm when a share moves. It only post-processes releases.
package shares

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/relevance"
	"privpipe/pipelines/wire"
)

// Command is mstep shares.
type Command struct {
	Model      string   `placeholder:"FILE" help:"Name each topic by its leading words, from the model that estep --shares was given; by default topics have numbers only."`
	Seeds      string   `placeholder:"FILE" help:"Name the first topics as the list of mstep topics --seeds does."`
	Groups     string   `placeholder:"FILE" help:"Read the names of the groups from the list that estep --groups was given."`
	Confidence float64  `default:"0.95" placeholder:"P" help:"All bands of a window hold together with the probability P, those of documents and those of shares (default ${default}). They are of the noise."`
	Baseline   int      `default:"8" placeholder:"N" group:"Alarm" help:"Compare a share with that of the N windows before (default ${default})."`
	AlarmRate  float64  `default:"0.05" placeholder:"P" group:"Alarm" help:"Raise a false alarm in a window, in any of its topics, with at most the probability P, where nothing has changed (default ${default})."`
	Change     float64  `zero:"" default:"0" placeholder:"X" group:"Alarm" help:"Raise no alarm of a change of a share up to X, such as 0.01 (default 0)."`
	Alarms     string   `output:"" placeholder:"FILE" group:"Alarm" help:"Also write the alarms to FILE, as JSON."`
	News       string   `output:"" placeholder:"FILE" group:"Alarm" help:"Also write a line for each alarm to FILE, for people."`
	Format     string   `enum:"csv,parquet" default:"csv" help:"Write the series in this format, ${enum}."`
	Output     string   `short:"o" placeholder:"FILE" help:"Write the series to FILE; standard output by default."`
	Inputs     []string `arg:"" optional:"" help:"Releases of estep --shares, in the order of the windows. A release is named by its run; one of several in a stream also by its round. Standard input by default."`
	filter.Cells
}

// Help is kong's hook.
func (*Command) Help() string {
	return `
A line is one topic in one window: its number of documents with a band, its share of them, the change since the window
before, the share in the windows before (baseline), and an alarm. The topic "all" is all documents, and "none" those
without a known word. A band is empty of meaning where the documents of a window are too few for the noise: [0, 1].

    mstep shares --model model.pp -o series.csv 2026-W10.pp 2026-W11.pp 2026-W12.pp`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	for name, p := range map[string]float64{"--confidence": c.Confidence, "--alarm-rate": c.AlarmRate} {
		if !(p > 0 && p < 1) {
			return fmt.Errorf("%s must be in (0, 1), is %v", name, p)
		}
	}
	switch {
	case c.Baseline < 1:
		return fmt.Errorf("--baseline must be at least 1, is %d", c.Baseline)
	case !(c.Change >= 0 && c.Change < 1):
		return fmt.Errorf("--change must be in [0, 1), is %v", c.Change)
	}
	return nil
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	if len(c.Inputs) == 0 {
		c.Inputs = []string{endpoint.Stdio}
	}
	others := []string{c.Model, c.Seeds, c.Groups}
	if err := r.Check(append(others, c.Inputs...)...); err != nil {
		return err
	}
	if err := endpoint.Once(r, c.Inputs); err != nil {
		return err
	}
	if err := endpoint.Distinct(r, c.Output, append(others, c.Inputs...)...); err != nil {
		return err
	}
	onStdout := 0
	for _, name := range []string{cmp.Or(c.Output, endpoint.Stdio), c.Alarms, c.News} {
		if name != "" && endpoint.IsStdout(name) {
			onStdout++
		}
	}
	if onStdout > 1 {
		return exit.Errorf(exit.Usage, "two of --output, --alarms and --news are standard output")
	}
	if r.DryRun() {
		return nil
	}
	in, err := c.read(r)
	if err != nil {
		return err
	}
	s := &Series{
		Windows: in.windows, Topics: int(in.matrix.Columns) - 1, Groups: in.groups, Confidence: c.Confidence,
		Test: Test{Rate: c.AlarmRate, Baseline: c.Baseline, Change: c.Change},
	}
	if s.Names, err = c.names(r, s.Topics); err != nil {
		return err
	}
	rows := s.Rows()
	alarms := []*Alarm{} // an empty list in JSON
	for _, row := range rows {
		if row.Alarm != nil {
			alarms = append(alarms, row.Alarm)
		}
	}
	r.Summarize("windows", len(s.Windows))
	r.Summarize("alarms", len(alarms))
	if c.Alarms != "" {
		b, err := json.MarshalIndent(map[string]any{
			"rate": c.AlarmRate, "windows": len(s.Windows), "newest": s.Windows[len(s.Windows)-1].Name,
			"alarms": alarms,
		}, "", "  ")
		if err != nil {
			return err
		}
		if err := endpoint.WriteFile(r, c.Alarms, wire.Side_PUBLIC, append(b, '\n')); err != nil {
			return err
		}
	}
	if c.News != "" {
		var lines []byte
		for _, a := range alarms {
			lines = append(append(lines, a.line(unitName(in.unit))...), '\n')
		}
		if err := endpoint.WriteFile(r, c.News, wire.Side_PUBLIC, lines); err != nil {
			return err
		}
	}
	return write(r, c.Output, c.Format, in.unit, rows)
}

// inName is the number of words in a topic's name.
const inName = 3

// names returns the names of topics: those of --seeds, and then the leading words.
func (c *Command) names(ctx context.Context, topics int) ([]string, error) {
	if c.Seeds == "" {
		return c.leading(ctx, topics)
	}
	seeds, err := modelfile.ReadSeeds(ctx, c.Seeds)
	if err != nil {
		return nil, err
	}
	if len(seeds) > topics {
		return nil, exit.Errorf(exit.Malformed, "%s: names %d topics, the releases have %d", c.Seeds, len(seeds),
			topics)
	}
	names, err := c.leading(ctx, topics)
	if names == nil {
		names = make([]string, topics)
	}
	for k, seed := range seeds {
		names[k] = seed.Name
	}
	return names, err
}

// leading returns the leading words of each topic of --model; nil without it.
func (c *Command) leading(ctx context.Context, topics int) ([]string, error) {
	if c.Model == "" {
		return nil, nil
	}
	m, err := modelfile.ReadTopics(ctx, c.Model, c.MaxCells)
	if err != nil {
		return nil, err
	}
	if m.Number != topics {
		return nil, exit.Errorf(exit.Malformed, "%s: has %d topics, the releases %d", c.Model, m.Number, topics)
	}
	overall, names := relevance.Overall(m.Cells, len(m.Words)), make([]string, topics)
	for k := range names {
		var words []string
		for _, id := range relevance.Of(m.Row(k), overall).Best(relevance.Default, inName) {
			words = append(words, m.Words[id])
		}
		names[k] = strings.Join(words, " ")
	}
	return names, nil
}
