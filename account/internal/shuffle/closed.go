package shuffle

import "math"

// Most is the largest ε₀ that Closed accepts: log(n/(16·log(2/δ))). It is negative for few reports.
func Most(reports int, delta float64) float64 {
	return math.Log(float64(reports) / (16 * math.Log(2/delta)))
}

// Closed returns the ε at δ of theorem 3.1 of Feldman, McMillan and Talwar (2021), for ε₀ up to Most:
//
//	log(1 + (e^ε₀ − 1)/(e^ε₀ + 1)·(8·√(e^ε₀·log(4/δ)/n) + 8·e^ε₀/n)).
func Closed(epsilon0 float64, reports int, delta float64) float64 {
	share := math.Exp(epsilon0) / float64(reports)
	return math.Log1p(math.Tanh(epsilon0/2)*(8*math.Sqrt(share*math.Log(4/delta))+8*share)) * (1 + 1e-14)
}
