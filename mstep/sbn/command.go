// Package sbn is the M-step of sigmoid belief networks. It averages releases of the statistics of Park et al. (2020,
// §7), and computes the posterior of weights and biases from the averages. The weights have a shrinkage prior.
package sbn

import (
	"fmt"
	"math"

	"privpipe/mstep/learn"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/sbn"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Command is mstep sbn. --vocab is the list of pixels.
type Command struct {
	learn.Job
	Hidden   int     `required:"" short:"K" placeholder:"K" help:"Learn this many hidden units."`
	Images   uint64  `placeholder:"N" help:"Take N as the number of images, for estep sbn --no-count; by default releases count them. N is public, as under --adjacency replace-one and replace-null."`
	NuB      float64 `name:"nu-b" default:"100" placeholder:"X" group:"Prior" help:"Set the prior variance of the biases of hidden units (default 100)."`
	NuC      float64 `name:"nu-c" default:"100" placeholder:"X" group:"Prior" help:"Set the prior variance of the biases of pixels (default 100)."`
	Tau0     float64 `zero:"" name:"tau0" default:"0" placeholder:"X" group:"Learning rate" help:"Set τ0 in ρ_t = (τ0+t)^−κ, t from 1 (default 0). The first release always has ρ = 1."`
	Kappa    float64 `zero:"" default:"1" placeholder:"X" group:"Learning rate" help:"Set κ in ρ_t = (τ0+t)^−κ (default 1: with τ0 = 0, the plain average over the rounds)."`
	Estimate string  `enum:"bayes,map" default:"bayes" group:"Estimate" help:"Estimate weights and biases by ${enum}. bayes: their posterior, by variational Bayes; map: their mode alone, which is expectation maximisation at the same privacy."`
	Seed     uint64  `zero:"" default:"1" help:"Seed the random first weights. The seed is public: privacy does not depend on it."`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if c.Hidden < 1 || c.Hidden > sbn.MaxHidden {
		return fmt.Errorf("--hidden must be in [1, %d], is %d", sbn.MaxHidden, c.Hidden)
	}
	for _, flag := range []struct {
		name     string
		value    float64
		positive bool
	}{{"--nu-b", c.NuB, true}, {"--nu-c", c.NuC, true}, {"--tau0", c.Tau0, false}, {"--kappa", c.Kappa, false}} {
		if !(flag.value >= 0) || flag.value == 0 && flag.positive || flag.value > math.MaxFloat32 {
			return fmt.Errorf("%s must be finite and %s, is %v", flag.name,
				map[bool]string{true: "positive", false: "not negative"}[flag.positive], flag.value)
		}
	}
	return nil
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	if err := r.Check(c.Input, c.Vocab); err != nil {
		return err
	}
	vocab, err := vocabulary.OpenOrDefault(c.Vocab)
	if err != nil {
		return err
	}
	size := model.Size{Words: len(vocab), Components: c.Hidden}
	if uint64(model.Pairs.Of(size))*uint64(size.Words) > wire.MaxCells {
		return exit.Errorf(exit.Usage, "gzz of %d pixels and %d hidden units has more than %d cells", size.Words,
			c.Hidden, wire.MaxCells)
	}
	return c.Learn(r, New(Options{
		Size: size, Images: c.Images, NuB: c.NuB, NuC: c.NuC, Rate: model.Rate{Tau0: c.Tau0, Kappa: c.Kappa},
		Point: c.Estimate == "map", Seed: c.Seed,
	}), vocab)
}
