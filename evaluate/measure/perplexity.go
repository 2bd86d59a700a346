package measure

import (
	"fmt"
	"io"
	"math"
	"slices"

	"privpipe/evaluate/internal/result"
	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Perplexity adds up scores.
type Perplexity struct {
	Rounds bool `help:"Print a row for each round of parameters that the documents were scored under."`
	//lint:ignore SA5008 kong reads every set
	ofStream `set:"form=a table" set:"stream=scores"`
}

// Run is kong's hook.
func (c *Perplexity) Run(r *filter.Run) error {
	return c.run(r, wire.Kind_SCORES, "a perplexity", func(in *Input) (*result.Result, error) {
		totals, err := SumScores(in, c.Rounds)
		if err != nil {
			return nil, err
		}
		all := make([]map[string]any, len(totals))
		for i, t := range totals {
			all[i] = perplexities(&t.Total, in.Header)
		}
		if !c.Rounds {
			return &result.Result{
				JSON: all[0],
				Text: func(w io.Writer) { table(w, &totals[0].Total, in.Header) },
			}, nil
		}
		for i, t := range totals {
			all[i]["round"] = t.Round
		}
		return &result.Result{
			JSON: map[string]any{"rounds": all},
			Text: func(w io.Writer) { tableOfRounds(w, totals) },
		}, nil
	})
}

// A RoundTotal is the total of all scores under the parameters after one round.
type RoundTotal struct {
	score.Total
	Round uint32
}

// SumScores adds up the scores in a stream, round by round. It refuses a second round unless several is set.
func SumScores(in *Input, several bool) (totals []*RoundTotal, err error) {
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
		in.counted()
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

// A Kind is a kind of perplexity.
type Kind string

// The perplexities that scores may state.
const (
	ByBound      Kind = "variational bound"
	ByPlugIn     Kind = "plug-in"
	ByCompletion Kind = "document completion"
)

// Of returns this kind of perplexity, the baseline's, and the number of tokens. The perplexity is 0 if the scores do
// not state it.
func (k Kind) Of(t *score.Total) (model, unigram float64, tokens uint64) {
	switch k {
	case ByBound:
		return t.Bound(), t.Unigram(), t.Tokens
	case ByPlugIn:
		return t.PlugIn(), t.Unigram(), t.Tokens
	default:
		return t.Completion(), t.CompletionUnigram(), t.CompletionTokens
	}
}

// First returns the first of two kinds of perplexity that all totals state.
func First(in *Input, totals []*RoundTotal, kind, other Kind) (Kind, error) {
	for _, k := range []Kind{kind, other} {
		if !slices.ContainsFunc(totals, func(t *RoundTotal) bool { model, _, _ := k.Of(&t.Total); return model == 0 }) {
			return k, nil
		}
	}
	return "", exit.Errorf(exit.Malformed,
		"%s: not all scores state a perplexity by %s, and not all state one by %s", in.Name(), kind, other)
}

func table(w io.Writer, total *score.Total, h *wire.Header) {
	fmt.Fprintf(w, "per-word perplexity\tmodel\tunigram\tuniform\ttokens\n")
	for _, k := range []Kind{ByBound, ByPlugIn, ByCompletion} {
		if model, unigram, tokens := k.Of(total); model > 0 {
			fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%d\t%d\n", k, model, unigram, h.VocabularySize, tokens)
		}
	}
}

func tableOfRounds(w io.Writer, totals []*RoundTotal) {
	fmt.Fprintf(w, "round\tvariational bound\tplug-in\tdocument completion\tunigram\ttokens\n")
	number := func(x float64) string {
		if !(x > 0) {
			return "-"
		}
		return fmt.Sprintf("%.1f", x)
	}
	for _, t := range totals {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%.1f\t%d\n", t.Round, number(t.Bound()), number(t.PlugIn()),
			number(t.Completion()), t.Unigram(), t.Tokens)
	}
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
