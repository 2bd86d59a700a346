package main

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestRoundUp(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 5e-324: "1e-300", math.Inf(1): "∞", 1: "1", 0.5: "0.5", 1.2340: "1.234", 1.23401: "1.235",
		9.9991: "10", 9999.5: "1e+04", 1e-6: "1e-06", 1.00001e-6: "1.001e-06", 0.99999: "1",
	} {
		if got := roundUp(v); got != want {
			t.Errorf("%v is printed as %s, want %s", v, got, want)
		}
	}
}

// TestRoundUpNeverDown: what is printed is a bound of the number, at most one unit of the fourth digit above.
func TestRoundUpNeverDown(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		v := math.Pow(10, random.Float64()*600-300)
		if random.IntN(2) == 0 { // a number next to one with four digits
			v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 1+random.IntN(4), 64), 64)
			v = math.Nextafter(v, v*float64(random.IntN(3)))
		}
		printed, err := strconv.ParseFloat(roundUp(v), 64)
		if err != nil || printed < v || printed > v*1.0011 {
			t.Fatalf("%v is printed as %s", v, roundUp(v))
		}
	}
}

// TestRoundDownNeverUp: what is printed is left, and at most one unit of the fourth decimal more is.
func TestRoundDownNeverUp(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.0000", 5e-324: "0.0000", 1: "1.0000", 0.17339999: "0.1733", 0.1734: "0.1734", 0.99999: "0.9999",
		math.Nextafter(0.1734, 0): "0.1733", // where 1734 times 1e-4 is a float64 above
	} {
		if got := roundDown(v); got != want {
			t.Errorf("%v is printed as %s, want %s", v, got, want)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		v := math.Pow(10, random.Float64()*12-8)
		printed, err := strconv.ParseFloat(roundDown(v), 64)
		if err != nil || printed > v || printed < v-1.0001e-4 {
			t.Fatalf("%v is printed as %s", v, roundDown(v))
		}
	}
}
