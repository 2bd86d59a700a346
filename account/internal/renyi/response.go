package renyi

import (
	"math"
)

// Response returns ρ(α) of randomized response under a change of the value. It reports the true bucket with e^loss
// times the probability of any other bucket. alpha in (1, ∞], loss ≥ 0, buckets at least 2.
//
// Let r = e^loss. Another bucket has probability b = 1/(r+k−1), and the true one r·b. The moment of order α is
//
//	(rb)^α·b^(1−α) + b^α·(rb)^(1−α) + (k−2)·b = 1 + b·(r^α + r^(1−α) − r − 1) = 1 + b·(r^α − 1)·(1 − r^(1−α)),
//
// Nothing cancels in it. The result is rounded up by more than its error: some rounding errors of logarithms as large
// as α·loss.
func Response(loss float64, buckets int, alpha float64) float64 {
	if loss == 0 || math.IsInf(alpha, 1) {
		return loss
	}
	logB := -loss - math.Log1p(float64(buckets-1)*math.Exp(-loss))
	excess := logB + LogExpm1(alpha*loss) + math.Log(-math.Expm1((1-alpha)*loss))
	return min(loss, LogAdd(0, excess)/(alpha-1)*(1+1e-14)+1e-15*loss)
}
