package main

import (
	"math"
	"strconv"
	"strings"
)

// roundUp prints a privacy loss with four significant digits, rounded up: a printed ε or δ is never below the computed
// one.
func roundUp(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return map[bool]string{true: "∞"}[math.IsInf(v, 1)] + map[bool]string{true: "0"}[v == 0]
	}
	v = max(v, 1e-300) // so that a unit of the last digit is a normal number
	text := strconv.FormatFloat(v, 'e', 3, 64)
	rounded, _ := strconv.ParseFloat(text, 64)
	if rounded < v {
		unit, _ := strconv.ParseFloat("0.001"+text[strings.IndexByte(text, 'e'):], 64)
		rounded += unit
	}
	return strconv.FormatFloat(rounded, 'g', 4, 64)
}

// roundDown prints what is left of a budget, at least 0, with four decimals: never more than there is.
func roundDown(v float64) string {
	text := strconv.FormatFloat(v, 'f', 4, 64)
	if rounded, _ := strconv.ParseFloat(text, 64); rounded > v {
		text = strconv.FormatFloat(rounded-1e-4, 'f', 4, 64)
	}
	return text
}
