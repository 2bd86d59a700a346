package release

import (
	"slices"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/clip"
	"privpipe/privatize/internal/fixed"
)

// A limiter bounds each unit's contribution to a round, or the sum over all units, as the grant says.
type limiter struct {
	clipping    string // "": without a grant nothing is bounded
	l1          bool   // the mechanism's norm is L1, else L2
	nonNegative bool
	words       bool   // the unit is the word, and a contribution has many words: Collector.whole checks the numbers
	bound       uint64 // in steps
	twice       []bool // the cells that count twice in the norm: see fixed.Layout.Twice

	marks []bool // for each cell of a unit, whether it counts twice; used again for each unit
}

// unit bounds a unit's whole vector.
func (l *limiter) unit(v *fixed.Vector) error {
	if l.nonNegative {
		fixed.NonNegative(v.Steps)
	}
	switch l.clipping {
	case "", event.ClipUnbounded:
		// Under a clip bound a saturated coordinate is clipped next. Without one it would give a wrong sum.
		if slices.ContainsFunc(v.Steps, func(z int64) bool { return fixed.Magnitude(z) >= fixed.Limit }) {
			return &book.Mismatch{Reason: "a contribution has a coordinate that is too large to sum exactly"}
		}
	case event.ClipUnit:
		clip.L2(v.Steps, l.marked(v.Cells), l.bound)
	case event.ClipUnitL1:
		clip.L1(v.Steps, l.marked(v.Cells), l.bound)
	case event.ClipProved:
		if !l.words && !l.within(v) {
			return &book.Mismatch{Reason: "a contribution exceeds the bound that the grant takes for proved"}
		}
	}
	return nil
}

// most returns a number that no step of a unit's bounded vector exceeds. A step is at most the norm, where the norm is
// bounded, and elsewhere at most where steps saturate.
func (l *limiter) most() uint64 {
	switch l.clipping {
	case event.ClipUnit, event.ClipUnitL1:
		return l.bound
	case event.ClipProved:
		if !l.words {
			return l.bound
		}
	}
	return fixed.Limit
}

func (l *limiter) within(v *fixed.Vector) bool {
	if l.l1 {
		return clip.WithinL1(v.Steps, l.marked(v.Cells), l.bound)
	}
	return clip.WithinL2(v.Steps, l.marked(v.Cells), l.bound)
}

// marked returns for each cell of one unit whether it counts twice.
func (l *limiter) marked(cells []int) []bool {
	if l.twice == nil {
		return nil
	}
	l.marks = l.marks[:0]
	for _, cell := range cells {
		l.marks = append(l.marks, l.twice[cell])
	}
	return l.marks
}

// batch bounds the sum over all units, where the grant bounds the sum.
func (l *limiter) batch(sum *fixed.Sum) {
	if l.clipping == event.ClipBatch {
		fixed.Saturate(sum.Cells)
		clip.L2(sum.Cells, l.twice, l.bound)
	}
}
