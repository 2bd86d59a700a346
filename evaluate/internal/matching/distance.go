package matching

import "math"

// JensenShannon returns the Jensen–Shannon distance between two distributions. It is the square root of their
// divergence in bits: a metric in [0, 1] (Endres and Schindelin, A New Metric for Probability Distributions, 2003).
func JensenShannon(p, q []float64) float64 {
	divergence := 0.0
	for i := range p {
		m := (p[i] + q[i]) / 2
		if p[i] > 0 {
			divergence += p[i] * math.Log2(p[i]/m) / 2
		}
		if q[i] > 0 {
			divergence += q[i] * math.Log2(q[i]/m) / 2
		}
	}
	return math.Sqrt(min(max(divergence, 0), 1)) // rounding
}

// Cosine returns 1 minus the cosine between two distributions, in [0, 1].
func Cosine(p, q []float64) float64 {
	pq, pp, qq := 0.0, 0.0, 0.0
	for i := range p {
		pq += p[i] * q[i]
		pp += p[i] * p[i]
		qq += q[i] * q[i]
	}
	return max(1-pq/math.Sqrt(pp*qq), 0)
}
