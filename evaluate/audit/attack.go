package audit

import (
	"fmt"
	"io"
	"slices"

	"privpipe/evaluate/internal/attack"
	"privpipe/evaluate/internal/result"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

// Attack has the attacks.
type Attack struct {
	Topics     AttackTopics     `cmd:"" help:"Guess words of documents from the topics that a Gibbs sampler drew for them."`
	Membership AttackMembership `cmd:"" help:"Guess which documents a model was trained on, from what it says of them."`
}

// AttackTopics guesses topics of tokens.
type AttackTopics struct {
	Assignments  string `required:"" placeholder:"FILE" help:"Read the contributions of all rounds from FILE: the stream between estep gibbs and privatize. It is private."`
	Params       string `required:"" placeholder:"FILE" help:"Read the parameters of all rounds from FILE: the stream of mstep counts --params-out."`
	Increments   bool   `help:"Take contributions as changes of the counts since the round before; by default as the counts."`
	Tokens       int    `default:"300" placeholder:"N" help:"Attack N tokens (default ${default})."`
	Seed         uint64 `zero:"" default:"1" help:"Choose the tokens by this public seed."`
	Every        int    `default:"10" placeholder:"N" help:"Print the success after every N-th round (default ${default}), and after the last."`
	Rounds       []int  `placeholder:"LIST" help:"Print the success after these rounds, such as 10,50,100, and after the last."`
	result.Flags `set:"form=a table"`
	filter.Cells
}

// Help is kong's hook.
func (AttackTopics) Help() string {
	return "The attacker does not know the word of a token. It knows the topic that the token drew in each round, " +
		"the released " +
		"parameters, and all other tokens. Attacked are tokens that occur once in their document, since a " +
		"contribution names their topic: one token of a document while there are enough documents.\n\n" +
		"Two scores weigh each word of the vocabulary. \"equation 24\" of HDP-LDA (Zhao et al. 2021) multiplies the " +
		"shares of the word " +
		"in the drawn topics, by the released counts that the sampler read before the round. Counts below 0 are 0, " +
		"and the prior eta is added. " +
		"Parameters without counts have weights, which mstep counts --denoise floor makes of counts below " +
		"--ceiling. The paper does not normalise the product over the vocabulary; this command does.\n\n" +
		"\"exact\" multiplies the probabilities of the drawn topics, as estep gibbs draws them for the word. The " +
		"topics of a document's " +
		"other tokens after the round stand for those at the draw, and so do the counts of all documents in a " +
		"coupled round. The attacker does not know noise that estep adds to the counts of a document.\n\n" +
		"Printed are the mean probability of the true word, and the share of tokens whose true word is the most " +
		"probable. Chance is 1/V.\n\n" +
		"Contributions must be raw counts of all documents, kept from round to round, with one sweep over all tokens " +
		"a round (no " +
		"--word-rate). No stream tells the number of sweeps, unless draws are unbounded. Keep both streams with " +
		"tee:\n\n" +
		"  sample --all … | estep gibbs --keep … --params FIFO | (umask 077; tee z.pp) | privatize … |\n" +
		"    mstep lda … --params-out >(tee -p params.pp >FIFO) …"
}

// Validate is kong's hook.
func (c *AttackTopics) Validate() error {
	switch {
	case c.Tokens < 1:
		return fmt.Errorf("--tokens must be at least 1, is %d", c.Tokens)
	case c.Every < 1:
		return fmt.Errorf("--every must be at least 1, is %d", c.Every)
	case len(c.Rounds) > 0 && slices.Min(c.Rounds) < 1:
		return fmt.Errorf("--rounds must be at least 1, are %v", c.Rounds)
	case c.Assignments == c.Params:
		return fmt.Errorf("--assignments and --params are both %s", c.Params)
	}
	return nil
}

// Run is kong's hook.
func (c *AttackTopics) Run(r *filter.Run) error {
	contributions := endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_CONTRIBUTIONS}, MaxCells: c.MaxCells}
	parameters := endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC,
		MaxCells: c.MaxCells}
	if r.DryRun() {
		if err := endpoint.CheckStream(r, c.Assignments, contributions); err != nil {
			return err
		}
		return endpoint.CheckStream(r, c.Params, parameters)
	}
	assignments, h, err := endpoint.OpenStream(r, c.Assignments, contributions)
	if err != nil {
		return err
	}
	defer assignments.Close()
	params, of, err := endpoint.OpenStream(r, c.Params, parameters)
	if err != nil {
		return err
	}
	defer params.Close()
	size, err := attack.Fit(h, of)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s and %s: %w", assignments.Name(), params.Name(), err)
	}
	if scores := 2 * uint64(c.Tokens) * uint64(size.Words); c.MaxCells > 0 && scores > c.MaxCells {
		return exit.Errorf(exit.Usage, "--tokens %d has %d scores of words, must have at most %d", c.Tokens, scores,
			c.MaxCells).
			WithHint("fewer --tokens, or --max-cells %d if memory is so large", scores)
	}
	if h.Side == wire.Side_PRIVATE {
		r.Log.Warn("the contributions are private: no budget covers the success of an attack on them")
	}
	meter := &progress.Meter{Name: "evaluate", Unit: "round"}
	r.Show(c.Output, meter.Line)
	found, err := attack.Run(attack.Options{
		Size: size, Tokens: c.Tokens, Seed: c.Seed, Increments: c.Increments,
		Wanted: func(round uint32) bool { return c.wants(int(round)) },
		After: func(round, planned uint32) {
			meter.Done.Store(int64(round))
			meter.Total.Store(int64(planned))
		},
	}, assignments.Reader, params.Reader)
	if err != nil {
		return err
	}
	if err := assignments.Complete(); err != nil {
		return err
	}
	if last := int(found.Rounds[len(found.Rounds)-1].Round); len(c.Rounds) > 0 && slices.Max(c.Rounds) > last {
		return exit.Errorf(exit.Usage, "--rounds %d is beyond the last round, %d", slices.Max(c.Rounds), last)
	}
	return c.Print(r, h.Side, &result.Result{JSON: found, Text: func(w io.Writer) { printScores(w, found) }})
}

func (c *AttackTopics) wants(round int) bool {
	if len(c.Rounds) > 0 {
		return slices.Contains(c.Rounds, round)
	}
	return round%c.Every == 0
}

func printScores(w io.Writer, found *attack.Result) {
	fmt.Fprintf(w, "after round\tequation 24\tmost probable\texact\tmost probable\n")
	for _, row := range found.Rounds {
		fmt.Fprintf(w, "%d\t%.4f\t%.4f\t%.4f\t%.4f\n", row.Round,
			row.Equation.Probability, row.Equation.MostProbable, row.Exact.Probability, row.Exact.MostProbable)
	}
	fmt.Fprintf(w, "chance\t%.4f\t%.4f\t%.4f\t%.4f\n", found.Chance, found.Chance, found.Chance, found.Chance)
	fmt.Fprintf(w, "%d tokens of %d that occur once in their document\n", found.Tokens, found.Candidates)
}
