// Package rounded prints bounds with few digits, on the safe side.
package rounded

import (
	"math"
	"strconv"
	"strings"
)

// Up prints a privacy loss with four significant digits, rounded up: a printed ε or δ is never below the computed one.
func Up(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return map[bool]string{true: "∞"}[math.IsInf(v, 1)] + map[bool]string{true: "0"}[v == 0]
	}
	v = max(v, 1e-300) // so that one unit in the last digit is a normal number
	text := strconv.FormatFloat(v, 'e', 3, 64)
	rounded, _ := strconv.ParseFloat(text, 64)
	if rounded < v {
		unit, _ := strconv.ParseFloat("0.001"+text[strings.IndexByte(text, 'e'):], 64)
		rounded += unit
	}
	return strconv.FormatFloat(rounded, 'g', 4, 64)
}

// Down prints the rest of a budget, at least 0, with four decimals: never more than there is.
func Down(v float64) string {
	text := strconv.FormatFloat(v, 'f', 4, 64)
	if rounded, _ := strconv.ParseFloat(text, 64); rounded > v {
		text = strconv.FormatFloat(rounded-1e-4, 'f', 4, 64)
	}
	return text
}

// FourDigitsUp rounds up to four significant digits, as a table has room for.
func FourDigitsUp(x float64) float64 {
	rounded, _ := strconv.ParseFloat(Up(x), 64)
	return rounded
}

// FourDigitsDown rounds down to four significant digits, as a table has room for.
func FourDigitsDown(x float64) float64 {
	if up := FourDigitsUp(x); up == x {
		return x
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 3, 64), 64)
	for less := x; rounded > x; {
		less *= 1 - 1e-4
		rounded, _ = strconv.ParseFloat(strconv.FormatFloat(less, 'e', 3, 64), 64)
	}
	return rounded
}
