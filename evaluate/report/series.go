package report

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"privpipe/evaluate/internal/page"
	"privpipe/evaluate/internal/released"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/wire"
)

// Series writes the page of topics over time.
type Series struct {
	Title   string `placeholder:"TEXT" default:"Topics over time" help:"Head the page with TEXT."`
	Ledger  string `placeholder:"FILE" help:"Read what was released from this ledger. Needs --account."`
	Model   string `placeholder:"FILE" help:"Show the leading words that topics have now, by this model of mstep follow, whose topics the series counts."`
	Account string `placeholder:"FILE" help:"Read ε and δ from FILE, the JSON of account report for the ledger as it is now."`
	Input   string `arg:"" name:"series.csv" help:"Series of mstep shares."`
	Output  string `arg:"" name:"out.html" output:"" help:"Write the page to this file; - for standard output."`
}

// Help is kong's hook.
func (Series) Help() string {
	return "Writes one HTML file that needs no network: the newest window, the topics that moved, a small chart of " +
		"each topic with its band, and all alarms. All of it follows from releases. ε is never computed here; " +
		"account report --json does that."
}

// Run is kong's hook.
func (c *Series) Run(r *filter.Run) error {
	if (c.Ledger == "") != (c.Account == "") {
		return exit.Errorf(exit.Usage, "--ledger and --account need each other: account computes the ε of the ledger")
	}
	if err := r.Check(c.Input, c.Ledger, c.Account, c.Model); err != nil {
		return err
	}
	s, err := readSeries(r, c.Input)
	if err != nil {
		return err
	}
	s.Title = c.Title
	s.Sources = []page.Row{{Name: "series", Value: described(c.Input)}}
	if c.Model != "" {
		if err := c.words(r, s); err != nil {
			return err
		}
	}
	if c.Ledger != "" {
		if err := c.protect(r, s); err != nil {
			return err
		}
	}
	if r.DryRun() {
		return nil
	}
	html, err := s.HTML()
	if err != nil {
		return exit.Errorf(exit.Usage, "%w", err)
	}
	return endpoint.WriteFile(r, c.Output, wire.Side_PUBLIC, html)
}

// inList is the number of words that a topic has on the page.
const inList = 6

// words adds the leading words of the model's topics.
func (c *Series) words(ctx context.Context, s *page.Series) error {
	m, err := modelfile.ReadTopics(ctx, c.Model, wire.MaxCells)
	if err != nil {
		return err
	}
	words := m.Leading(inList)
	for _, topic := range s.Topics {
		if topic.Topic == "none" {
			continue
		}
		k, err := strconv.Atoi(topic.Topic)
		if err != nil || k < 0 || k >= m.Number {
			return exit.Errorf(exit.Malformed, "%s: has %d topics, and the series topic %s", c.Model, m.Number,
				topic.Topic)
		}
		topic.Now = strings.Join(words[k], ", ")
	}
	s.Learned = true
	s.Sources = append(s.Sources, page.Row{Name: "model", Value: described(c.Model)})
	return nil
}

// protect adds account's statement about the ledger.
func (c *Series) protect(ctx context.Context, s *page.Series) error {
	in, err := endpoint.Open(ctx, c.Ledger)
	if err != nil {
		return err
	}
	defer in.Close()
	ledger, err := event.ReadLedger(in, in.Name)
	if err != nil {
		return err
	}
	report, err := released.ReadReport(ctx, c.Account, ledger)
	if err != nil {
		return err
	}
	s.Protection = page.NewProtection(report)
	s.Sources = append(s.Sources, page.Row{Name: "ledger", Value: fmt.Sprintf("%s, %d lines, last hash %s",
		filepath.Base(c.Ledger), len(ledger.Lines), ledger.LastHash())})
	return nil
}

// A seriesReader reads the table of mstep shares.
type seriesReader struct {
	name    string
	columns map[string]int
	line    []string
	number  int   // of the line
	err     error // the first
}

func (r *seriesReader) text(column string) string { return r.line[r.columns[column]] }

// value reads a number. An empty one is NaN where it may be missing.
func (r *seriesReader) value(column string, missing bool) float64 {
	text := r.text(column)
	if text == "" && missing {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(text, 64)
	if (err != nil || math.IsNaN(x) || math.IsInf(x, 0)) && r.err == nil {
		r.err = exit.Errorf(exit.Malformed, "%s: line %d: %s is no number", r.name, r.number, column)
	}
	return x
}

func (r *seriesReader) reading(value, low, high string) page.Reading {
	return page.Reading{Value: r.value(value, false), Low: r.value(low, false), High: r.value(high, false)}
}

// readSeries reads the table of mstep shares.
func readSeries(ctx context.Context, name string) (*page.Series, error) {
	in, err := endpoint.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines := csv.NewReader(in)
	header, err := lines.Read()
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: no table of mstep shares: %w", name, err)
	}
	r := &seriesReader{name: name, columns: make(map[string]int), number: 1}
	for i, column := range header {
		r.columns[column] = i
	}
	s := &page.Series{Unit: "documents"}
	if _, users := r.columns["users"]; users {
		s.Unit = "users"
	}
	for _, column := range []string{"window", "group", "topic", "name", s.Unit, "low", "high", "share", "share_low",
		"share_high", "change", "baseline", "alarm"} {
		if _, ok := r.columns[column]; !ok {
			return nil, exit.Errorf(exit.Malformed, "%s: no column %s, so it is no table of mstep shares", name, column)
		}
	}
	topics := make(map[[2]string]*page.Multiple)
	for {
		r.line, err = lines.Read()
		if err == io.EOF {
			break
		}
		r.number++
		if err != nil {
			return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
		}
		r.add(s, topics)
		if r.err != nil {
			return nil, r.err
		}
	}
	return s, whole(name, s)
}

// add adds a line to the series.
func (r *seriesReader) add(s *page.Series, topics map[[2]string]*page.Multiple) {
	window, group, topic := r.text("window"), r.text("group"), r.text("topic")
	if n := len(s.Windows); n == 0 || s.Windows[n-1] != window {
		s.Windows, s.Total = append(s.Windows, window), page.Reading{}
	}
	documents := r.reading(s.Unit, "low", "high")
	if topic == "all" {
		// The band of a sum over groups: their noises are independent, so half widths add as squares do.
		width := math.Hypot(s.Total.High-s.Total.Value, documents.High-documents.Value)
		sum := s.Total.Value + documents.Value
		s.Total = page.Reading{Value: sum, Low: max(0, sum-width), High: max(0, sum+width)}
		return
	}
	m := topics[[2]string{group, topic}]
	if m == nil {
		m = &page.Multiple{Group: group, Topic: topic, Name: r.text("name")}
		topics[[2]string{group, topic}] = m
		s.Topics = append(s.Topics, m)
	}
	m.Points = append(m.Points, page.Point{
		Window: window, Documents: documents, Share: r.reading("share", "share_low", "share_high"),
		Change: r.value("change", true), Baseline: r.value("baseline", true), Alarm: r.value("alarm", false) != 0,
	})
}

// whole refuses a table without a window, or where a topic lacks one.
func whole(name string, s *page.Series) error {
	if len(s.Windows) == 0 || len(s.Topics) == 0 {
		return exit.Errorf(exit.Malformed, "%s: no window with its topics", name)
	}
	for _, m := range s.Topics {
		if len(m.Points) != len(s.Windows) {
			return exit.Errorf(exit.Malformed, "%s: topic %s has %d of %d windows", name, m.Topic, len(m.Points),
				len(s.Windows))
		}
	}
	return nil
}
