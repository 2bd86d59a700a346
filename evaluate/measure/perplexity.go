package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"privpipe/evaluate/internal/result"
	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

// Perplexity adds up scores.
type Perplexity struct {
	Rounds bool   `help:"Print a row for each round of parameters that the documents were scored under."`
	JSON   bool   `name:"json" help:"Print JSON instead of a table."`
	Output string `short:"o" placeholder:"FILE" help:"Write the result to FILE; standard output by default."`
	Input  string `arg:"" optional:"" default:"-" help:"Stream of scores; standard input by default."`
}

// Run is kong's hook.
func (c *Perplexity) Run(r *filter.Run) error {
	if err := endpoint.Distinct(r, c.Output, c.Input); err != nil {
		return err
	}
	in, h, err := endpoint.OpenStream(r, c.Input, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_SCORES}})
	if err != nil {
		return err
	}
	defer in.Close()
	if h.Side == wire.Side_PRIVATE {
		r.Log.Warn("the held-out documents are private: no budget covers a perplexity computed from them")
	}
	totals, err := readScores(r, in, c.Output, c.Rounds)
	if err != nil || r.DryRun() {
		return err
	}
	var b bytes.Buffer
	switch {
	case c.JSON && c.Rounds:
		all := make([]map[string]any, len(totals))
		for i := range totals {
			all[i] = perplexities(&totals[i].Total, h)
			all[i]["round"] = totals[i].Round
		}
		err = json.NewEncoder(&b).Encode(map[string]any{"rounds": all})
	case c.JSON:
		err = json.NewEncoder(&b).Encode(perplexities(&totals[0].Total, h))
	case c.Rounds:
		err = tableOfRounds(&b, totals)
	default:
		err = table(&b, &totals[0].Total, h)
	}
	if err != nil {
		return err
	}
	return result.TextOf(r, h.Side, c.Output, b.Bytes())
}

// A RoundTotal is the total of all scores under the parameters after one round.
type RoundTotal struct {
	score.Total
	Round uint32
}

// readScores is SumScores with a progress display.
func readScores(r *filter.Run, in *endpoint.StreamReader, output string, several bool) ([]*RoundTotal, error) {
	meter := &progress.Meter{Name: "evaluate"}
	r.Show(output, meter.Line)
	return SumScores(in, several, func() { meter.Documents.Add(1) })
}

// SumScores adds up the scores in a stream, round by round. It refuses a second round unless several is set. It calls
// counted after each score.
func SumScores(in *endpoint.StreamReader, several bool, counted func()) (totals []*RoundTotal, err error) {
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if n := len(totals); n == 0 || totals[n-1].Round != record.Round {
			if n > 0 && !several {
				return nil, exit.Errorf(exit.Malformed, "%w",
					in.Errorf("scores under the parameters of several rounds: one perplexity would mix them")).
					WithHint("evaluate perplexity --rounds prints each")
			}
			totals = append(totals, &RoundTotal{Round: record.Round})
		}
		totals[len(totals)-1].Add(record.GetScore())
		counted()
	}
	if len(totals) == 0 || totals[0].Tokens == 0 {
		return nil, exit.Errorf(exit.Malformed, "%s: the held-out documents have no known word", in.Name())
	}
	for _, t := range totals {
		if t.Tokens != totals[0].Tokens || t.Documents != totals[0].Documents {
			return nil, in.Errorf("the documents of round %d are others than those of round %d", t.Round,
				totals[0].Round)
		}
	}
	return totals, nil
}

// A Kind computes one kind of perplexity from a total. The value is 0 if the scores do not state it.
type Kind struct {
	Name  string
	value func(*RoundTotal) float64
}

// The perplexities that scores may state.
var (
	ByBound      = Kind{"variational bound", func(t *RoundTotal) float64 { return t.Bound() }}
	ByPlugIn     = Kind{"plug-in", func(t *RoundTotal) float64 { return t.PlugIn() }}
	ByCompletion = Kind{"document completion", func(t *RoundTotal) float64 {
		if t.CompletionTokens == 0 {
			return 0
		}
		return t.Completion()
	}}
)

// First returns the first measure that all totals state, and its value for each total.
func First(in *endpoint.StreamReader, totals []*RoundTotal, measures ...Kind) (Kind, []float64, error) {
	for _, m := range measures {
		values := make([]float64, len(totals))
		for i, t := range totals {
			values[i] = m.value(t)
		}
		if !slices.Contains(values, 0) {
			return m, values, nil
		}
	}
	return Kind{}, nil, exit.Errorf(exit.Malformed,
		"%s: not all scores state a perplexity by %s, and not all state one by %s", in.Name(), measures[0].Name,
		measures[1].Name)
}

func table(b *bytes.Buffer, total *score.Total, h *wire.Header) error {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "per-word perplexity\tmodel\tunigram\tuniform\ttokens\n")
	if total.Bound() > 0 {
		fmt.Fprintf(w, "variational bound\t%.1f\t%.1f\t%d\t%d\n", total.Bound(), total.Unigram(), h.VocabularySize,
			total.Tokens)
	}
	if total.PlugIn() > 0 {
		fmt.Fprintf(w, "plug-in\t%.1f\t%.1f\t%d\t%d\n", total.PlugIn(), total.Unigram(), h.VocabularySize, total.Tokens)
	}
	if total.CompletionTokens > 0 {
		fmt.Fprintf(w, "document completion\t%.1f\t%.1f\t%d\t%d\n",
			total.Completion(), total.CompletionUnigram(), h.VocabularySize, total.CompletionTokens)
	}
	return w.Flush()
}

func tableOfRounds(b *bytes.Buffer, totals []*RoundTotal) error {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "round\tvariational bound\tplug-in\tdocument completion\tunigram\ttokens\n")
	number := func(x float64) string {
		if !(x > 0) {
			return "-"
		}
		return fmt.Sprintf("%.1f", x)
	}
	for _, t := range totals {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%.1f\t%d\n", t.Round, number(t.Bound()), number(t.PlugIn()),
			number(ByCompletion.value(t)), t.Unigram(), t.Tokens)
	}
	return w.Flush()
}

// perplexities returns the perplexities of total by their names in JSON.
func perplexities(total *score.Total, h *wire.Header) map[string]any {
	values := map[string]any{
		"documents": total.Documents, "tokens": total.Tokens,
		"unigram": finite(total.Unigram()), "uniform": h.VocabularySize,
	}
	if total.Bound() > 0 {
		values["bound"] = finite(total.Bound())
	}
	if total.PlugIn() > 0 {
		values["plug_in"] = finite(total.PlugIn())
	}
	if total.CompletionTokens > 0 {
		values["completion_tokens"] = total.CompletionTokens
		values["completion"] = finite(total.Completion())
		values["completion_unigram"] = finite(total.CompletionUnigram())
	}
	return values
}

// finite returns a number for JSON. Infinity and NaN become null.
func finite(x float64) any {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return x
}
