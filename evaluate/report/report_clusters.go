package report

import (
	"context"
	"fmt"
	"slices"

	"privpipe/evaluate/internal/page"
	"privpipe/evaluate/measure"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modelfile"
)

// family names what the model is of.
func (c *Report) family(file *modelfile.File) string {
	if c.Clusters != "" {
		return families.Clusters.Name
	}
	return file.Family.Name
}

// addClusters adds the file of clusters to the sources and settings. It returns the clusters' shares of the documents,
// and nil if no file was given.
func (c *Report) addClusters(ctx context.Context, p *page.Page, file *modelfile.File) ([]float64, error) {
	if c.Clusters == "" {
		return nil, nil
	}
	if file.Family.Topics == nil {
		return nil, exit.Errorf(exit.Usage, "--clusters needs a model with a topic for each cluster, %s is one of %s",
			c.Model, file.Family.Name)
	}
	clusters, shares, err := measure.ReadShares(ctx, c.Clusters, c.Model, file.Size.Components, c.MaxCells)
	if err != nil {
		return nil, err
	}
	of := func(run page.Run) bool { return run.Name == clusters.Header.Run }
	if c.Ledger != "" && !slices.ContainsFunc(p.Runs, of) {
		return nil, exit.Errorf(exit.Malformed, "%s is of run %q, which %s does not charge", c.Clusters,
			clusters.Header.Run, c.Ledger)
	}
	p.Settings = append(p.Settings, page.Row{Name: "vectors of the clusters",
		Value: fmt.Sprintf("%d dimensions", clusters.Size.Words)})
	p.Sources = append(p.Sources, page.Row{Name: "clusters", Value: described(c.Clusters)})
	return shares, nil
}

// learner says how mstep learned the model.
func (c *Report) learner(file *modelfile.File) page.Learner {
	l := page.Learner{Run: file.Header.Run, Flags: learnerFlags(file)}
	if c.Clusters != "" {
		l.EStep = "cluster-words --model clusters.pp --vectors vectors.pp"
	}
	return l
}
