package gibbs

import (
	"errors"
	"fmt"

	"privpipe/estep/job"
	"privpipe/estep/shape"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
)

// Command is estep gibbs.
type Command struct {
	job.Job
	job.Keyed
	job.Kept
	Sweeps    int     `placeholder:"N" help:"Draw the topic of each token N times a round (default 20, or 1 with --keep)."`
	BurnIn    int     `default:"12" help:"Leave the first ${default} sweeps of a round out of the expected statistic."`
	Statistic string  `enum:"expected,counts" default:"expected" group:"Contribution" help:"Contribute ${enum}: the mean over sweeps of each token's probabilities of topics, or the counts of drawn topics after the last sweep."`
	Keep      bool    `group:"State" help:"Go on from the topics of the round before instead of drawing them from the start. The statistic must be raw counts: --statistic counts --top-topics 0 --word-weight count --norm 0."`
	Draws     float64 `placeholder:"E" help:"Bound the pure loss of the draws of one token's topic by E a round, for grants of unit word: no two words then differ in the weight of a topic by more than a factor e^(E/2N)."`
	shape.Flags
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if err := c.Flags.Check(); err != nil {
		return err
	}
	if c.Sweeps == 0 {
		c.Sweeps = 20
		if c.Keep {
			c.Sweeps = 1
		}
	}
	o := c.options()
	switch {
	case c.Score || c.Infer:
		return errors.New("estep gibbs trains; score and infer with estep lda, which reads the same models")
	case c.Sweeps < 1 || c.BurnIn < 0:
		return fmt.Errorf("--sweeps must be positive and --burn-in not negative, are %d and %d", c.Sweeps, c.BurnIn)
	case c.Keep && !o.raw():
		return errors.New("--keep needs --statistic counts --top-topics 0 --word-weight count --norm 0: the counts are the state")
	case c.Statistic == Expected && c.BurnIn >= c.Sweeps:
		return fmt.Errorf("--burn-in must be below --sweeps, is %d of %d", c.BurnIn, c.Sweeps)
	case c.State != "" && !c.Keep:
		return errors.New("--state belongs to --keep")
	}
	if c.Draws != 0 {
		return event.CheckDraws(c.Draws)
	}
	return nil
}

func (c *Command) options() Options {
	return Options{
		Sweeps: c.Sweeps, BurnIn: c.BurnIn, Statistic: c.Statistic, Keep: c.Keep, Draws: c.Draws, Shape: c.Flags.Shape(),
	}
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	work := job.Work{Family: lda.Family, New: func() model.EStep { return New(c.options()) }, Keyed: c.Keyed.Coins()}
	if c.Keep {
		work.Kept = c.Kept.Documents()
	}
	return c.Do(r, work)
}
