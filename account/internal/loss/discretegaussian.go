package loss

import (
	"fmt"
	"math"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// DiscreteGaussian is discrete Gaussian noise on one whole number, which neighbours change by at most Sensitivity.
type DiscreteGaussian struct {
	Variance    float64
	Sensitivity int
}

var discreteGaussianKind = &Kind{
	Name: "discrete_gaussian", Types: []string{"discrete_gaussian"},
	Event: func(f Fields, _ Neighbours) Mechanism {
		return DiscreteGaussian{Variance: f.Number("variance"), Sensitivity: stepsOf(f)}
	},
	Pairs: []Theorem{{"discrete Gaussian (Canonne, Kamath, Steinke 2020, thm. 7)", nil}},
}

func (DiscreteGaussian) Kind() *Kind { return discreteGaussianKind }

func (m DiscreteGaussian) String() string {
	return fmt.Sprintf("gaussian on one number(%v, %d)", m.Variance, m.Sensitivity)
}

func (m DiscreteGaussian) Check() error {
	if err := checkSteps(m.Sensitivity); err != nil {
		return err
	}
	return checkNoise("noise over sensitivity", math.Sqrt(m.Variance)/float64(m.Sensitivity))
}

// Traits implements Mechanism. Its curve is from Canonne, Kamath and Steinke, The Discrete Gaussian for Differential
// Privacy, 2020, proposition 5.
func (m DiscreteGaussian) Traits() Traits {
	sigma := math.Sqrt(m.Variance) / float64(m.Sensitivity)
	return Traits{
		Curve:    func(alpha float64) float64 { return renyi.Gaussian(sigma, alpha) },
		Pair:     func() (*pld.Pair, error) { return pld.DiscreteGaussian(m.Variance, m.Sensitivity) },
		Attained: unlessNonNegative,
		Rho:      new(renyi.Rho(math.Nextafter(math.Sqrt(m.Variance), 0)/float64(m.Sensitivity), 1)),
	}
}
