package gibbs

import (
	"cmp"
	"errors"
	"fmt"
	"math"

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
	Sweeps         *int    `zero:"" placeholder:"N" help:"Draw the topic of each token N times a round (default 20, or 1 with --keep, where it may be 0). With --score and --infer: N times in all (default 100)."`
	BurnIn         *int    `zero:"" placeholder:"N" help:"Leave the first N sweeps of a round out of the expected statistic (default 12). With --score and --infer: out of a document's shares of topics (default 50)."`
	Statistic      string  `enum:"expected,counts,increments" default:"expected" group:"Contribution" help:"Contribute ${enum}: the mean over sweeps of each token's probabilities of topics, the counts of drawn topics after the last sweep, or by how much these have changed in the round."`
	Keep           bool    `group:"State" help:"Go on from the topics of the round before instead of drawing them from the start. The statistic must be raw counts: --statistic counts or increments, --top-topics 0 --word-weight count --norm 0."`
	Draws          float64 `placeholder:"E" help:"Bound the pure loss of the draws of one token's topic by E a round, for grants of unit word: no two words then differ in the weight of a topic by more than a factor e^(E/2N)."`
	Update         string  `enum:"frozen,in-place" default:"frozen" help:"During a round, ${enum}: read only counts that were released before it, or let the counts of all documents follow each draw, as samplers without privacy do. No privacy theorem covers in-place, so only privatize none, or a grant for a paper's claim, takes such rounds. It implies --keep; --draws is then the loss that the paper claims."`
	DocumentNoise  float64 `placeholder:"X" help:"Add Laplace noise of scale X to each document's number of tokens in each topic, once; it stays. In place only (CDP-LDA)."`
	NoiseEachRound bool    `help:"Add the --document-noise in each round, to that of the rounds before (CDP-LDA+)."`
	WordRate       float64 `default:"1" group:"Subsampling" placeholder:"G" help:"Draw the topic of a token again with probability G in each sweep; the others keep theirs (SUB-LDA). It saves time, and amplifies no guarantee."`
	Adaptive       float64 `group:"Subsampling" placeholder:"V" help:"Draw tokens of words that are frequent in their topic with probability V times --word-rate, and others with --least-rate."`
	Frequent       float64 `group:"Subsampling" placeholder:"Q" help:"With --adaptive: the likeliest words of a topic that together have this share of it are frequent (default 0.5)."`
	LeastRate      float64 `zero:"" group:"Subsampling" placeholder:"R" help:"With --adaptive: the probability of the other words (default 0, which goes with --update in-place only)."`
	InherentReport string  `output:"" placeholder:"FILE" help:"Write the counts that bound the loss of each sweep in place without noise (account gibbs --largest-count) to FILE, a line of JSON a round. They are as private as the documents."`
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
	c.setDefaults()
	o := c.options()
	switch {
	case !c.Training() && (o.Keep || c.State != "" || c.InitialState != "" || o.Draws != 0 || c.Secret != "" ||
		o.Subsampling.Rate != 1):
		return errors.New("--keep, --update in-place, --state, --draws, --word-rate and --secret belong to training, " +
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
	if o.Subsampling.Adaptive != 0 && !o.InPlace && o.Subsampling.Least < leastRate {
		return fmt.Errorf("--adaptive needs a --least-rate of at least %v, except in place: rounds state a bound on "+
			"what their draws lose", leastRate)
	}
	return nil
}

// setDefaults sets the flags with defaults that depend on other flags.
func (c *Command) setDefaults() {
	c.Keep = c.Keep || c.inPlace()
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
	if c.Adaptive != 0 {
		c.Frequent = cmp.Or(c.Frequent, 0.5)
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
	case c.InitialState != "" && !o.InPlace:
		return errors.New("--initial-state belongs to --update in-place: no charge would count what the other run drew")
	case c.InitialState == endpoint.Stdio:
		return errors.New("--initial-state must name a file")
	case o.DocumentNoise != 0 && !(o.InPlace && o.DocumentNoise > 0 && o.DocumentNoise <= math.MaxFloat32):
		return fmt.Errorf("--document-noise must be positive and belongs to --update in-place, is %v", o.DocumentNoise)
	case o.NoiseEachRound && o.DocumentNoise == 0:
		return errors.New("--noise-each-round belongs to --document-noise")
	case c.InherentReport != "" && !o.InPlace:
		return errors.New("--inherent-report belongs to --update in-place")
	}
	return endpoint.CheckKept("--state", c.State)
}

func (c *Command) inPlace() bool { return c.Update == "in-place" }

func (c *Command) options() Options {
	return Options{
		Sweeps: *c.Sweeps, BurnIn: *c.BurnIn, Statistic: c.Statistic, Keep: c.Keep, Draws: c.Draws,
		InPlace: c.inPlace(), DocumentNoise: c.DocumentNoise, NoiseEachRound: c.NoiseEachRound,
		Subsampling: Subsampling{Rate: c.WordRate, Adaptive: c.Adaptive, Frequent: c.Frequent, Least: c.LeastRate},
		Shape:       c.Flags.Shape(),
	}
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) (err error) {
	o := c.options()
	var report func(Inherent) error // nil: nobody wants it
	work := job.Work{Family: lda.Family, New: func() model.EStep { return New(o, report) }, Keyed: c.Keyed.Coins()}
	if o.Unigram, work.Baseline, err = c.Baseline(&c.Job); err != nil {
		return err
	}
	if c.Keep {
		work.Kept = c.Kept.Documents()
	}
	if err := endpoint.Distinct(c.InherentReport, c.Output, c.Input, c.Params, c.Model, c.Secret, c.State,
		c.InitialState); err != nil {
		return err
	}
	if c.InherentReport == "" || r.DryRun() {
		return c.Do(r, work)
	}
	if report, err = inherentReport(c.InherentReport); err != nil {
		return err
	}
	return c.Do(r, work)
}
