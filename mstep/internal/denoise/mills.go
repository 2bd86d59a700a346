package denoise

import "fmt"

// lanes is the count of numbers that a kernel takes at a time.
const lanes = 8

// addMills adds weight·R(z) to ratio and weight·R′(z) to derivative, number by number, for z = y − pull·inverse.
// R(z) = Φ(z)/φ(z) is the ratio of the normal distribution function to its density; R(−t) is Mills' ratio.
// The slices have one length, a multiple of lanes. z must be at most 37, because R overflows beyond. Both R and R′ have
// a relative error below 1e-6, down to z = −10^150. All machines compute the same bits, with vector instructions where
// they have them.
func addMills(ratio, derivative, y, pull []float64, inverse, weight float64) {
	n := len(ratio)
	if len(derivative) != n || len(y) != n || len(pull) != n || n%lanes != 0 {
		panic(fmt.Sprintf("slices of %d, %d, %d and %d numbers", n, len(derivative), len(y), len(pull)))
	}
	if n > 0 {
		chosen.add(ratio, derivative, y, pull, inverse, weight)
	}
}
