package noise

import (
	"math"
	"slices"
	"testing"
)

// The statistical tests draw from a fixed stream, so they give the same answer each time. With a fresh stream a right
// sampler would fail each of their comparisons with a probability of at most 10⁻⁶: by a bound that is proved
// (chiSquareLimit for a χ² variable, ksLimit), or by the normal distribution with a reserve for the skewness of what is
// summed: P[|Z| > 5.1] = 3.4·10⁻⁷.
const (
	logFalseRejection = 13.816 // −ln 10⁻⁶
	normalQuantile    = 5.1
)

// chiSquareLimit is above a χ² of that many degrees of freedom but with probability 10⁻⁶: Laurent and Massart, Adaptive
// estimation of a quadratic functional by model selection (2000), lemma 1.
func chiSquareLimit(degrees int) float64 {
	k := float64(degrees)
	return k + 2*math.Sqrt(k*logFalseRejection) + 2*logFalseRejection
}

// ksLimit is above sup |F_n − F| but with probability 10⁻⁶, for any F, also one with jumps: Massart, The tight constant
// in the Dvoretzky-Kiefer-Wolfowitz inequality (1990).
func ksLimit(draws int) float64 { return math.Sqrt((logFalseRejection + math.Ln2) / float64(2*draws)) }

// chiSquare compares counts with probabilities; bins in which fewer than 10 are expected are counted together.
func chiSquare(counts []int, probabilities []float64, draws int) (statistic float64, degrees int) {
	pooledCount, pooled := 0, 0.0
	add := func(count int, expected float64) {
		statistic += (float64(count) - expected) * (float64(count) - expected) / expected
		degrees++
	}
	for i, p := range probabilities {
		if expected := p * float64(draws); expected >= 10 {
			add(counts[i], expected)
		} else {
			pooledCount, pooled = pooledCount+counts[i], pooled+expected
		}
	}
	if pooled > 1 {
		add(pooledCount, pooled)
	}
	return statistic, degrees - 1
}

// A distribution is what a sampler shall draw from, worked out in floating point from its definition.
type distribution struct {
	variance, fourth float64                 // moments
	upper            func(k float64) float64 // P[X ≥ k], for k ≥ 1
}

// below is P[X < k], without loss of digits on either side of 0.
func (d distribution) below(k float64) float64 {
	if k >= 1 {
		return 1 - d.upper(k)
	}
	return d.upper(1 - k) // P[X ≤ k − 1] = P[X ≥ 1 − k]
}

// between is P[from ≤ X < to].
func (d distribution) between(from, to float64) float64 {
	switch {
	case from >= 1:
		return d.upper(from) - d.upper(to)
	case to <= 0:
		return d.upper(1-to) - d.upper(1-from)
	}
	return 1 - d.upper(1-from) - d.upper(to)
}

// discreteLaplace: with r = exp(−1/t), P[X ≥ k] = r^k/(1+r), and X = G − G' for geometric G and G' of cumulants
// κ₂ = r/(1−r)² and κ₄ = r(1+4r+r²)/(1−r)⁴, so that the variance is 2κ₂ and the fourth moment 2κ₄ + 12κ₂².
func discreteLaplace(scale uint64) distribution {
	t := float64(scale)
	r, gap := math.Exp(-1/t), -math.Expm1(-1/t)
	second := r / (gap * gap)
	return distribution{
		variance: 2 * second,
		fourth:   2*second*(1+4*r+r*r)/(gap*gap) + 12*second*second,
		upper:    func(k float64) float64 { return math.Exp(-k/t) / (1 + r) },
	}
}

// discreteGaussian sums up weights for σ < 1000. From there on the sum of P[x] over x ≥ k is the normal integral from
// k − 1/2 up to |f'|/24 < 0.25/(24σ²) < 2·10⁻⁸ for the density f (midpoint rule), and the moments are the normal
// distribution's to all digits.
func discreteGaussian(scale uint64) distribution {
	s := float64(scale)
	d := distribution{
		variance: s * s, fourth: 3 * s * s * s * s,
		upper: func(k float64) float64 { return math.Erfc((k-0.5)/(s*math.Sqrt2)) / 2 },
	}
	if scale >= 1000 {
		return d
	}
	tails := make([]float64, 40*scale+2) // Σ_{x ≥ k} of the weights
	second, fourth := 0.0, 0.0
	for k := 40 * scale; k >= 1; k-- {
		x := float64(k)
		weight := math.Exp(-x * x / (2 * s * s))
		tails[k] = tails[k+1] + weight
		second, fourth = second+x*x*weight, fourth+x*x*x*x*weight
	}
	sum := 1 + 2*tails[1]
	d.variance, d.fourth = 2*second/sum, 2*fourth/sum
	d.upper = func(k float64) float64 { return tails[uint64(min(k, float64(40*scale+1)))] / sum }
	return d
}

// faults draws from a sampler and says which of seven statistics its numbers fail.
func (d distribution) faults(next func() int64, draws int) (failed []string) {
	check := func(what string, z float64) {
		if !(math.Abs(z) <= normalQuantile) {
			failed = append(failed, what)
		}
	}
	deviation, n := math.Sqrt(d.variance), float64(draws)
	all := make([]int64, draws)
	sum, squares, products, last, positive, zero := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range all {
		all[i] = next()
		x := float64(all[i]) / deviation
		sum, squares, products, last = sum+x, squares+x*x, products+x*last, x
		if x > 0 {
			positive++
		} else if x == 0 {
			zero++
		}
	}
	p := d.between(0, 1)
	check("mean", sum/math.Sqrt(n))
	check("variance", (squares-n)/math.Sqrt(n*(d.fourth/(d.variance*d.variance)-1)))
	check("neighbours", products/math.Sqrt(n-1))
	check("sign", (positive-(n-zero)/2)/math.Sqrt((n-zero)/4))
	if p*n >= 1000 {
		check("zero", (zero-n*p)/math.Sqrt(n*p*(1-p)))
	}

	// χ² in bins of an eighth of the deviation, at least one number wide. All beyond ten deviations is two bins.
	width := math.Max(1, math.Floor(deviation/8))
	half := int(10*deviation/width) + 1
	counts, probabilities := make([]int, 2*half+2), make([]float64, 2*half+2)
	edge := func(bin int) float64 { return float64(bin-half-1) * width } // where a bin begins, but the first
	for bin := 1; bin <= 2*half; bin++ {
		probabilities[bin] = d.between(edge(bin), edge(bin+1))
	}
	probabilities[0], probabilities[2*half+1] = d.below(edge(1)), d.upper(edge(2*half+1))
	for _, x := range all {
		counts[min(max(int(math.Floor(float64(x)/width))+half+1, 0), 2*half+1)]++
	}
	if statistic, degrees := chiSquare(counts, probabilities, draws); statistic > chiSquareLimit(degrees) {
		failed = append(failed, "χ²")
	}

	// Kolmogorov and Smirnov: of a distribution with jumps the supremum is at a number drawn or just below it.
	slices.Sort(all)
	distance := 0.0
	for i := 0; i < draws; {
		x := float64(all[i])
		distance = math.Max(distance, math.Abs(float64(i)/n-d.below(x)))
		for i < draws && float64(all[i]) == x {
			i++
		}
		distance = math.Max(distance, math.Abs(float64(i)/n-d.below(x+1)))
	}
	if distance > ksLimit(draws) {
		failed = append(failed, "Kolmogorov-Smirnov")
	}
	return failed
}

// twoSamples compares two samples of the same size in bins of a fourth of the scale: (a−b)²/(a+b) adds up to χ².
func twoSamples(t *testing.T, name string, scale int64, draws int, ours, theirs func() int64) {
	t.Helper()
	width := max(1, scale/4)
	var a, b [49]float64
	bin := func(x int64) int { return int(math.Floor(min(max(float64(x)/float64(width), -24), 24))) + 24 }
	for range draws {
		a[bin(ours())]++
		b[bin(theirs())]++
	}
	statistic, bins := 0.0, 0
	for i := range a {
		if a[i]+b[i] >= 10 {
			statistic += (a[i] - b[i]) * (a[i] - b[i]) / (a[i] + b[i])
			bins++
		}
	}
	if statistic > chiSquareLimit(bins-1) {
		t.Errorf("%s of scale %d: χ² = %.1f with %d degrees of freedom", name, scale, statistic, bins-1)
	}
}
