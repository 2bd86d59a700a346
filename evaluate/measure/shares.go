package measure

import (
	"context"
	"fmt"
	"slices"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modelfile"
)

// ofClusters names topics by their clusters, and gives them the clusters' shares. The largest is the first.
func (c *Topics) ofClusters(ctx context.Context, topics []topic) error {
	_, shares, err := ReadShares(ctx, c.Clusters, c.Model, len(topics), c.MaxCells)
	if err != nil {
		return err
	}
	for i := range topics {
		t := &topics[i]
		t.Cluster, t.Share = fmt.Sprintf("cluster_%d", t.Topic), shares[t.Topic]
	}
	slices.SortStableFunc(topics, largest)
	return nil
}

// ReadShares reads a model of clusters, and returns it with the share of documents in each cluster. There must be a
// cluster for each topic in a model of their words, where topic k has the words of cluster_k.
func ReadShares(ctx context.Context, name, of string, topics int, maxCells uint64) (*modelfile.File, []float64,
	error) {
	file, err := modelfile.Read(ctx, name, maxCells)
	if err != nil {
		return nil, nil, err
	}
	if file.Family.Name != families.Clusters.Name {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: a model of %s, must be of %s", name, file.Family.Name,
			families.Clusters.Name)
	}
	if n := file.Size.Components; n != topics {
		return nil, nil, exit.Errorf(exit.Malformed, "%s has %d clusters, %s has %d topics", name, n, of, topics)
	}
	shares, err := families.ClusterWeights.Of(file.Set, file.Size)
	if err != nil {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return file, shares, nil
}
