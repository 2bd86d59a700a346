package event

import (
	"math"
	"testing"
)

// TestProtectsLittle: of what is above 10 only, and not of ∞, which protects nothing.
func TestProtectsLittle(t *testing.T) {
	for epsilon, little := range map[float64]bool{1: false, 10: false, 10.01: true, 1e9: true, math.Inf(1): false} {
		if said := ProtectsLittle(epsilon); (said == "ε is above 10: this protects little") != little || !little &&
			said != "" {
			t.Errorf("ε %v: %q", epsilon, said)
		}
	}
}
