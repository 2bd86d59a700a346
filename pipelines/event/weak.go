package event

import "math"

// weakEpsilon is where a guarantee begins to be weak. Above 10 begins the tier "weak to no formal privacy guarantees"
// in Ponomareva et al., How to DP-fy ML (Journal of Artificial Intelligence Research 77, 2023), §5.2.
const weakEpsilon = 10

// ProtectsLittle returns a warning for an ε above 10. It is empty for others, and for ∞: that needs another warning.
func ProtectsLittle(epsilon float64) string {
	if epsilon > weakEpsilon && !math.IsInf(epsilon, 1) {
		return "ε is above 10: this protects little"
	}
	return ""
}
