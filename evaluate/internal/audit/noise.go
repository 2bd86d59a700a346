package audit

import (
	"fmt"
	"math"
)

// The checks below find faults that a bound on the privacy loss shows late or never: noise that is a little too small,
// and wrong sums of contributions. Each check fails for a sound privatizer with probability at most alpha.

// checkNoise returns an error if the noise around the exact sums has less spread than charged, in cells of one kind.
// Wrong sums make the spread larger, never smaller.
//
// Let X = (x/s)² for noise x of the charged scale s. E[X] is 1 for Gaussian and 2 for Laplace noise. E[X²] is 3 and 24.
// The sum of n such non-negative X is below n·E[X] − √(2n·E[X²]·ln 1/alpha) with probability at most alpha: Maurer, A
// bound on the deviation probability for sums of non-negative random variables (2003), theorem 2.1. For scales of 1000
// or more, the moments of discrete and continuous noise agree to 1e-6 relative. The bound is widened by as much.
func checkNoise(models []*model, samples [][]sample, cells []int, what string, alpha float64) error {
	sum, n := 0.0, 0.0
	for i, m := range models {
		for _, s := range samples[i] {
			middle := m.without
			if s.with {
				middle = m.with
			}
			for _, c := range cells {
				x := (float64(s.cells[c]) - middle[c]) / m.spread[c]
				sum += x * x
				n++
			}
		}
	}
	first, second := 1.0, 3.0
	if models[0].laplace {
		first, second = 2, 24
	}
	const widened = 1e-6
	if sum < n*first*(1-widened)-math.Sqrt(2*n*second*math.Log(1/alpha)) {
		return fmt.Errorf("the noise in %s has %.3g times the scale that is charged", what, math.Sqrt(sum/(n*first)))
	}
	return nil
}

// truncated is the largest number of steps that truncation moves a cell, if a user has at most three records.
const truncated = 4

// checkSums returns an error if the canary moves the sums at a place by more than its bound allows. If exactly is set,
// the canary must move the sums by exactly its contribution. checkSums projects the move on the direction that a sound
// privatizer's sums would move in, weighted with the inverse variance of the noise. No other vector within the bound
// has a larger projection. In L2 this is the inequality of Cauchy and Schwarz. In L1 it holds because a place has one
// value in all of its cells.
//
// Gaussian noise of scale s, also discrete, is sub-Gaussian with variance factor s². Laplace noise is sub-gamma with
// variance factor 2t² and scale t. Let L = ln 2/alpha. Then a weighted sum with variance factor v and scale c is
// outside ±(√(2v·L) + c·L) with probability at most alpha: Boucheron, Lugosi and Massart, Concentration Inequalities
// (2013), section 2.4. (Discrete Laplace noise has the smaller moment generating function 1/(1 −
// sinh²(λ/2)/sinh²(1/2t)), as sinh is convex.)
func checkSums(m *model, samples []sample, exactly bool, alpha float64) error {
	var with, without []float64
	weights := make([]float64, len(m.spread))
	want, factor, largest, slack := 0.0, 0.0, 0.0, 0.0
	for i, s := range m.spread {
		move := m.with[i] - m.without[i]
		weights[i] = move / (s * s)
		want += weights[i] * move
		factor += weights[i] * weights[i] * m.scale * m.scale // noise off a diagonal may be this large
		largest = max(largest, math.Abs(weights[i])*m.scale)
		slack += math.Abs(weights[i]) * truncated
	}
	for _, sample := range samples {
		t := 0.0
		for i, v := range sample.cells {
			t += weights[i] * float64(v)
		}
		if sample.with {
			with = append(with, t)
		} else {
			without = append(without, t)
		}
	}
	if len(with) == 0 || len(without) == 0 {
		return nil
	}
	n, k := float64(len(with)), float64(len(without))
	log := math.Log(2 / alpha)
	limit := slack
	if m.laplace {
		limit += math.Sqrt(2*2*factor*(1/n+1/k)*log) + largest*log/min(n, k)
	} else {
		limit += math.Sqrt(2 * factor * (1/n + 1/k) * log)
	}
	got := mean(with) - mean(without)
	switch {
	case exactly && math.Abs(got-want) > limit:
		return fmt.Errorf("a unit within its bound counts %.3g times what it contributes", got/want)
	case got-want > limit:
		return fmt.Errorf("the sum moves by %.3g times what the bound on a unit allows", got/want)
	}
	return nil
}
