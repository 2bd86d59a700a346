package measure

import (
	"fmt"
	"io"
	"math"

	"privpipe/evaluate/internal/result"
	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// AUC measures a classifier of one class.
type AUC struct {
	//lint:ignore SA5008 kong reads every set
	ofStream `set:"form=tables" set:"stream=predictions of one class"`
}

// Run is kong's hook.
func (c *AUC) Run(r *filter.Run) error {
	return c.run(r, wire.Kind_PREDICTIONS, "a measure", func(in *Input) (*result.Result, error) {
		if n := in.Header.VocabularySize; n != 1 {
			return nil, exit.Errorf(exit.Malformed,
				"%s: predictions of %d columns: the area under the ROC curve is of one class", in.Name(), n).
				WithHint("evaluate classes measures predictions of several classes, evaluate pixels those of images")
		}
		predictions, err := predictionsOf(in).Binary()
		if err != nil {
			return nil, err
		}
		m := measured(predictions)
		return &result.Result{JSON: m, Text: m.table}, nil
	})
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

func (m *measurement) table(w io.Writer) {
	fmt.Fprintf(w, "AUC\t95 %% interval\tlog loss\tof the share\tdocuments\tpositive\n%.4f\t", m.AUC)
	if m.Error == nil {
		fmt.Fprintf(w, "-")
	} else {
		fmt.Fprintf(w, "%.4f to %.4f", *m.Low, *m.High)
	}
	fmt.Fprintf(w, "\t%.4f\t%.4f\t%d\t%d\n", m.LogLoss, m.Base, m.Documents, m.Positive)
	fmt.Fprintf(w, "\n")
	fmt.Fprintf(w, "probability\tmean\tpositive share\t95 %% interval\tdocuments\n")
	for _, c := range m.Calibration {
		fmt.Fprintf(w, "%.1f to %.1f\t%.4f\t%.4f\t%.4f to %.4f\t%d\n", c.From, c.To, c.Predicted, c.Observed, c.Low,
			c.High, c.Documents)
	}
}
