package clusters

import (
	"fmt"

	"privpipe/estep/job"
	"privpipe/estep/row"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/vocabulary"
)

// Command is estep clusters.
type Command struct {
	job.Job
	job.Sharing
	RowNorm    float64 `default:"1" placeholder:"R" group:"Vector" help:"Scale each vector x to x·min(1, R/|x|)/R, of norm at most 1 (default 1, as tokenize vectors writes them). R is public, and the same in training and scoring."`
	Covariance string  `enum:"spherical,diagonal" default:"spherical" group:"Vector" help:"Contribute the statistics of clusters with this covariance: ${enum}. mstep clusters needs the same."`
}

// Help is what --help adds for this command.
func (*Command) Help() string {
	return "A document's vector must be a function of that document alone, by a model that is public and fixed. " +
		"LSA, TF-IDF, PCA, UMAP, centring and whitening that were fitted to the private text make each vector a " +
		"function of all documents. Then no ε holds."
}

// Validate is kong's hook.
func (c *Command) Validate() error { return row.Bounded{RowNorm: c.RowNorm}.Check() }

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	o := Options{Norm: c.RowNorm, Diagonal: c.Covariance == "diagonal"}
	family := families.Clusters
	if o.Diagonal {
		family = families.DiagonalClusters
	}
	return c.Do(r, job.Work{
		Family: family, New: func() model.EStep { return New(o) }, Sharing: &c.Sharing, ColumnsOf: columns,
	})
}

// columns names the clusters in predictions, from 0 on, as topics are numbered.
func columns(_ vocabulary.Words, size model.Size) (names vocabulary.Words) {
	for c := range size.Components {
		names = append(names, fmt.Sprint("cluster_", c))
	}
	return names
}
