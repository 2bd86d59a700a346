package pld

import (
	"fmt"
	"math"
)

// DiscreteGaussian returns the pair of an integer with discrete Gaussian noise of parameter variance = σ²: P(k) is
// proportional to e^(−k²/(2σ²)) (Canonne, Kamath and Steinke, The Discrete Gaussian for Differential Privacy, 2020). A
// unit changes the integer by at most sensitivity. A vector's coordinates are releases of their own, each with its own
// sensitivity; the caller has to know the worst. variance in [1e-3, 1e8], sensitivity from 1 to 50·σ and at least 1.
// Losses are multiples of s/(2σ²).
func DiscreteGaussian(variance float64, sensitivity int) (*Pair, error) {
	s := float64(sensitivity)
	if !(variance >= 1e-3 && variance <= 1e8) || sensitivity < 1 || s > math.Max(1, 50*math.Sqrt(variance)) {
		return nil, fmt.Errorf("discrete Gaussian of variance %v, sensitivity %d: not in [1e-3, 1e8] and [1, max(1, "+
			"50·σ)]", variance, sensitivity)
	}
	// Beyond reach each has at most e^−746 on either side (corollary 17: P[X ≥ k] ≤ e^(−k²/(2σ²))).
	reach := int(math.Ceil(math.Sqrt(2 * 746 * variance)))
	logTotal := logTheta(variance)
	p := &Pair{
		symmetric: true,
		infinite:  math.SmallestNonzeroFloat64,
		spacing:   s / variance,
		id:        fmt.Sprint("discrete gaussian ", variance, " ", sensitivity),
	}
	if sensitivity%2 == 1 {
		p.spacing /= 2
	}
	for x := -reach; x <= reach+sensitivity; x++ {
		far := float64(x) - s
		p.atoms = append(p.atoms, atom{s * (float64(x) + far) / (2 * variance), -far*far/(2*variance) - logTotal})
	}
	return p, nil
}

// logTheta is the logarithm of the sum over the integers k of e^(−k²/(2·variance)). For large variances it uses
// Poisson's summation formula: √(2πσ²)·Σ e^(−2π²σ²k²). The omitted terms are below e^−45 of the sum.
func logTheta(variance float64) float64 {
	logScale, rate := 0.0, 1/(2*variance)
	if variance > 1/(2*math.Pi) {
		logScale, rate = math.Log(2*math.Pi*variance)/2, 2*math.Pi*math.Pi*variance
	}
	sum := 0.0
	for k := 3.0; k >= 1; k-- {
		sum += 2 * math.Exp(-k*k*rate)
	}
	return logScale + math.Log1p(sum)
}

// DiscreteLaplace returns the pair of an integer with discrete Laplace noise: P(k) is proportional to e^(−|k|/scale)
// (Ghosh, Roughgarden and Sundararajan, Universally Utility-Maximizing Privacy Mechanisms, STOC 2009). A unit changes
// the integer by at most sensitivity. scale in [1e-3, 1e8], sensitivity from 1 to 10⁶ and at most 700·scale.
func DiscreteLaplace(scale float64, sensitivity int) (*Pair, error) {
	s := float64(sensitivity)
	if !(scale >= 1e-3 && scale <= 1e8) || sensitivity < 1 || sensitivity > 1e6 || s > 700*scale {
		return nil, fmt.Errorf("discrete Laplace: scale %v, sensitivity %d not in [1e-3, 1e8] and [1, min(1e6, "+
			"700·scale)]", scale, sensitivity)
	}
	// With r = e^(−1/scale): (1−r)/(1+r)·r^|k| at k, 1/(1+r) from 0 on.
	all := math.Log1p(math.Exp(-1 / scale))
	one := math.Log(-math.Expm1(-1/scale)) - all
	p := &Pair{
		symmetric: true,
		spacing:   1 / scale,
		id:        fmt.Sprint("discrete laplace ", scale, " ", sensitivity),
	}
	if sensitivity%2 == 0 {
		p.spacing *= 2
	}
	for x := range sensitivity + 1 {
		logP := one - (s-float64(x))/scale
		switch x {
		case 0:
			logP = -s/scale - all
		case sensitivity:
			logP = -all
		}
		p.atoms = append(p.atoms, atom{float64(2*x-sensitivity) / scale, logP})
	}
	return p, nil
}
