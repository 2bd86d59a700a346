package lda

import (
	"fmt"
	"math"

	"privpipe/mstep/learn"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Flags are the flags that all commands for topics share.
type Flags struct {
	learn.Job
	Topics   int     `required:"" short:"K" help:"Learn this many topics."`
	Alpha    float64 `placeholder:"X" help:"Set the Dirichlet prior of a document's topics (default 1/K)."`
	Eta      float64 `placeholder:"X" help:"Set the Dirichlet prior of a topic's words (default 1/K)."`
	MaxCells uint64  `zero:"" default:"268435456" placeholder:"N" help:"Refuse more than N cells of topics, K·V, before they take memory (default 268435456; 0: no limit). A cell takes at least 16 bytes."`
	Seed     uint64  `zero:"" default:"1" help:"Seed the random first topics. The seed is public: privacy does not depend on it."`
}

// check returns an error if a flag is out of its range.
func (f *Flags) check() error {
	if f.Topics < 1 || f.Topics > 1<<20 {
		return fmt.Errorf("--topics must be in [1, %d], is %d", 1<<20, f.Topics)
	}
	return notNegative(map[string]float64{"--alpha": f.Alpha, "--eta": f.Eta})
}

func notNegative(flags map[string]float64) error {
	for name, v := range flags {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%s must not be negative, is %v", name, v)
		}
	}
	return nil
}

// begin opens the inputs and returns the vocabulary. It sets the options that these flags stand for.
func (f *Flags) begin(r *filter.Run, o *Options, inputs ...string) (vocabulary.Words, error) {
	vocab, err := f.Job.Words(r, inputs...)
	if err != nil {
		return nil, err
	}
	o.Topics, o.Words, o.Alpha, o.Eta, o.Seed = f.Topics, len(vocab), f.Alpha, f.Eta, f.Seed
	if o.Alpha == 0 {
		o.Alpha = 1 / float64(o.Topics)
	}
	if o.Eta == 0 {
		o.Eta = 1 / float64(o.Topics)
	}
	return vocab, f.checkCells(uint64(o.Topics) * uint64(o.Words))
}

// checkCells refuses topics that do not fit into memory, before they take any.
func (f *Flags) checkCells(cells uint64) error {
	switch {
	case cells > wire.MaxCells:
		return exit.Errorf(exit.Usage, "%d topics of this vocabulary have %d cells, must have at most %d",
			f.Topics, cells, uint64(wire.MaxCells))
	case f.MaxCells > 0 && cells > f.MaxCells:
		return exit.Errorf(exit.Usage, "%d topics of this vocabulary have %d cells, must have at most %d",
			f.Topics, cells, f.MaxCells).
			WithHint("fewer --topics, fewer words, or --max-cells %d if memory is so large: "+
				"a cell takes at least 16 bytes", cells)
	}
	return nil
}

// unusedKappa is a setting of older checkpoints. Runs that do not mix releases do not use it.
const unusedKappa = 0.5

// learnCounts trains from the counts in a file, or from 0.
func (f *Flags) learnCounts(r *filter.Run, o Options, counts string, vocab vocabulary.Words) error {
	if counts == "" {
		return f.Learn(r, New(o), vocab)
	}
	first, variance, exact, err := readCounts(r, counts, o.size(), vocab, o.Online.Lambda > 0)
	if err != nil {
		return err
	}
	f.Exact += exact
	return f.Learn(r, NewFromCounts(o, first, variance), vocab)
}

// Schedule are the flags for the average over the rounds.
type Schedule struct {
	Tau0        float64 `zero:"" default:"0" name:"tau0" placeholder:"X" group:"Learning rate" help:"Set τ0 in ρ_t = (τ0+t)^−κ, t from 1 (default 0)."`
	Kappa       float64 `zero:"" default:"0.5" placeholder:"X" group:"Learning rate" help:"Set κ in ρ_t = (τ0+t)^−κ (default 0.5)."`
	AverageFrom float64 `zero:"" default:"0.3" placeholder:"X" group:"Estimate" help:"Average the model over the rounds after this share of all rounds; 1: take the last state (default 0.3)."`
}

func (s *Schedule) check() error {
	if !(s.AverageFrom >= 0 && s.AverageFrom <= 1) {
		return fmt.Errorf("--average-from must be in [0, 1], is %v", s.AverageFrom)
	}
	return notNegative(map[string]float64{"--tau0": s.Tau0, "--kappa": s.Kappa})
}

// Beginning are the flags for the topics before the first release.
type Beginning struct {
	Initial  string `placeholder:"FILE.npy" help:"Read the first λ from FILE.npy, an array of K × V float64; by default it is random."`
	StartOut string `name:"start-out" output:"" placeholder:"FILE" help:"Write the topics before the first release to FILE, a model file of round 0; evaluate report --start shows topics before and after."`
}

// learn trains topics with these options.
func (b *Beginning) learn(r *filter.Run, job *learn.Job, o Options, vocab vocabulary.Words) error {
	var learner *Learner
	if b.Initial == "" {
		learner = New(o)
	} else {
		lambda, err := readInitial(r, b.Initial, o.Topics, o.Words)
		if err != nil {
			return err
		}
		learner = NewFrom(o, lambda)
	}
	if b.StartOut == "" {
		return job.Learn(r, learner, vocab)
	}
	return job.LearnFrom(learn.First{Name: b.StartOut, Model: learner.Start()}, r, learner, vocab)
}
