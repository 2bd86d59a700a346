package loss

import (
	"fmt"
	"math"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// Gaussian is Gaussian noise on a vector. All Gaussian noise on one batch is one Gaussian: see JointSigma.
type Gaussian struct {
	Noise       float64 // standard deviation; in steps if discrete, else over the norm of one unit's contribution
	Sensitivity float64 // L2 distance of neighbours' sums, in the same measure
	Discrete    bool    // in whole steps

	// Norm is the largest L2 norm of one unit's contribution, in the same measure; 0 stands for 1. NonNegative says
	// that no coordinate is negative. Both matter only if a unit is exchanged for another by the same coin: see
	// exchange.go.
	Norm        float64
	NonNegative bool
}

var gaussianKind = &Kind{
	Name: "gaussian", Class: "GaussianDpEvent", Types: []string{"gaussian"}, Sampled: true, Batched: true,
	DpEvent: func(f Fields, n Neighbours) Mechanism {
		return Gaussian{Noise: f.Number("noise_multiplier"), Sensitivity: n.L2}
	},
	Event: func(f Fields, n Neighbours) Mechanism {
		return Gaussian{Noise: f.Number("noise_multiplier"), Sensitivity: sensitivityOf(f, n.L2)}
	},
	Curves: []Theorem{
		{"sampled Gaussian, a unit exchanged (package renyi)", exchangedByCoin},
		{"sampled Gaussian (Mironov, Talwar, Zhang 2019, §3.3)",
			func(u Use) bool { return u.Sampling == Poisson && !u.ReplaceOne }},
		{"sampling without replacement (Wang, Balle, Kasiviswanathan 2019, thm. 9 and 27)", by(Fixed)},
		{"Gaussian (Mironov 2017, prop. 7)", unsampledContinuous},
		{"discrete Gaussian (Canonne, Kamath, Steinke 2020, prop. 5)", ofSteps},
	},
	Pairs: []Theorem{
		{"sampled Gaussian, a unit exchanged (package pld)", exchangedByCoin},
		{"sampled Gaussian (Zhu, Dong, Wang 2022, prop. 30)",
			func(u Use) bool { return u.Sampling == Poisson && !u.ReplaceOne }},
		{"sampling without replacement (Balle, Barthe, Gaboardi 2018, thm. 9)", by(Fixed)},
		{"Gaussian (Balle, Wang 2018, thm. 8)", unsampledContinuous},
		{"discrete Gaussian as continuous (Peikert 2010, thm. 3.1)", ofSteps},
	},
}

func exchangedByCoin(u Use) bool { return u.Sampling == Poisson && u.ReplaceOne }

func unsampledContinuous(u Use) bool { return u.Sampling == All && !ofSteps(u) }

// ofSteps says whether Gaussian or Laplace noise is discrete.
func ofSteps(u Use) bool {
	switch m := u.Mechanism.(type) {
	case Gaussian:
		return m.Discrete
	case Laplace:
		return m.Discrete
	}
	return false
}

func (Gaussian) Kind() *Kind { return gaussianKind }
func (m Gaussian) String() string {
	return noiseString("gaussian", m.Noise, m.Sensitivity, m.Discrete) + m.exchanged()
}
func (m Gaussian) Check() error { return checkRatio("noise over sensitivity", m.Noise, m.Sensitivity) }

// Traits implements Mechanism. If discrete noise has too few steps, the continuous noise in place of it is none.
func (m Gaussian) Traits() Traits {
	return Traits{
		Curve: func(alpha float64) float64 { return renyi.Gaussian(m.Sigma(), alpha) },
		Pair:  func() (*pld.Pair, error) { return pld.Gaussian(1, m.continuous().Sigma()) },
		Attained: func(nonNegative bool) (rounded float64, ok bool) {
			if ok = !(nonNegative && m.Sensitivity > math.Sqrt2); !m.Discrete {
				return 0, ok
			}
			return m.stepped(), ok && m.inSteps()
		},
		Continuous: func() Mechanism { return m.continuous() },
		Rho:        new(renyi.Rho(m.Sigma(), 1)),
		DpEvent: func(n Neighbours) (string, []any, error) {
			return gaussianKind.Class, []any{"noise_multiplier", multiplier(m.Noise, m.Sensitivity, n.L2)},
				checkWritten(m)
		},
	}
}

// checkWritten refuses discrete noise with so few steps that no continuous noise can replace it.
func checkWritten(m Mechanism) error {
	if err := m.Check(); err != nil {
		return fmt.Errorf("discrete noise of too few steps, or out of range, as continuous noise: %w", err)
	}
	return nil
}

// Sigma returns noise over sensitivity, rounded down.
func (m Gaussian) Sigma() float64 { return math.Nextafter(m.Noise/m.Sensitivity, 0) }

// JointSigma returns noise over sensitivity for all Gaussian releases of a batch together, rounded down, or +Inf if
// there are none. It also says whether all releases are Gaussian. All sums, each divided by its noise, are one sum.
func JointSigma(released []Mechanism) (sigma float64, onlyGaussian bool) {
	squares, onlyGaussian := 0.0, true
	for _, m := range released {
		g, ok := m.(Gaussian)
		if !ok {
			onlyGaussian = false
			continue
		}
		one := g.Sigma()
		squares += 1 / (one * one)
	}
	// A square has an error of 3 roundings. Its reciprocal has one more, and the sum has one for each term. The root
	// halves the error.
	return 1 / math.Sqrt(squares) * (1 - float64(len(released)+8)*0x1p-53), onlyGaussian
}

// smoothing is twice t² in the package's proof: t² is a share twice as large off the diagonal of a symmetric
// matrix.
const smoothing = 2 * 9

func (m Gaussian) continuous() Gaussian {
	if m.Discrete { // rounded down
		m.Noise, m.Discrete = m.Noise*math.Sqrt(max(0, 1-smoothing/(m.Noise*m.Noise)))*(1-1e-15), false
	}
	return m
}

// inSteps says whether a unit may move one cell by the whole sensitivity, and the noise has enough steps for stepped.
func (m Gaussian) inSteps() bool { return wholeSteps(m.Sensitivity) && m.Noise >= 10 }

func wholeSteps(x float64) bool { return x == math.Trunc(x) }

// stepped bounds the relative difference between two continuous noises around m in steps. The one with variance s²−18
// protects no more than m. The one with variance s²+9 protects at least as much (see the package's proof).
func (m Gaussian) stepped() float64 { return (smoothing + 9) / (m.Noise*m.Noise - smoothing) }
