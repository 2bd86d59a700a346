package score

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// JensenShannon returns the Jensen–Shannon distance between two distributions. It is the square root of their
// divergence in bits: a metric in [0, 1] (Endres and Schindelin, A New Metric for Probability Distributions, 2003).
func JensenShannon(p, q []float64) float64 {
	return math.Sqrt(min(max(stat.JensenShannon(p, q)/math.Ln2, 0), 1)) // rounding
}

// Cosine returns 1 minus the cosine between two distributions, in [0, 1].
func Cosine(p, q []float64) float64 {
	return max(1-cosine(p, q), 0) // rounding
}
