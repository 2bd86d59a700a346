package lda

import (
	"errors"

	"privpipe/mstep/learn"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/publictext"
)

// Command is mstep lda.
type Command struct {
	Flags
	Schedule
	WordMarginal string  `placeholder:"FILE" group:"Estimate" help:"Read separately released word frequencies from FILE, a model of mstep words, whose vocabulary may have more words; by default estimate them from the topics."`
	WeighWords   bool    `group:"Contribution" help:"Let the E-step weigh words by --word-marginal: in a contribution, rare words then weigh more than frequent ones."`
	RefineWords  bool    `group:"Estimate" help:"Refine the --word-marginal frequencies in each round, by the topics."`
	SingleNoise  float64 `placeholder:"X" group:"Estimate" help:"With --refine-words: one release of word frequencies with the whole budget would have X times the noise of --word-marginal. The model then says how well it would predict, and estep --score compares with that."`
	Public       string  `placeholder:"FILE" group:"Estimate" help:"Take what public text says of words and topics as a prior, from FILE of mstep public, and start from its topics."`
	OfClusters   bool    `help:"Topic k has the words of cluster k, by estep cluster-words. A warning then says whether most clusters have hardly a word above the noise."`
	Seeds        string  `placeholder:"FILE" help:"With --public: begin with topics of your own, before those of public text, and keep their names. A line of FILE, which must be public, has a name, a colon and words, as for mstep topics."`
	Beginning
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if err := c.Flags.check(); err != nil {
		return err
	}
	if err := notNegative(map[string]float64{"--single-noise": c.SingleNoise}); err != nil {
		return err
	}
	switch {
	case c.Public != "" && c.WordMarginal == "":
		return errors.New("--public needs --word-marginal: public topics are put on the private frequencies of words")
	case (c.WeighWords || c.RefineWords) && c.WordMarginal == "":
		return errors.New("--weigh-words and --refine-words need --word-marginal")
	case c.SingleNoise > 0 && !c.RefineWords:
		return errors.New("--single-noise needs --refine-words")
	case c.Seeds != "" && c.Public == "":
		return errors.New("--seeds needs --public, which says what words stand beside those of the list")
	case c.Public != "" && c.Initial != "":
		return errors.New("--public does not go with --initial")
	}
	return c.Schedule.check()
}

// ofClusters judges the words of clusters. Public text names a cluster beside them, so few are enough: in runs of
// clusters.sh on Stack Exchange, clusters with 2 words more than four deviations above 0 read well, and those with 0 or
// 1 mostly not. Of 12,000 words noise alone has 0.4 on average, and 2 or more with a probability of .06 (Poisson).
var ofClusters = &learn.Judged{Components: "clusters", Cells: "words", Few: 2, Tolerated: 0.5,
	Advice: "most names follow from public text and chance; fewer clusters, more documents or a larger ε would help"}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	o := Options{
		WeighWords: c.WeighWords, Refine: c.RefineWords, SingleNoise: c.SingleNoise,
		Tau0: c.Tau0, Kappa: c.Kappa, AverageFrom: c.AverageFrom, Estimate: Estimate{Shrink: true},
	}
	vocab, err := c.begin(r, &o, c.WordMarginal, c.Public, c.Seeds, c.Initial)
	if err != nil {
		return err
	}
	if err := c.readPrior(r, &o, c.WordMarginal, c.Public, vocab); err != nil {
		return err
	}
	if c.Seeds != "" {
		seeds, err := publictext.ReadSeeds(r, c.Seeds)
		if err != nil {
			return err
		}
		if len(seeds) > c.Topics {
			return exit.Errorf(exit.Usage, "%s: names %d topics, --topics is %d", c.Seeds, len(seeds), c.Topics)
		}
		if o.Public, err = o.Public.Seed(seeds, c.Seeds); err != nil {
			return err
		}
	}
	if c.OfClusters {
		c.Judged = ofClusters
	}
	return c.Beginning.learn(r, &c.Job, o, vocab)
}

// Moved is filter's hook.
func (*Command) Moved(flag string) string {
	switch flag {
	case "--accumulate":
		return "mstep counts adds up increments"
	case "--ceiling":
		return "mstep counts --denoise floor has a ceiling"
	case "--online":
		return "mstep online --correlation takes each round for a batch"
	case "--initial-counts":
		return "mstep counts and mstep online begin with counts"
	case "--denoise":
		return "mstep lda shrinks; mstep lda-paper and mstep counts --denoise floor count negative cells as 0"
	case "--estimate", "--beta", "--negatives":
		return "mstep lda-paper estimates topics as papers do"
	}
	return ""
}
