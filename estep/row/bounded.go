package row

import (
	"fmt"
	"math"
)

// Bounded is the flag of E-steps that bound rows.
type Bounded struct {
	RowNorm float64 `required:"" placeholder:"R" group:"Row" help:"Scale each row x to x·min(1, R/|x|)/R, of norm at most 1. R is public, and the same in training and scoring. For F features in [-1, 1] that are not 0, √F changes no direction and no ratio of norms."`
}

// Check returns an error if the norm is not positive and finite.
func (b Bounded) Check() error {
	if !(b.RowNorm > 0) || math.IsInf(b.RowNorm, 0) {
		return fmt.Errorf("--row-norm must be positive, is %v", b.RowNorm)
	}
	return nil
}
