package erm

import (
	"errors"
	"fmt"

	"privpipe/estep/job"
	"privpipe/estep/row"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Command is estep erm.
type Command struct {
	job.Job
	job.Keyed
	Vocab string `placeholder:"FILE" group:"Row" help:"In training: read the list of features from FILE, as tokenize features writes it; by default the default vocabulary of tokenize."`
	row.Bounded
	Regularisation float64 `placeholder:"X" group:"Objective" help:"Set Λ of the objective (1/n)·Σ loss + ½·Λ·|w|². Training needs it. It is public: to choose it by trials on the data is a release."`
	Epsilon        float64 `placeholder:"X" group:"Objective" help:"Perturb the objective for the pure ε that the paper claims; by default it is not perturbed."`
	row.Positive
}

// Help is what --help adds for this command.
func (*Command) Help() string {
	return "The weights minimise (1/n)·Σ log(1 + e^(−y·xᵀw)) + ½·(Λ+Δ)·|w|² + bᵀw/n, with random b (Chaudhuri, " +
		"Monteleoni, Sarwate 2011, Algorithm 2). The paper's ε is for the exact minimiser and noise of real numbers, " +
		"and is not proved of this program: the round is coupled, and privatize none releases it for a charge " +
		"without a bound. All rows of a round are in memory."
}

// The limits of the objective. Within them weights are far from overflow.
const (
	leastEpsilon, mostEpsilon               = 0x1p-20, 512.0
	leastRegularisation, mostRegularisation = 1e-12, 1e6
)

// Validate is kong's hook.
func (c *Command) Validate() error {
	if err := c.Bounded.Check(); err != nil {
		return err
	}
	switch {
	case !c.Training() && (c.Regularisation != 0 || c.Epsilon != 0 || c.Vocab != "" || c.Secret != ""):
		return errors.New("--regularisation, --epsilon, --vocab and --secret belong to training, not to --score")
	case c.Training() && !(c.Regularisation >= leastRegularisation && c.Regularisation <= mostRegularisation):
		return fmt.Errorf("--regularisation must be in [%v, %v], is %v", leastRegularisation, mostRegularisation,
			c.Regularisation)
	case c.Epsilon != 0 && !(c.Epsilon >= leastEpsilon && c.Epsilon <= mostEpsilon):
		return fmt.Errorf("--epsilon must be in [2^-20, %v], is %v", mostEpsilon, c.Epsilon)
	case c.Epsilon == 0 && c.Secret != "":
		return errors.New("--secret belongs to --epsilon: without it no coins are thrown")
	}
	return c.Positive.Check()
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	o := Options{RowNorm: c.RowNorm, Labels: c.Labels(), Regularisation: c.Regularisation, Epsilon: c.Epsilon}
	work := job.Work{Family: families.ERM, Columns: c.Columns()}
	if c.Training() {
		if err := r.Check(c.Vocab); err != nil {
			return err
		}
		vocab, err := vocabulary.OpenOrDefault(r, c.Vocab)
		if err != nil {
			return err
		}
		if len(vocab) > maxFeatures {
			return exit.Errorf(exit.Usage, "--vocab has more than %d features", maxFeatures)
		}
		o.Features, work.Public = len(vocab), &wire.Header{Vocabulary: vocab.Hash()}
	}
	if c.Epsilon != 0 {
		work.Keyed, work.Once = c.Keyed.Coins(), true
		r.Log.Warn("the ε of --epsilon is a paper's claim and not proved: privatize none charges ∞")
	}
	work.New = func() model.EStep { return New(o) }
	return c.Do(r, work)
}
