// Package mills computes the ratio R(z) = Φ(z)/φ(z) of the normal distribution function to its density, and the
// derivative R′(z). It uses vector instructions where the machine has them. R(−t) is Mills' ratio (1 − Φ(t))/φ(t). All
// machines compute the same bits.
package mills

import "fmt"

// Lanes is the count of numbers that a kernel takes at a time.
const Lanes = 8

// Add adds weight·R(z) to ratio and weight·R′(z) to derivative, number by number, for z = y − pull·inverse. The slices
// have one length, a multiple of Lanes. z must be at most 37, because R overflows beyond. Both R and R′ have a relative
// error below 1e-6, down to z = −10^150.
func Add(ratio, derivative, y, pull []float64, inverse, weight float64) {
	n := len(ratio)
	if len(derivative) != n || len(y) != n || len(pull) != n || n%Lanes != 0 {
		panic(fmt.Sprintf("slices of %d, %d, %d and %d numbers", n, len(derivative), len(y), len(pull)))
	}
	if n > 0 {
		chosen.add(ratio, derivative, y, pull, inverse, weight)
	}
}
