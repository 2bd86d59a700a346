package page

import (
	"cmp"
	"math"
	"slices"

	"privpipe/evaluate/internal/score"
)

// Coefficients are the weights for features in a classifier.
type Coefficients struct {
	All    []Coefficient // the largest magnitude first
	Hidden int           // smaller ones that the page leaves out
	Point  bool          // the model states no uncertainty
}

// A Coefficient is a weight's mean under the posterior, and its 95 % interval.
type Coefficient struct {
	Feature         string
	Mean, Low, High float64
	// Places on a bar of 100 units, with 0 in the middle.
	At, From, To float64
}

// Sure says whether the interval excludes 0.
func (c Coefficient) Sure() bool { return c.Low > 0 || c.High < 0 }

// mostCoefficients is the number that a reader looks through.
const mostCoefficients = 50

// NewCoefficients returns the coefficients with these posterior means and deviations. deviations is nil if the model
// states none.
func NewCoefficients(features []string, means, deviations []float64) *Coefficients {
	c := &Coefficients{Point: deviations == nil}
	for i, mean := range means {
		width := 0.0
		if deviations != nil {
			width = score.Deviations * deviations[i]
		}
		c.All = append(c.All, Coefficient{Feature: features[i], Mean: mean, Low: mean - width, High: mean + width})
	}
	slices.SortStableFunc(c.All, func(a, b Coefficient) int { return cmp.Compare(math.Abs(b.Mean), math.Abs(a.Mean)) })
	if shown := min(len(c.All), mostCoefficients); shown < len(c.All) {
		c.Hidden, c.All = len(c.All)-shown, c.All[:shown]
	}
	widest := 0.0
	for _, of := range c.All {
		widest = max(widest, math.Abs(of.Low), math.Abs(of.High))
	}
	for i := range c.All {
		of := &c.All[i]
		at := func(x float64) float64 {
			if widest == 0 || math.IsInf(widest, 0) {
				return 50
			}
			return 50 + 50*(x/widest)
		}
		of.At, of.From, of.To = at(of.Mean), at(of.Low), at(of.High)
	}
	return c
}
