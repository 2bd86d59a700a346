package gibbs

import (
	"cmp"
	"errors"
	"fmt"

	"privpipe/estep/job"
	"privpipe/estep/shape"
	"privpipe/pipelines/endpoint"
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
	job.Compared
	Sweeps    int     `placeholder:"N" help:"Draw the topic of each token N times a round (default 20, or 1 with --keep). With --score and --infer: N times in all (default 100)."`
	BurnIn    *int    `placeholder:"N" help:"Leave the first N sweeps of a round out of the expected statistic (default 12). With --score and --infer: out of a document's shares of topics (default 50)."`
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
	if err := c.Compared.Check(&c.Job); err != nil {
		return err
	}
	sweeps, burnIn := 20, 12
	switch {
	case !c.Training():
		sweeps, burnIn = 100, 50
	case c.Keep:
		sweeps = 1
	}
	c.Sweeps = cmp.Or(c.Sweeps, sweeps)
	if c.BurnIn == nil {
		c.BurnIn = &burnIn
	}
	o := c.options()
	switch {
	case !c.Training() && (c.Keep || c.State != "" || c.Draws != 0 || c.Secret != ""):
		return errors.New("--keep, --state, --draws and --secret belong to training, not to --score and --infer, whose coins are public")
	case c.Sweeps < 1 || *c.BurnIn < 0:
		return fmt.Errorf("--sweeps must be positive and --burn-in not negative, are %d and %d", c.Sweeps, *c.BurnIn)
	case c.Keep && !o.raw():
		return errors.New("--keep needs --statistic counts --top-topics 0 --word-weight count --norm 0: the counts are the state")
	case c.Draws > 0 && !o.raw():
		return errors.New("--draws needs --statistic counts --top-topics 0 --word-weight count --norm 0: unit word counts each word once")
	case c.Keep && endpoint.IsTopic(c.Input):
		return errors.New("--keep does not go with a topic, whose partitions change hands")
	case (c.Statistic == Expected || !c.Training()) && *c.BurnIn >= c.Sweeps:
		return fmt.Errorf("--burn-in must be below --sweeps, is %d of %d", *c.BurnIn, c.Sweeps)
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
		Sweeps: c.Sweeps, BurnIn: *c.BurnIn, Statistic: c.Statistic, Keep: c.Keep, Draws: c.Draws, Shape: c.Flags.Shape(),
	}
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	o := c.options()
	work := job.Work{Family: lda.Family, New: func() model.EStep { return New(o) }, Keyed: c.Keyed.Coins()}
	var err error
	if o.Unigram, work.Baseline, err = c.Baseline(&c.Job); err != nil {
		return err
	}
	if c.Keep {
		work.Kept = c.Kept.Documents()
	}
	return c.Do(r, work)
}
