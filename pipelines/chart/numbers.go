package chart

import (
	"math"
	"slices"
)

// Numbers returns the multiples of a step from low to high. The step is 1, 2 or 5 times a power of ten, chosen so that
// there are 3 to labels multiples. The step for counts is at least 1, so that there may be fewer.
func Numbers(low, high float64, counts bool) (all []float64) {
	const most = 7.5 // steps: the last factor of 2.5 leaves 3, and so 3 multiples wherever they stand
	step := math.Pow(10, math.Floor(math.Log10((high-low)/most)))
	for _, factor := range []float64{2, 2.5, 2} {
		if (high-low)/step <= most {
			break
		}
		step *= factor
	}
	if counts {
		step = math.Max(1, step)
	}
	for n := math.Ceil(low / step); n*step <= high*(1+1e-9); n++ {
		all = append(all, n*step+0) // -0 + 0 is 0
	}
	return all
}

// LogNumbers returns round numbers from low to high, both positive, for a logarithmic axis: 1, 2 and 5 times powers of
// ten. On a longer axis they are powers of ten, and on a shorter one the result of Numbers. There are at most labels,
// and at least 3 if high is 1.21 times low.
func LogNumbers(low, high float64) []float64 {
	all := multiples(low, high, 1, 2, 5)
	if len(all) > labels {
		all = multiples(low, high, 1)
		every := (len(all)-1)/labels + 1
		all = slices.DeleteFunc(all, func(t float64) bool { return int(math.Round(math.Log10(t)))%every != 0 })
	}
	if len(all) < 3 {
		return Numbers(low, high, false)
	}
	return all
}

// multiples returns the numbers from low to high that are a power of ten times one of the factors.
func multiples(low, high float64, factors ...float64) (all []float64) {
	for exponent := math.Floor(math.Log10(low)); exponent <= math.Log10(high); exponent++ {
		for _, factor := range factors {
			if t := factor * math.Pow(10, exponent); t >= low && t <= high {
				all = append(all, t)
			}
		}
	}
	return all
}
