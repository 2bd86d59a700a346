package measure

import (
	"fmt"
	"io"
	"math"
	"strings"

	"privpipe/evaluate/internal/result"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Converged finds the round from which the perplexity hardly changes.
type Converged struct {
	Threshold float64 `zero:"" required:"" placeholder:"X" help:"Let the perplexity change by at most X from one round to the next."`
	For       int     `zero:"" required:"" placeholder:"N" help:"Want N such changes after the first."`
	//lint:ignore SA5008 kong reads every set
	ofStream `set:"form=a line" set:"stream=scores of rounds, of public held-out documents"`
}

// Help is kong's hook.
func (Converged) Help() string {
	return "Prints the first round T for which the perplexity of each of the rounds T to T + N differs by at most " +
		"--threshold from that of " +
		"the round before: the rule of SUB-LDA, §5.4. The perplexity is that of the variational bound, or of scores " +
		"without one, as of estep gibbs, the plug-in perplexity. The exit code is 1 if there is none. " +
		"The rule needs the scores of at least N + 2 rounds.\n\n" +
		"The rule reads a finished run. A run that stopped by it would publish a number of rounds that depends on " +
		"the documents, which no " +
		"budget covers. So private scores are refused without --private-logs: behind the wall, for a look."
}

// Validate is kong's hook.
func (c *Converged) Validate() error {
	switch {
	case !(c.Threshold >= 0) || math.IsInf(c.Threshold, 0):
		return fmt.Errorf("--threshold must not be negative, is %v", c.Threshold)
	case c.For < 0:
		return fmt.Errorf("--for must not be negative, is %d", c.For)
	}
	return nil
}

// Run is kong's hook.
func (c *Converged) Run(r *filter.Run) error {
	in, err := Open(r, c.Input, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_SCORES}})
	if err != nil {
		return err
	}
	defer in.Close()
	if in.Header.Side != wire.Side_PUBLIC && !r.Private() {
		return exit.Errorf(exit.Refused,
			"%s: the held-out documents are private: when a run converges tells about them", in.Name()).
			WithHint("score public documents: tokenize --public")
	}
	r.Show(c.Output, in.meter.Line)
	totals, err := SumScores(in, true)
	if err != nil || r.DryRun() {
		return err
	}
	if least := c.For + 2; len(totals) < least {
		return exit.Errorf(exit.Failure, "%s: scores of too few rounds for the rule: %d, must be at least %d",
			in.Name(), len(totals), least).
			WithHint("mstep --models DIR keeps the model after each round, and estep --score --model DIR scores all " +
				"of them")
	}
	by, err := First(in, totals, ByBound, ByPlugIn)
	if err != nil {
		return err
	}
	perplexity := make([]float64, len(totals))
	for i, t := range totals {
		perplexity[i], _, _ = by.Of(&t.Total)
	}
	at := converged(perplexity, c.Threshold, c.For)
	if at < 0 {
		return exit.Errorf(exit.Failure, "%s: no %d rounds on end with changes of at most %v", in.Name(), c.For+1,
			c.Threshold)
	}
	name := strings.NewReplacer("variational ", "", "-", "_").Replace(string(by))
	return c.Print(r, in.Header.Side, &result.Result{
		JSON: map[string]any{"round": totals[at].Round, name: perplexity[at]},
		Text: func(w io.Writer) {
			fmt.Fprintf(w, "converged at round %d, with a perplexity (%s) of %.1f\n", totals[at].Round, by,
				perplexity[at])
		},
	})
}

// converged returns the first index i such that each of the values i to i+more differs by at most most from the value
// before it. It returns -1 if there is no such index.
func converged(values []float64, most float64, more int) int {
	held := 0
	for i := 1; i < len(values); i++ {
		if !(math.Abs(values[i]-values[i-1]) <= most) {
			held = 0
		} else if held++; held == more+1 {
			return i - more
		}
	}
	return -1
}
