package page

import (
	"cmp"
	"math"
	"slices"

	"privpipe/evaluate/internal/score"
)

// Units are a network's hidden units, each with its weights to an image's pixels.
type Units struct {
	Size   score.Size
	All    []Unit // the largest norm first
	Hidden int    // smaller ones that the page leaves out
}

// A Unit is a hidden unit. Its weights have shades from −Shades to Shades, in proportion to its largest weight.
type Unit struct {
	ID            int // from 0
	Norm, Largest float64
	Paths         []score.Path
}

// Shades is the number of shades for weights of each sign.
const Shades = 3

// mostUnits keeps the page small.
const mostUnits = 64

// NewUnits returns the units with these weights. Each row is one unit.
func NewUnits(size score.Size, weights []float64) *Units {
	u := &Units{Size: size}
	n := size.Pixels()
	for first := 0; first < len(weights); first += n {
		of := Unit{ID: first / n}
		for _, w := range weights[first : first+n] {
			of.Largest = max(of.Largest, math.Abs(w))
			of.Norm = math.Hypot(of.Norm, w)
		}
		u.All = append(u.All, of)
	}
	slices.SortStableFunc(u.All, func(a, b Unit) int { return cmp.Compare(b.Norm, a.Norm) })
	if len(u.All) > mostUnits {
		u.Hidden, u.All = len(u.All)-mostUnits, u.All[:mostUnits]
	}
	shades := make([]int, n)
	for i := range u.All {
		of := &u.All[i]
		for j, w := range weights[of.ID*n : (of.ID+1)*n] {
			shades[j] = 0
			if of.Largest > 0 {
				shades[j] = int(math.Round(Shades * (w / of.Largest)))
			}
		}
		of.Paths = size.Paths(shades)
	}
	return u
}
