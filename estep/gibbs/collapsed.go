package gibbs

import (
	"errors"
	"fmt"
	"math"

	"privpipe/estep/job"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
)

// CollapsedCommand is estep collapsed. Its rounds are coupled: the counts of all documents follow each draw.
type CollapsedCommand struct {
	job.Rounds
	job.Keyed
	job.Kept
	InitialState   string  `placeholder:"FILE" group:"State" help:"Begin with the state of another run, which is a --state file of the same model and vocabulary. No charge of this run counts what the other run drew."`
	Sweeps         int     `zero:"" default:"1" placeholder:"N" help:"Draw the topic of each token N times a round (default 1)."`
	Statistic      string  `enum:"counts,increments" default:"counts" help:"Contribute ${enum}: the counts of drawn topics after the last sweep, or by how much these have changed in the round."`
	Draws          float64 `placeholder:"E" help:"State the loss of the draws of one token's topic in a round, as a paper claims it, for grants of unit word."`
	DocumentNoise  float64 `placeholder:"X" help:"Add Laplace noise of scale X to each document's number of tokens in each topic, once; it stays (CDP-LDA)."`
	NoiseEachRound bool    `help:"Add the --document-noise in each round, to that of the rounds before (CDP-LDA+)."`
	DrawNoise      float64 `placeholder:"X" help:"Add Gaussian noise of standard deviation X to the counts of a word before each draw of its topic; it stays (SUB-LDA, algorithm 1, literally). It needs --statistic increments."`
	Rates
	InherentReport string `output:"" placeholder:"FILE" help:"Write the counts that bound the loss of each sweep without noise (account gibbs --largest-count) to FILE, a line of JSON a round. They are as private as the documents."`
}

// Help is what --help adds for this command.
func (*CollapsedCommand) Help() string {
	return "A sweep draws the topics of all tokens, one after another, and the counts of all documents follow each " +
		"draw, as in samplers without privacy and in papers. No privacy theorem covers it, so only privatize none, " +
		"or a grant for a paper's claim, takes such rounds. Documents keep their topics from round to round. " +
		"estep gibbs trains with a guarantee; it also scores documents and infers their topics."
}

// Validate is kong's hook.
func (c *CollapsedCommand) Validate() error {
	switch {
	case c.Sweeps < 0:
		return fmt.Errorf("--sweeps must not be negative, is %d", c.Sweeps)
	case c.InitialState == endpoint.Stdio:
		return errors.New("--initial-state must name a file")
	case !(c.DocumentNoise >= 0 && c.DocumentNoise <= math.MaxFloat32):
		return fmt.Errorf("--document-noise must be positive, is %v", c.DocumentNoise)
	case c.NoiseEachRound && c.DocumentNoise == 0:
		return errors.New("--noise-each-round belongs to --document-noise")
	}
	switch {
	case !(c.DrawNoise >= 0 && c.DrawNoise <= math.MaxFloat32):
		return fmt.Errorf("--draw-noise must be positive, is %v", c.DrawNoise)
	case c.DrawNoise > 0 && c.Statistic != Increments:
		return errors.New("--draw-noise needs --statistic increments: the noise stays in the counts of all rounds")
	}
	if err := event.CheckDraws(c.Draws); err != nil {
		return fmt.Errorf("--draws: %w", err)
	}
	if err := endpoint.CheckKept("--state", c.State); err != nil {
		return err
	}
	return c.subsampling().check(0)
}

// usualBurnIn is a setting of rounds that a sampler of kept topics does not use.
const usualBurnIn = 12

func (c *CollapsedCommand) options() Options {
	return Options{
		Sweeps: c.Sweeps, BurnIn: usualBurnIn, Statistic: c.Statistic, Keep: true, Draws: c.Draws, InPlace: true,
		DocumentNoise: c.DocumentNoise, NoiseEachRound: c.NoiseEachRound, DrawNoise: c.DrawNoise,
		Subsampling: c.subsampling(),
	}
}

// Run is kong's hook.
func (c *CollapsedCommand) Run(r *filter.Run) (err error) {
	if err := endpoint.Distinct(r, c.InherentReport, c.Output, c.Input, c.Params, c.Secret, c.State,
		c.InitialState); err != nil {
		return err
	}
	var report func(Inherent) error // nil: nobody wants it
	if c.InherentReport != "" && !r.DryRun() {
		if report, err = inherentReport(r, c.InherentReport); err != nil {
			return err
		}
	}
	kept := c.Kept.Documents()
	kept.InitialState = c.InitialState
	return c.Answer(r, job.Work{
		Family: lda.Family, New: func() model.EStep { return New(c.options(), report) }, Keyed: c.Keyed.Coins(),
		Kept: kept,
	})
}
