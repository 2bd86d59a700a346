package rounded

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestFourDigits: what a table has room for is on the right side, and next to the number.
func TestFourDigits(t *testing.T) {
	for _, c := range []struct{ x, down, up float64 }{
		{1, 1, 1}, {1.0001, 1, 1.001}, {9.9999, 9.999, 10}, {1.234, 1.234, 1.234}, {1e-9, 1e-9, 1e-9},
		{0.0009999999, 0.0009999, 0.001},
		{141421356.237, 141400000, 141500000}, {2.0005, 2, 2.001},
	} {
		if down, up := FourDigitsDown(c.x), FourDigitsUp(c.x); down != c.down || up != c.up {
			t.Errorf("%v is between %v and %v, want %v and %v", c.x, down, up, c.down, c.up)
		}
	}
}

func TestRoundUp(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 5e-324: "1e-300", math.Inf(1): "∞", 1: "1", 0.5: "0.5", 1.2340: "1.234", 1.23401: "1.235",
		9.9991: "10", 9999.5: "1e+04", 1e-6: "1e-06", 1.00001e-6: "1.001e-06", 0.99999: "1",
	} {
		if got := Up(v); got != want {
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
		printed, err := strconv.ParseFloat(Up(v), 64)
		if err != nil || printed < v || printed > v*1.0011 {
			t.Fatalf("%v is printed as %s", v, Up(v))
		}
	}
}

// TestRoundDownNeverUp: what is printed is left, and at most one unit of the fourth decimal more is.
func TestRoundDownNeverUp(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.0000", 5e-324: "0.0000", 1: "1.0000", 0.17339999: "0.1733", 0.1734: "0.1734", 0.99999: "0.9999",
		math.Nextafter(0.1734, 0): "0.1733", // where 1734 times 1e-4 is a float64 above
	} {
		if got := Down(v); got != want {
			t.Errorf("%v is printed as %s, want %s", v, got, want)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		v := math.Pow(10, random.Float64()*12-8)
		printed, err := strconv.ParseFloat(Down(v), 64)
		if err != nil || printed > v || printed < v-1.0001e-4 {
			t.Fatalf("%v is printed as %s", v, Down(v))
		}
	}
}
