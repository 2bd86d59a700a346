package print

import (
	"encoding/json"
	"fmt"
	"math"

	"privpipe/pipelines/rounded"
)

// A Number is a bound on ε, δ or noise. Tables print it rounded up. JSON has all digits, and a string for an infinity.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(n), 0) || math.IsNaN(float64(n)) {
		return json.Marshal(n.String())
	}
	return json.Marshal(float64(n))
}

func (n Number) String() string { return rounded.Up(float64(n)) }

// Compare compares two bounds. Bounds that differ only by rounding are equal.
func (n Number) Compare(m Number) int {
	const nearlyOne = 1 - 1e-9
	switch {
	case n < m*nearlyOne:
		return -1
	case m < n*nearlyOne:
		return 1
	}
	return 0
}

// Order prints the order of the Rényi divergence. 0 means that there is no order.
func Order(n Number) string {
	switch {
	case n == 0:
		return "-"
	case math.IsInf(float64(n), 1):
		return "∞"
	}
	return fmt.Sprintf("%.4g", float64(n))
}
