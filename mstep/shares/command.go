// Package shares makes two things from releases of windows. A series says how many documents of each window have each
// topic, with a band, and an alarm when a share moves. A Follower learns topics that keep their numbers. Both only
// post-process releases.
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
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/wire"
)

// Command is mstep shares.
type Command struct {
	Model      string   `placeholder:"FILE" help:"Name each topic as the model that estep --shares was given does, or by its leading words there; by default topics have numbers only."`
	Groups     string   `placeholder:"FILE" help:"Read the names of the groups from the list that estep --groups was given."`
	Confidence float64  `default:"0.95" placeholder:"P" help:"All bands of a window hold together with the probability P, those of documents and those of shares (default ${default}). They are of the noise."`
	Baseline   int      `default:"8" placeholder:"N" group:"Alarm" help:"Compare a share with that of the N windows before (default ${default})."`
	AlarmRate  float64  `default:"0.05" placeholder:"P" group:"Alarm" help:"Raise a false alarm in a window, in any of its topics, with at most the probability P, where nothing has changed (default ${default})."`
	Change     float64  `zero:"" default:"0" placeholder:"X" group:"Alarm" help:"Raise no alarm of a change of a share up to X, such as 0.01 (default 0)."`
	Alarms     string   `output:"" placeholder:"FILE" group:"Alarm" help:"Also write the alarms to FILE, as JSON."`
	News       string   `output:"" placeholder:"FILE" group:"Alarm" help:"Also write a line for each alarm to FILE, for people, and for each window that has far fewer documents than those before."`
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
	others := []string{c.Model, c.Groups}
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
	s := &Series{
		Confidence: c.Confidence, Test: Test{Rate: c.AlarmRate, Baseline: c.Baseline, Change: c.Change},
	}
	unit, err := c.read(r, s)
	if err != nil {
		return err
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
		few := s.few(unitName(unit))
		for i, window := range s.Windows {
			for _, a := range alarms {
				if a.Window == window.Name {
					lines = append(append(lines, a.line()...), '\n')
				}
			}
			if few[i] != "" {
				lines = append(append(lines, few[i]...), '\n')
			}
		}
		if err := endpoint.WriteFile(r, c.News, wire.Side_PUBLIC, lines); err != nil {
			return err
		}
	}
	return write(r, c.Output, c.Format, unit, rows)
}

// read reads the groups, and the releases of all windows.
func (c *Command) read(ctx context.Context, s *Series) (wire.Unit, error) {
	groups, err := modelfile.ReadGroups(ctx, c.Groups)
	if err != nil {
		return 0, err
	}
	w := &windows{
		family: families.Shares, statistic: families.ShareCounts,
		fits: func(h *wire.Header) error {
			m := h.Matrices[0]
			if m.Columns < 2 || int(m.Rows) != groups.Rows() {
				return fmt.Errorf("releases of %d groups, and --groups has %d", m.Rows, groups.Rows())
			}
			s.Topics = int(m.Columns) - 1
			return nil
		},
		take: func(w Window) { s.Windows = append(s.Windows, w) },
	}
	if err := w.read(ctx, c.Inputs, c.MaxCells); err != nil {
		return 0, err
	}
	if s.Groups = groups; groups == nil {
		s.Groups = []string{""}
	}
	return w.first.Unit, nil
}

// inName is the number of words in a topic's name.
const inName = 3

// names returns the names of topics; nil: they have none.
func (c *Command) names(ctx context.Context, topics int) ([]string, error) {
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
	return names(m), nil
}

// names returns the name of each topic: the one that it was given, or its leading words.
func names(m *modelfile.Topics) []string {
	names := make([]string, m.Number)
	for k, words := range m.Leading(inName) {
		if m.Names != nil {
			names[k] = m.Names[k]
		}
		names[k] = cmp.Or(names[k], strings.Join(words, " "))
	}
	return names
}
