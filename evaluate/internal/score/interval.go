package score

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

const tail = 0.025 // beyond each end of a 95 % confidence interval

// Deviations is half the width of a 95 % interval for normal noise, in standard deviations.
const Deviations = 1.959963984540054

// ShareInterval returns an interval for an event's probability, if the event occurred in count of n > 0 independent
// trials. It is exact: for every n it holds the probability at least 95 % of the time (Clopper and Pearson, The Use of
// Confidence or Fiducial Limits, 1934).
func ShareInterval(count, n int) (low, high float64) {
	k, of := float64(count), float64(n)
	low, high = 0, 1
	if count > 0 {
		low = mathext.InvRegIncBeta(k, of-k+1, tail)
	}
	if count < n {
		high = mathext.InvRegIncBeta(k+1, of-k, 1-tail)
	}
	return low, high
}

// MeanInterval returns an interval for the mean of n ≥ 2 independent numbers, given their mean and sample deviation
// (Student, The Probable Error of a Mean, 1908). It is exact for normal numbers, and nearly so for many others.
func MeanInterval(mean, deviation float64, n int) (low, high float64) {
	width := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(1-tail) * deviation / math.Sqrt(float64(n))
	return mean - width, mean + width
}

// LogitInterval returns an interval for a number in (0, 1), given its standard error. It is by the normal distribution
// on the scale of log(x/(1 − x)), which keeps the interval within (0, 1) (Pepe, The Statistical Evaluation of Medical
// Tests, 2003, §5.2.4). At 0 and 1 the interval is the point x.
func LogitInterval(x, standardError float64) (low, high float64) {
	spread := x * (1 - x)
	if spread == 0 {
		return x, x
	}
	logit, width := math.Log(x/(1-x)), Deviations*standardError/spread
	return 1 / (1 + math.Exp(width-logit)), 1 / (1 + math.Exp(-width-logit))
}
