// Package sbn is the M-step of sigmoid belief networks. It averages releases of the statistics of Park et al. (2020,
// §7), and computes the posterior of weights and biases from the averages. The weights have a shrinkage prior.
package sbn

import (
	"cmp"
	"fmt"

	"privpipe/mstep/learn"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
)

// Command is mstep sbn. --vocab is the list of pixels.
type Command struct {
	learn.Job
	Hidden int     `required:"" short:"K" placeholder:"K" help:"Learn this many hidden units."`
	Images uint64  `placeholder:"N" help:"Take N as the number of images, for estep sbn --no-count; by default releases count them. N is public, as under --adjacency replace-one and replace-null."`
	NuB    float64 `name:"nu-b" default:"100" placeholder:"X" group:"Prior" help:"Set the prior variance of the biases of hidden units (default 100)."`
	NuC    float64 `name:"nu-c" default:"100" placeholder:"X" group:"Prior" help:"Set the prior variance of the biases of pixels (default 100)."`
	learn.Rate
	Estimate string `enum:"bayes,map" default:"bayes" group:"Estimate" help:"Estimate weights and biases by ${enum}. bayes: their posterior, by variational Bayes; map: their mode alone, which is expectation maximisation at the same privacy."`
	Seed     uint64 `zero:"" default:"1" help:"Seed the random first weights. The seed is public: privacy does not depend on it."`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if c.Hidden < 1 || c.Hidden > families.MaxHidden {
		return fmt.Errorf("--hidden must be in [1, %d], is %d", families.MaxHidden, c.Hidden)
	}
	return cmp.Or(learn.Positive("--nu-b", c.NuB), learn.Positive("--nu-c", c.NuC), c.Rate.Check())
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	vocab, err := c.Words(r)
	if err != nil {
		return err
	}
	size := model.Size{Words: len(vocab), Components: c.Hidden}
	if uint64(model.Pairs.Of(size))*uint64(size.Words) > wire.MaxCells {
		return exit.Errorf(exit.Usage, "gzz of %d pixels and %d hidden units has more than %d cells", size.Words,
			c.Hidden, wire.MaxCells)
	}
	return c.Learn(r, New(Options{
		Size: size, Images: c.Images, NuB: c.NuB, NuC: c.NuC, Rate: c.Rate.Rate(),
		Point: c.Estimate == "map", Seed: c.Seed,
	}), vocab)
}
