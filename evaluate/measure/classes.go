package measure

import (
	"fmt"
	"io"

	"privpipe/evaluate/internal/result"
	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Classes measures predictions of classes.
type Classes struct {
	//lint:ignore SA5008 kong reads every set
	ofStream `set:"form=tables" set:"stream=predictions of classes"`
}

// Help is kong's hook.
func (Classes) Help() string {
	return "The predicted class is the column of the highest probability, the first of equal ones. A stream of one " +
		"column has two classes: " +
		"the column is predicted where its probability is above one half. Beside the accuracy stands that of always " +
		"predicting the most frequent " +
		"class. Macro F1 is the mean F1 of the classes that some document has or that are predicted for some, as in " +
		"scikit-learn.\n\n" +
		"Intervals have 95 % confidence, for independent documents: the accuracy's is exact (Clopper and Pearson " +
		"1934), that of macro F1 is " +
		"by the delta method (Takahashi et al. 2022)."
}

// Run is kong's hook.
func (c *Classes) Run(r *filter.Run) error {
	return c.run(r, wire.Kind_PREDICTIONS, "a measure", func(in *Input) (*result.Result, error) {
		confusion, names, err := predictionsOf(in).Classes()
		if err != nil {
			return nil, err
		}
		m := classified(confusion, names)
		return &result.Result{JSON: m, Text: m.table}, nil
	})
}

// A classification is the output. Error, Low and High belong to macro F1. They are missing if macro F1 is 0 or 1.
type classification struct {
	Documents    int        `json:"documents"`
	Accuracy     float64    `json:"accuracy"`
	AccuracyLow  float64    `json:"accuracy_low"`
	AccuracyHigh float64    `json:"accuracy_high"`
	Majority     float64    `json:"accuracy_of_majority"` // if each prediction were the most frequent class
	MacroF1      float64    `json:"macro_f1"`
	Error        *float64   `json:"macro_f1_standard_error,omitempty"`
	Low          *float64   `json:"macro_f1_low,omitempty"`
	High         *float64   `json:"macro_f1_high,omitempty"`
	Classes      []classRow `json:"classes"`
	Confusion    [][]int    `json:"confusion"` // rows: classes of documents; columns: predicted classes
}

type classRow struct {
	Class     string  `json:"class"`
	Documents int     `json:"documents"`
	Predicted int     `json:"predicted"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

func classified(confusion *score.Confusion, names []string) *classification {
	m := &classification{Documents: confusion.Documents(), Confusion: confusion.Counts()}
	m.Accuracy, m.AccuracyLow, m.AccuracyHigh = confusion.Accuracy()
	m.Majority = float64(confusion.Largest()) / float64(m.Documents)
	f1, standardError := confusion.MacroF1()
	m.MacroF1 = f1
	if f1 > 0 && f1 < 1 {
		low, high := score.LogitInterval(f1, standardError)
		m.Error, m.Low, m.High = &standardError, &low, &high
	}
	for i, name := range names {
		of := confusion.Class(i)
		m.Classes = append(m.Classes, classRow{name, of.Documents, of.Predicted, of.Precision, of.Recall, of.F1})
	}
	return m
}

func (m *classification) table(w io.Writer) {
	fmt.Fprintf(w, "accuracy\t95 %% interval\tof majority\tmacro F1\t95 %% interval\tdocuments\n"+
		"%.4f\t%.4f to %.4f\t%.4f\t%.4f\t",
		m.Accuracy, m.AccuracyLow, m.AccuracyHigh, m.Majority, m.MacroF1)
	if m.Error == nil {
		fmt.Fprintf(w, "-")
	} else {
		fmt.Fprintf(w, "%.4f to %.4f", *m.Low, *m.High)
	}
	fmt.Fprintf(w, "\t%d\n", m.Documents)
	fmt.Fprintf(w, "\n")
	fmt.Fprintf(w, "class\tprecision\trecall\tF1\tdocuments\tpredicted\n")
	for _, c := range m.Classes {
		fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%.4f\t%d\t%d\n", c.Class, c.Precision, c.Recall, c.F1, c.Documents, c.Predicted)
	}
	fmt.Fprintf(w, "\n")
	fmt.Fprintf(w, "class, by prediction")
	for _, c := range m.Classes {
		fmt.Fprintf(w, "\t%s", c.Class)
	}
	fmt.Fprintf(w, "\n")
	for i, row := range m.Confusion {
		fmt.Fprintf(w, "%s", m.Classes[i].Class)
		for _, n := range row {
			fmt.Fprintf(w, "\t%d", n)
		}
		fmt.Fprintf(w, "\n")
	}
}
