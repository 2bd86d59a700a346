package calculate

import (
	"bytes"
	"errors"
	"fmt"

	"privpipe/account/internal/calculator"
	"privpipe/account/internal/papers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/rounded"
)

// NoiseCommand is account noise.
type NoiseCommand struct {
	calculator.NoiseQuery
	Claim      string   `group:"Setting" enum:"zcdp16,zcdp16-strong,zcdp16-linear,vips20,vips20-strong,ma16," default:"" placeholder:"PAPER" help:"Give the noise for which a paper claims ε: zcdp16, zcdp16-strong, zcdp16-linear, vips20, vips20-strong or ma16. That is no bound."`
	RoundDelta *float64 `group:"Setting" placeholder:"X" help:"Set the δ of one round in the formulas of zcdp16 and of strong and linear composition; 1e-6 by default, as in the authors' code."`
	print.Flags
}

// Help is the text that --help adds for this command.
func (NoiseCommand) Help() string {
	return calculator.WhichAccountant + `

The output is that of "account epsilon" for the printed noise, with the same flags: its ε is never above --epsilon. If
no noise over sensitivity up to 1e8 is enough, the exit code is 83, and the message says which ε can be reached.

--claim turns a paper's formula round instead, for its recipes: vips20 with --fixed, ma16 with --poisson, the others
with both. The noise is over the clip, whatever the sensitivity. "account compare" shows what that noise is proved to
cost.`
}

// Validate is kong's hook.
func (c *NoiseCommand) Validate() error {
	if err := c.NoiseQuery.Validate(); err != nil {
		return err
	}
	switch {
	case c.Claim == "" && c.RoundDelta != nil:
		return errors.New("--round-delta belongs to --claim")
	case c.Claim != "" && c.Accountant != "tightest":
		return errors.New("--accountant is for bounds, and --claim is none")
	case c.RoundDelta != nil:
		if err := event.CheckDelta(*c.RoundDelta); err != nil {
			return fmt.Errorf("--round-delta: %w", err)
		}
	}
	return nil
}

// A claimedNoise is the noise for an ε that a paper claims, and its JSON form.
type claimedNoise struct {
	calculator.Answer
	Claim          bool         `json:"claim"` // a paper claims it; it is no bound
	ClaimedEpsilon print.Number `json:"claimed_epsilon"`
	// hides the member of Answer, which programs read as a bound
	NoBound *print.Number `json:"epsilon,omitempty"`
}

// Table prints the answer for people.
func (n *claimedNoise) Table(b *bytes.Buffer) {
	n.Answer.Table(b)
	fmt.Fprintln(b, "a claim of the paper, and no bound: account compare has both")
}

// Run is kong's hook.
func (c *NoiseCommand) Run(r *filter.Run) error {
	if c.Claim != "" {
		return answer(r, c.Flags, c.claimed)
	}
	return answer(r, c.Flags, func() (*calculator.Answer, error) { return c.Find(!c.JSON) })
}

// claimed answers by a paper's formula, which takes the clip for the sensitivity.
func (c *NoiseCommand) claimed() (*claimedNoise, error) {
	roundDelta := papers.RoundDelta
	if c.RoundDelta != nil {
		roundDelta = *c.RoundDelta
	}
	epsilon, printed := rounded.FourDigitsDown(c.Epsilon), rounded.FourDigitsUp // a printed ε is rounded up
	if c.JSON {
		epsilon, printed = c.Epsilon, func(noise float64) float64 { return noise }
	}
	s := c.Setting()
	moved := calculator.Clips(print.Number(s.Sensitivity))
	noise, claim, err := papers.ClaimedNoise(c.Claim, s.Scheme, epsilon, c.Delta, roundDelta, moved, printed)
	if err != nil {
		return nil, err
	}
	s.Sensitivity = 1
	found := &claimedNoise{Answer: s.Asked(noise).About, Claim: true, ClaimedEpsilon: print.Number(claim.Epsilon)}
	found.Accountant, found.Epsilon, found.Delta = claim.Name, print.Number(claim.Epsilon), print.Number(c.Delta)
	found.Theorem = claim.Theorem
	return found, nil
}
