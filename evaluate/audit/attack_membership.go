package audit

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"privpipe/evaluate/internal/attack"
	"privpipe/evaluate/internal/result"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// AttackMembership guesses who was in the training data.
type AttackMembership struct {
	ShadowIn     []string `required:"" sep:"none" placeholder:"FILE" help:"Read what a shadow model says of the documents that it was trained on. Repeat the flag for each shadow model."`
	ShadowOut    []string `required:"" sep:"none" placeholder:"FILE" help:"Read what the same shadow models say of other documents, in the same order."`
	In           string   `required:"" placeholder:"FILE" help:"Read what the attacked model says of the documents that it was trained on."`
	Out          string   `required:"" placeholder:"FILE" help:"Read what the attacked model says of other documents."`
	result.Flags `set:"form=a table"`
}

// Help is kong's hook.
func (AttackMembership) Help() string {
	return "The attacker asks a model about documents and guesses which of them the model was trained on. Each FILE " +
		"is a stream of predictions, or " +
		"of scores, of estep --score. Shadow models are trained like the attacked one, on documents that the " +
		"attacker chose. Two attacks:\n\n" +
		"\"shadow models\" (Shokri et al. 2017) learns, for each class of documents, a logistic regression of " +
		"membership on the sorted probabilities " +
		"of the classes and the probability of the true one; of scores, on the log likelihood of a token.\n\n" +
		"\"likelihood ratio\" (Carlini et al. 2022) compares, for each document, the shadow models that were trained " +
		"on it with those that were not. " +
		"It attacks the documents that some shadow model was trained on and some other was not, by their ids, and is " +
		"left out where there are none.\n\n" +
		"Printed are the balanced accuracy, ½ for a blind guess; the area under the ROC curve; and the share of " +
		"members that are found while at most " +
		"1 % of the others are taken for members. Intervals are of 95 %, for these models: another training may " +
		"differ by more."
}

// Validate is kong's hook.
func (c *AttackMembership) Validate() error {
	if len(c.ShadowIn) != len(c.ShadowOut) {
		return fmt.Errorf("--shadow-in names %d models and --shadow-out %d, must be as many", len(c.ShadowIn),
			len(c.ShadowOut))
	}
	return nil
}

// Run is kong's hook.
func (c *AttackMembership) Run(r *filter.Run) error {
	inputs := slices.Concat(c.ShadowIn, c.ShadowOut, []string{c.In, c.Out})
	if err := endpoint.Once(r, inputs); err != nil {
		return err
	}
	all := &said{side: wire.Side_PUBLIC}
	sets := make([]attack.Set, len(c.ShadowIn)+1)
	for i := range sets {
		in, out := c.In, c.Out
		if i < len(c.ShadowIn) {
			in, out = c.ShadowIn[i], c.ShadowOut[i]
		}
		var err error
		if sets[i].In, err = all.read(r, in); err == nil {
			sets[i].Out, err = all.read(r, out)
		}
		if err != nil {
			return err
		}
	}
	if r.DryRun() {
		return nil
	}
	if all.side == wire.Side_PRIVATE {
		r.Log.Warn("the documents are private: no budget covers the success of an attack on them")
	}
	shadows, target := sets[:len(sets)-1], sets[len(sets)-1]
	guesses, err := attack.Shadow(shadows, target)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%w", err)
	}
	attacks := []namedGuesses{{"shadow models", guesses}, {"likelihood ratio", attack.Ratio(shadows, target)}}
	rows, err := measured(attacks)
	if err != nil {
		return err
	}
	return c.Print(r, all.side, &result.Result{JSON: rows, Text: func(w io.Writer) { printMemberships(w, rows) }})
}

// said reads the answers of models about documents. All streams must be of one kind, with the same columns.
type said struct {
	side   wire.Side
	header *wire.Header // of the first stream
}

func (s *said) read(ctx context.Context, name string) (examples []attack.Example, err error) {
	in, h, err := endpoint.OpenStream(ctx, name,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PREDICTIONS, wire.Kind_SCORES}})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if h.Side == wire.Side_PRIVATE {
		s.side = h.Side
	}
	if s.header == nil {
		s.header = h
	}
	if h.Kind != s.header.Kind || h.VocabularySize != s.header.VocabularySize ||
		!bytes.Equal(h.Vocabulary, s.header.Vocabulary) {
		return nil, exit.Errorf(exit.Malformed, "%s: of another kind than the first stream, or with other columns",
			name)
	}
	seen := make(map[string]bool)
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		e, ok, err := example(record, int(h.VocabularySize))
		if err != nil {
			return nil, exit.Errorf(exit.Malformed, "%w", in.Errorf("%w", err))
		}
		if !ok {
			continue
		}
		if seen[e.ID] {
			return nil, exit.Errorf(exit.Malformed, "%w",
				in.Errorf("a document comes twice: a stream must be of one model"))
		}
		seen[e.ID] = true
		examples = append(examples, e)
	}
	if len(examples) == 0 {
		return nil, exit.Errorf(exit.Malformed, "%s: says nothing of any document", name)
	}
	return examples, nil
}

// leastProbability keeps confidences finite: a model that is sure states a probability of 0 or 1 in binary32.
const leastProbability = 1e-9

// example turns one record into an example. ok is false for records without an answer: the names of columns, and the
// score of an empty document.
func example(record *wire.Record, columns int) (e attack.Example, ok bool, err error) {
	if s := record.GetScore(); s != nil {
		if s.Tokens == 0 {
			return e, false, nil
		}
		likelihood := s.PlugIn
		if likelihood == 0 {
			likelihood = s.Bound
		}
		x := likelihood / float64(s.Tokens)
		return attack.Example{ID: s.Id, Features: []float64{x}, Confidence: x}, true, nil
	}
	p := record.GetPrediction()
	if p == nil {
		return e, false, nil
	}
	var probabilities []float64
	for _, x := range wire.AppendFloats(nil, p.Probabilities) {
		probabilities = append(probabilities, float64(x))
	}
	if columns == 1 { // the column's class, and all other documents
		probabilities = append(probabilities, 1-probabilities[0])
	}
	switch {
	case columns == 1 && p.Label == "" && len(p.TruthGaps) == 0, columns > 1 && len(p.TruthGaps) != 1:
		return e, false, fmt.Errorf("a document must be of exactly one class")
	case columns == 1 && len(p.TruthGaps) == 0:
		e.Class = 1
	case columns > 1:
		e.Class = int(p.TruthGaps[0])
	}
	truth := min(max(probabilities[e.Class], leastProbability), 1-leastProbability)
	e.ID, e.Confidence = p.Id, math.Log(truth/(1-truth))
	slices.SortFunc(probabilities, func(a, b float64) int { return cmp.Compare(b, a) })
	e.Features = append(probabilities, truth)
	return e, true, nil
}

type namedGuesses struct {
	name    string
	guesses []attack.Guess
}

// A membershipRow is one attack in the output. AUCLow and AUCHigh are missing if the area has no interval.
type membershipRow struct {
	Attack       string   `json:"attack"`
	Members      int      `json:"members"`
	Others       int      `json:"others"`
	Accuracy     float64  `json:"accuracy"`
	AccuracyLow  float64  `json:"accuracy_low"`
	AccuracyHigh float64  `json:"accuracy_high"`
	AUC          float64  `json:"auc"`
	AUCLow       *float64 `json:"auc_low,omitempty"`
	AUCHigh      *float64 `json:"auc_high,omitempty"`
	TPR          float64  `json:"true_positive_rate"`
	TPRLow       float64  `json:"true_positive_rate_low"`
	TPRHigh      float64  `json:"true_positive_rate_high"`
	FPR          float64  `json:"false_positive_rate"`
}

func measured(attacks []namedGuesses) (rows []membershipRow, err error) {
	for _, a := range attacks {
		if len(a.guesses) == 0 {
			continue
		}
		m, err := attack.Measure(a.guesses)
		if err != nil {
			return nil, exit.Errorf(exit.Malformed, "%s: %w", a.name, err)
		}
		row := membershipRow{
			Attack: a.name, Members: m.Members, Others: m.Others, Accuracy: m.Accuracy, AccuracyLow: m.AccuracyLow,
			AccuracyHigh: m.AccuracyHigh,
			AUC:          m.Area.AUC, TPR: m.TruePositive, TPRLow: m.TruePositiveLow, TPRHigh: m.TruePositiveHi,
			FPR: attack.FalsePositive,
		}
		if low, high := m.Area.Interval(); low < high { // an area of 0 or 1 has no error by its formula
			row.AUCLow, row.AUCHigh = &low, &high
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func printMemberships(w io.Writer, rows []membershipRow) {
	fmt.Fprintf(w, "attack\taccuracy\t95 %%\tAUC\t95 %%\tfound at 1 %% false\t95 %%\tmembers\tothers\n")
	for _, r := range rows {
		area := "-"
		if r.AUCLow != nil {
			area = fmt.Sprintf("%.4f to %.4f", *r.AUCLow, *r.AUCHigh)
		}
		fmt.Fprintf(w, "%s\t%.4f\t%.4f to %.4f\t%.4f\t%s\t%.4f\t%.4f to %.4f\t%d\t%d\n", r.Attack, r.Accuracy,
			r.AccuracyLow, r.AccuracyHigh,
			r.AUC, area, r.TPR, r.TPRLow, r.TPRHigh, r.Members, r.Others)
	}
}
