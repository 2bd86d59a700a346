package score

import (
	"context"
	"math"

	"privpipe/pipelines/parallel"
)

// Silhouettes returns the silhouette of each document, in [−1, 1], given vectors with equal lengths and the cluster of
// each, from 0. It is (b − a)/max(a, b), with the mean Euclidean distance a to the other documents of the cluster, and
// the least mean distance b to the documents of another cluster (Rousseeuw, Silhouettes, Journal of Computational and
// Applied Mathematics 20, 1987). It is 0 for a document alone in its cluster, as there, and where a = b = 0. There must
// be documents of two clusters. The time is quadratic in the number of documents.
func Silhouettes(ctx context.Context, workers int, vectors [][]float32, clusters []int) ([]float64, error) {
	var sizes []float64
	for _, k := range clusters {
		for k >= len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[k]++
	}
	sums := make([][]float64, workers) // of the distances to each cluster's documents
	for w := range sums {
		sums[w] = make([]float64, len(sizes))
	}
	next := -1
	all := make([]float64, 0, len(vectors))
	err := parallel.Map(ctx, workers,
		func() (int, bool, error) { next++; return next, next < len(vectors), nil },
		func(worker, i int) (float64, error) {
			clear(sums[worker])
			for j, v := range vectors {
				sums[worker][clusters[j]] += distance(vectors[i], v)
			}
			return silhouette(sums[worker], sizes, clusters[i]), nil
		},
		func(s float64) error { all = append(all, s); return nil })
	return all, err
}

// silhouette returns the silhouette of a document of cluster k, given the sums of its distances to the documents of
// each cluster.
func silhouette(sums, sizes []float64, k int) float64 {
	if sizes[k] == 1 {
		return 0
	}
	within, nearest := sums[k]/(sizes[k]-1), math.Inf(1)
	for other, size := range sizes {
		if other != k && size > 0 {
			nearest = min(nearest, sums[other]/size)
		}
	}
	if within == nearest { // also 0 = 0
		return 0
	}
	return (nearest - within) / max(within, nearest)
}

// distance returns the Euclidean distance.
func distance(x, y []float32) float64 {
	square := 0.0
	for i := range x {
		d := float64(x[i]) - float64(y[i])
		square += d * d
	}
	return math.Sqrt(square)
}
