package renyi

import "math"

// StrayWord bounds from above the probability that a word of one unit alone is selected. The unit gives each of its
// t ≤ words words the weight ⌊bound/√t⌋. Discrete Gaussian noise with σ = scale lifts one of them to threshold:
//
//	max over t of 1 − (1 − P[N_Z(0, σ²) ≥ threshold − ⌊bound/√t⌋])^t,
//	P[N_Z(0, σ²) ≥ m] ≤ P[N(0, σ²) ≥ m−1] for m ≥ 1
//
// (Canonne, Kamath and Steinke 2020, proposition 25). bound, scale and threshold are in steps, scale and words at least
// 1.
//
// Every rounding is upwards. Beyond 64 words t goes in blocks; t grows by at most a sixty-fourth in one block. The
// smallest t in the block gives each word the largest weight, and the largest t gives the most chances. The bound takes
// both.
func StrayWord(bound, scale, threshold uint64, words int) float64 {
	most := 0.0
	for fewest := 1; fewest <= words; {
		top := min(words, fewest+fewest/64)
		weight := uint64(math.Ceil(float64(bound) / math.Sqrt(float64(fewest))))
		one := 1.0
		if threshold > weight {
			one = normalTail(float64(threshold-weight-1) / float64(scale))
		}
		most = max(most, -math.Expm1(float64(top)*math.Log1p(-one)))
		fewest = top + 1
	}
	return min(1, most*(1+1e-14))
}

// normalTail bounds P[N(0, 1) ≥ z] from above, z ≥ 0. The error of logNormal and of z is below 1e-8 up to z = 37, where
// the tail is 1e-300. Beyond z = 37 the bound is 1e-300.
func normalTail(z float64) float64 { return max(math.Exp(min(0, logNormal(-z)+1e-8)), 1e-300) }
