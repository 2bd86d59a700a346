package gibbs

import (
	"errors"
	"fmt"

	"privpipe/estep/job"
	"privpipe/estep/latent"
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
	job.Sharing
	Sweeps    *int    `zero:"" placeholder:"N" help:"Draw the topic of each token N times a round (default 20, or 1 with --keep, where it may be 0). With --score and --infer: N times in all (default 100)."`
	BurnIn    *int    `zero:"" placeholder:"N" help:"Leave the first N sweeps of a round out of the expected statistic (default 12). With --score and --infer: out of a document's shares of topics (default 50)."`
	Statistic string  `enum:"expected,counts,increments" default:"expected" group:"Contribution" help:"Contribute ${enum}: the mean over sweeps of each token's probabilities of topics, the counts of drawn topics after the last sweep, or by how much these have changed in the round."`
	Keep      bool    `group:"State" help:"Go on from the topics of the round before instead of drawing them from the start. The statistic must be raw counts: --statistic counts or increments, --top-topics 0 --word-weight count --norm 0."`
	Draws     float64 `placeholder:"E" help:"Bound the pure loss of the draws of one token's topic by E a round, for grants of unit word: no two words then differ in the weight of a topic by more than a factor e^(E/2N)."`
	Rates
	latent.Flags
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if err := c.Flags.Check(); err != nil {
		return err
	}
	if err := c.Compared.Check(&c.Job); err != nil {
		return err
	}
	c.setDefaults()
	o := c.options()
	switch {
	case !c.Training() && (o.Keep || c.State != "" || o.Draws != 0 || c.Secret != "" || o.Subsampling.Rate != 1):
		return errors.New("--keep, --state, --draws, --word-rate and --secret belong to training, " +
			"not to --score and --infer, whose coins are public")
	case o.Sweeps < 0 || o.Sweeps == 0 && !o.Keep || o.BurnIn < 0:
		return fmt.Errorf("--sweeps must be positive, or 0 with --keep, and --burn-in not negative; they are %d and %d",
			o.Sweeps, o.BurnIn)
	case (o.Statistic == Expected && !o.Keep || !c.Training()) && o.BurnIn >= o.Sweeps:
		return fmt.Errorf("--burn-in must be below --sweeps, is %d of %d", o.BurnIn, o.Sweeps)
	}
	if err := c.checkKept(o); err != nil {
		return err
	}
	if err := event.CheckDraws(o.Draws); err != nil {
		return fmt.Errorf("--draws: %w", err)
	}
	if err := o.Subsampling.check(o.bound() / max(1, float64(o.Sweeps))); err != nil {
		return err
	}
	if o.Subsampling.Adaptive != 0 && o.Subsampling.Least < leastRate {
		return fmt.Errorf("--adaptive needs a --least-rate of at least %v: rounds state a bound on what their draws "+
			"lose", leastRate)
	}
	return nil
}

// Training reports whether the command trains topics, and not only applies them.
func (c *Command) Training() bool { return c.Job.Training() && !c.Shares }

// setDefaults sets the flags with defaults that depend on other flags.
func (c *Command) setDefaults() {
	sweeps, burnIn := 20, 12
	switch {
	case !c.Training():
		sweeps, burnIn = 100, 50
	case c.Keep:
		sweeps = 1
	}
	if c.Sweeps == nil {
		c.Sweeps = &sweeps
	}
	if c.BurnIn == nil {
		c.BurnIn = &burnIn
	}
}

// checkKept checks the flags for topics that are kept from round to round.
func (c *Command) checkKept(o Options) error {
	const raw = "--statistic counts or increments, --top-topics 0 --word-weight count --norm 0"
	switch {
	case o.Keep && !o.raw():
		return errors.New("topics that are kept need " + raw + ": the counts are the state")
	case o.Draws > 0 && !o.raw():
		return errors.New("--draws needs " + raw + ": unit word counts each word once")
	case o.Statistic == Increments && !o.Keep:
		return errors.New("--statistic increments belongs to --keep")
	case c.State != "" && !o.Keep:
		return errors.New("--state belongs to --keep")
	}
	return endpoint.CheckKept("--state", c.State)
}

func (c *Command) options() Options {
	return Options{
		Sweeps: *c.Sweeps, BurnIn: *c.BurnIn, Statistic: c.Statistic, Keep: c.Keep, Draws: c.Draws,
		Subsampling: c.subsampling(), Shape: c.Flags.Shape(),
	}
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) (err error) {
	o := c.options()
	work := job.Work{Family: lda.Family, New: func() model.EStep { return New(o, nil) }, Keyed: c.Keyed.Coins(),
		Sharing: &c.Sharing}
	if o.Unigram, work.Baseline, err = c.Baseline(r, &c.Job); err != nil {
		return err
	}
	if c.Keep {
		work.Kept = c.Kept.Documents()
	}
	return c.Do(r, work)
}

// Moved is filter's hook.
func (*Command) Moved(flag string) string {
	switch flag {
	case "--update", "--document-noise", "--noise-each-round", "--inherent-report", "--initial-state":
		return "sampling in place is estep collapsed"
	}
	return ""
}
