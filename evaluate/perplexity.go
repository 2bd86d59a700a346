package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"privpipe/evaluate/internal/heldout"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

type perplexityCommand struct {
	JSON   bool   `name:"json" help:"Print JSON instead of a table."`
	Output string `short:"o" placeholder:"FILE" help:"Write the result to FILE; standard output by default."`
	Input  string `arg:"" optional:"" default:"-" help:"Stream of scores; standard input by default."`
}

// Run is kong's hook.
func (c *perplexityCommand) Run(r *filter.Run) error {
	if err := endpoint.Distinct(c.Output, c.Input); err != nil {
		return err
	}
	in, h, err := endpoint.OpenStream(c.Input, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_SCORES}})
	if err != nil {
		return err
	}
	defer in.Close()
	if h.Side == wire.Side_PRIVATE {
		r.Log.Warn("the held-out documents are private: no budget covers a perplexity computed from them")
	}
	meter := &progress.Meter{Name: "evaluate"}
	r.Show(c.Output, meter.Line)
	var total heldout.Total
	var round uint32
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if total.Documents > 0 && record.Round != round {
			return in.Errorf("scores under the parameters of several rounds: one perplexity would mix them")
		}
		round = record.Round
		total.Add(record.GetScore())
		meter.Documents.Add(1)
	}
	if total.Tokens == 0 {
		return exit.Errorf(exit.Malformed, "%s: the held-out documents have no known word", in.Name())
	}
	if r.DryRun() {
		return nil
	}
	var b bytes.Buffer
	if c.JSON {
		err = json.NewEncoder(&b).Encode(perplexities(&total, h))
	} else {
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "per-word perplexity\tmodel\tunigram\tuniform\ttokens\n")
		fmt.Fprintf(w, "variational bound\t%.1f\t%.1f\t%d\t%d\n", total.Bound(), total.Unigram(), h.VocabularySize, total.Tokens)
		if total.CompletionTokens > 0 {
			fmt.Fprintf(w, "document completion\t%.1f\t%.1f\t%d\t%d\n",
				total.Completion(), total.CompletionUnigram(), h.VocabularySize, total.CompletionTokens)
		}
		err = w.Flush()
	}
	if err != nil {
		return err
	}
	return writeText(c.Output, b.Bytes())
}

func perplexities(total *heldout.Total, h *wire.Header) map[string]any {
	values := map[string]any{
		"documents": total.Documents, "tokens": total.Tokens, "bound": total.Bound(), "unigram": total.Unigram(),
		"uniform": h.VocabularySize,
	}
	if total.CompletionTokens > 0 {
		values["completion_tokens"] = total.CompletionTokens
		values["completion"] = total.Completion()
		values["completion_unigram"] = total.CompletionUnigram()
	}
	return values
}
