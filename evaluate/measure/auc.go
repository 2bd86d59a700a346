package measure

import (
	"bytes"
	"fmt"
	"math"
	"text/tabwriter"

	"privpipe/evaluate/internal/result"
	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

// AUC measures a classifier of one class.
type AUC struct {
	JSON   bool   `name:"json" help:"Print JSON instead of tables."`
	Output string `short:"o" placeholder:"FILE" help:"Write the result to FILE; standard output by default."`
	Input  string `arg:"" optional:"" default:"-" help:"Stream of predictions of one class; standard input by default."`
}

// Run is kong's hook.
func (c *AUC) Run(r *filter.Run) error {
	if err := endpoint.Distinct(r, c.Output, c.Input); err != nil {
		return err
	}
	in, err := OpenPredictions(r, c.Input, endpoint.Wanted{})
	if err != nil {
		return err
	}
	defer in.Close()
	h := in.Header
	if h.VocabularySize != 1 {
		return exit.Errorf(exit.Malformed,
			"%s: predictions of %d columns: the area under the ROC curve is of one class", in.Name(), h.VocabularySize).
			WithHint("evaluate classes measures predictions of several classes, evaluate pixels those of images")
	}
	if h.Side == wire.Side_PRIVATE {
		r.Log.Warn("the held-out documents are private: no budget covers a measure computed from them")
	}
	meter := &progress.Meter{Name: "evaluate"}
	r.Show(c.Output, meter.Line)
	predictions, err := in.Binary(func() { meter.Documents.Add(1) })
	if err != nil || r.DryRun() {
		return err
	}
	m := measured(predictions)
	return result.Print(r, h.Side, c.Output, c.JSON, m, m.table)
}

// A measurement is the output. Error, Low and High are missing if a class has only one document.
type measurement struct {
	Documents   int      `json:"documents"`
	Positive    int      `json:"positive"`
	AUC         float64  `json:"auc"`
	Error       *float64 `json:"auc_standard_error,omitempty"`
	Low         *float64 `json:"auc_low,omitempty"`
	High        *float64 `json:"auc_high,omitempty"`
	LogLoss     float64  `json:"log_loss"`
	Base        float64  `json:"log_loss_of_share"` // if each prediction were the positive class's share
	Calibration []bin    `json:"calibration"`
}

type bin struct {
	From      float64 `json:"from"`
	To        float64 `json:"to"`
	Documents int     `json:"documents"`
	Predicted float64 `json:"predicted"`
	Observed  float64 `json:"observed"`
	Low       float64 `json:"observed_low"` // 95 % interval, exact
	High      float64 `json:"observed_high"`
}

func measured(predictions []score.Prediction) *measurement {
	area := score.AreaOf(predictions)
	m := &measurement{Documents: len(predictions), AUC: area.AUC, LogLoss: score.LogLoss(predictions)}
	for _, p := range predictions {
		if p.Positive {
			m.Positive++
		}
	}
	if !math.IsNaN(area.Error) {
		low, high := area.Interval()
		m.Error, m.Low, m.High = &area.Error, &low, &high
	}
	m.Base = score.Entropy(m.Positive, m.Documents)
	for _, b := range score.Calibration(predictions) {
		if b.Documents > 0 {
			m.Calibration = append(m.Calibration, bin(b))
		}
	}
	return m
}

func (m *measurement) table(b *bytes.Buffer) error {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "AUC\t95 %% interval\tlog loss\tof the share\tdocuments\tpositive\n%.4f\t", m.AUC)
	if m.Error == nil {
		fmt.Fprintf(w, "-")
	} else {
		fmt.Fprintf(w, "%.4f to %.4f", *m.Low, *m.High)
	}
	fmt.Fprintf(w, "\t%.4f\t%.4f\t%d\t%d\n", m.LogLoss, m.Base, m.Documents, m.Positive)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(b, "\n")
	fmt.Fprintf(w, "probability\tmean\tpositive share\t95 %% interval\tdocuments\n")
	for _, c := range m.Calibration {
		fmt.Fprintf(w, "%.1f to %.1f\t%.4f\t%.4f\t%.4f to %.4f\t%d\n", c.From, c.To, c.Predicted, c.Observed, c.Low,
			c.High, c.Documents)
	}
	return w.Flush()
}
