package families

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// The statistics of Clusters: 1 × K, K × V, and K × V of DiagonalClusters alone.
const (
	ClusterCounts  = "counts"
	ClusterSums    = "sums"
	ClusterSquares = "squares"
)

// The fields in parameters and model files of Clusters, with Rounds.
var (
	// ClusterWeights is π, the share of documents in each cluster. The weights add up to 1.
	ClusterWeights = model.Matrix[float64]{Name: "weights", Rows: model.One, Columns: model.Components,
		Rule: model.Probability}

	// ClusterMeans is μ, one row for each cluster.
	ClusterMeans = model.Matrix[float64]{Name: "means", Rows: model.Components, Columns: model.Words}

	// ClusterVariances is σ², one row for each cluster. The cells of a row are equal in a spherical mixture.
	ClusterVariances = model.Matrix[float64]{Name: "variances", Rows: model.Components, Columns: model.Words,
		Rule: model.Positive}
)

// Clusters is the family of mixtures of spherical Gaussians over vectors. DiagonalClusters has a variance for each
// cluster and dimension. A document's features are its vector, and its words are the dimensions.
//
// A vector x with |x| ≤ 1 has the responsibilities r of K clusters (Bishop, Pattern Recognition and Machine Learning,
// 2006, equation 9.23). In the notation of Park et al. (2020), Algorithms 1 and 2:
//
//	statistic s               natural parameter n                       add-remove   replace-one
//	counts = r                log π_k − ½·Σ_d (μ²/σ² + log 2π·σ²)_kd    1            √2
//	sums = r ⊗ x              μ/σ²                                      1            2
//	squares = r ⊗ (x ∘ x)     −1/(2σ²)                                  1            √2
//	counts over 2, and sums                                             √5/2         2
//	the same, and squares                                               3/2          3/√2
//
// The last columns bound how far a neighbouring sum lies in L2: estep/clusters/claim.md. Unit vectors need no squares
// for spherical clusters: the squared distances from a mean μ = sums/counts to its cluster add up to counts·(1 − |μ|²).
var (
	Clusters         = clusters(false)
	DiagonalClusters = clusters(true)
)

func clusters(diagonal bool) *model.Family {
	return &model.Family{
		Name: "clusters", Values: true,
		Statistics: func(s model.Size) []*wire.Matrix {
			k, v := uint32(s.Components), uint32(s.Words)
			matrices := []*wire.Matrix{
				{Name: ClusterCounts, Rows: 1, Columns: k, Element: wire.Element_FLOAT32},
				{Name: ClusterSums, Rows: k, Columns: v, Element: wire.Element_FLOAT32},
			}
			if diagonal {
				matrices = append(matrices,
					&wire.Matrix{Name: ClusterSquares, Rows: k, Columns: v, Element: wire.Element_FLOAT32})
			}
			return matrices
		},
		Parameters: []model.Field{ClusterWeights, ClusterMeans, ClusterVariances},
		Model:      []model.Field{Rounds, ClusterWeights, ClusterMeans, ClusterVariances},
	}
}
