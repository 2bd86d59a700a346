// Package clusters is the M-step of mixtures of Gaussians over vectors. It averages releases of the sufficient
// statistics, and estimates the mixture from the averages by empirical Bayes.
package clusters

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"privpipe/mstep/learn"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Command is mstep clusters. --vocab is the list of dimensions.
type Command struct {
	learn.Job
	Clusters   int     `required:"" short:"K" placeholder:"K" help:"Learn this many clusters."`
	Covariance string  `enum:"spherical,diagonal" default:"spherical" help:"Learn clusters with this covariance: ${enum}. spherical: one variance for all clusters and dimensions, of vectors with norm 1. diagonal: a variance for each cluster and dimension; estep clusters needs the same flag."`
	Public     string  `placeholder:"FILE" help:"Begin with clusters of the public vectors in FILE, by the same embedding and of tokenize vectors --public, and expect means to spread over the dimensions as these vectors do. By default begin with random directions."`
	Initial    string  `placeholder:"FILE.npy" help:"Begin with the means in FILE.npy, an array of K × V float64."`
	Tau0       float64 `zero:"" name:"tau0" default:"0" placeholder:"X" group:"Learning rate" help:"Set τ0 in ρ_t = (τ0+t)^−κ, t from 1 (default 0). The first release always has ρ = 1."`
	Kappa      float64 `zero:"" default:"0.6" placeholder:"X" group:"Learning rate" help:"Set κ in ρ_t = (τ0+t)^−κ (default 0.6)."`
	Seed       uint64  `zero:"" default:"1" help:"Seed the first means, and the directions in which clusters are split. The seed is public: privacy does not depend on it."`
}

// mostClusters is far above any number of clusters that a person reads.
const mostClusters = 1 << 16

// Validate is kong's hook.
func (c *Command) Validate() error {
	switch {
	case c.Clusters < 1 || c.Clusters > mostClusters:
		return fmt.Errorf("--clusters must be in [1, %d], is %d", mostClusters, c.Clusters)
	case c.Public != "" && c.Initial != "":
		return errors.New("--public does not go with --initial: both say where clusters begin")
	}
	return cmp.Or(learn.NotNegative("--tau0", c.Tau0), learn.NotNegative("--kappa", c.Kappa))
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	vocab, err := c.Words(r, c.Public, c.Initial)
	if err != nil {
		return err
	}
	size := model.Size{Words: len(vocab), Components: c.Clusters}
	if uint64(size.Words)*uint64(size.Components) > wire.MaxCells {
		return exit.Errorf(exit.Usage, "%d clusters of %d dimensions have more than %d cells", size.Components,
			size.Words, wire.MaxCells)
	}
	var means, scales []float64
	switch {
	case c.Initial != "":
		means, err = learn.ReadArray(r, c.Initial, size.Components, size.Words)
		for _, x := range means {
			if !(math.Abs(x) <= 1) {
				return exit.Errorf(exit.Malformed, "%s: a mean has a number beyond 1", c.Initial)
			}
		}
	case c.Public != "":
		var vectors [][]float64
		if vectors, err = readPublic(r, c.Public, vocab); err == nil && len(vectors) < size.Components {
			err = exit.Errorf(exit.Malformed, "%s: %d vectors for %d clusters", c.Public, len(vectors), size.Components)
		}
		if err == nil {
			means, scales = kMeans(vectors, size.Components, c.Seed), scalesOf(vectors)
		}
	default:
		means = directions(size, c.Seed)
	}
	if err != nil {
		return err
	}
	c.Judged = &learn.Judged{
		Components: "clusters", Cells: "dimensions", Few: mostByNoise(size.Words) + 1, Tolerated: 0.1,
		Advice: fmt.Sprintf("fewer clusters or dimensions, more documents or a larger ε would help; "+
			"account advise --documents N --dimension %d --epsilon X says how many clusters", size.Words),
	}
	return c.Learn(r, New(Options{
		Size: size, Diagonal: c.Covariance == "diagonal", Rate: model.Rate{Tau0: c.Tau0, Kappa: c.Kappa}, Seed: c.Seed,
		Scales: scales,
	}, means), vocab)
}
