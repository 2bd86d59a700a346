package loss

import (
	"fmt"
	"math"

	"privpipe/account/internal/pld"
)

// DiscreteLaplace is discrete Laplace noise on one whole number, which neighbours change by at most Sensitivity.
type DiscreteLaplace struct {
	Scale       float64
	Sensitivity int
}

var discreteLaplaceKind = &Kind{
	Name: "discrete_laplace", Class: "DiscreteLaplaceDpEvent", Types: []string{"discrete_laplace"},
	// The DpEvent's parameter is 1/scale. Its sensitivity is the norm of one unit's contribution.
	DpEvent: func(f Fields, n Neighbours) Mechanism {
		return DiscreteLaplace{Scale: math.Nextafter(1/f.Number("noise_parameter"), 0),
			Sensitivity: stepsOf(f) * int(n.L1)}
	},
	Event: func(f Fields, _ Neighbours) Mechanism {
		return DiscreteLaplace{Scale: f.Number("scale"), Sensitivity: stepsOf(f)}
	},
	Curves: []Theorem{{threeSeries, nil}},
	Pairs:  []Theorem{{"discrete Laplace (three geometric series)", nil}},
}

func (DiscreteLaplace) Kind() *Kind { return discreteLaplaceKind }

func (m DiscreteLaplace) String() string {
	return fmt.Sprintf("laplace on one number(%v, %d)", m.Scale, m.Sensitivity)
}

func (m DiscreteLaplace) Check() error {
	if err := checkSteps(m.Sensitivity); err != nil {
		return err
	}
	return checkNoise("scale over sensitivity", m.Scale/float64(m.Sensitivity))
}

// Traits implements Mechanism.
func (m DiscreteLaplace) Traits() Traits {
	shift := float64(m.Sensitivity)
	return Traits{
		Curve:    Laplace{m.Scale, shift, true}.curve(),
		Pair:     func() (*pld.Pair, error) { return pld.DiscreteLaplace(m.Scale, m.Sensitivity) },
		Attained: unlessNonNegative,
		Composed: func(count float64) Approximate {
			return Approximate{Epsilon: quotientUp(timesUp(count, shift), m.Scale)}
		},
		Pure: new(shift / m.Scale * (1 + 1e-15)),
	}
}
