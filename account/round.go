package main

import (
	"math"
	"strconv"
)

// roundUp prints a privacy loss with four significant digits, rounded up: a printed ε or δ is never below the computed
// one.
func roundUp(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return map[bool]string{true: "∞"}[math.IsInf(v, 1)] + map[bool]string{true: "0"}[v == 0]
	}
	text := strconv.FormatFloat(v, 'g', 4, 64)
	if rounded, _ := strconv.ParseFloat(text, 64); rounded < v {
		unit := math.Pow(10, math.Floor(math.Log10(v))-3)
		text = strconv.FormatFloat(rounded+unit, 'g', 4, 64)
	}
	return text
}
