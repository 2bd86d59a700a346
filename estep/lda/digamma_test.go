package lda

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// Values of exp(ψ(x)) from mpmath 1.3.0 at 30 digits.
func TestExpDigamma(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0.001, 2.854633662743674e-435}, // below float64: 0
		{0.02, 1.11860540509662e-22},
		{0.1, 2.971808008176838e-5},
		{0.5, 0.1403648708917213},
		{1, 0.5614594835668852},
		{2, 1.526205111595864},
		{5.999999, 5.50753683105833},
		{6, 5.507537829701368},
		{10, 9.504378518084355},
		{1000, 999.500041687504},
		{1e9, 999999999.5},
	} {
		near(t, "exp(ψ)", expDigamma(c.x), c.want, 1e-8, 1e-300)
	}
	for x := 0.01; x < 1e6; x *= 1.01 {
		near(t, "exp(ψ)", expDigamma(x), math.Exp(mathext.Digamma(x)), 1e-8, 1e-300)
	}
}

func TestExpNegative(t *testing.T) {
	for x := 0.0; x > -699; x -= 0.0713 {
		near(t, "exp", expNegative(x), math.Exp(x), 1e-8, 0)
	}
	if got := expNegative(-1e9); got != 0 {
		t.Errorf("exp(-1e9) is %v, want 0", got)
	}
}
