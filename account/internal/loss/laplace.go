package loss

import (
	"math"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// Laplace is Laplace noise on a vector.
type Laplace struct {
	Scale       float64 // in steps if discrete
	Sensitivity float64 // L1 distance of neighbours' sums, in the same measure
	Discrete    bool    // in whole steps
}

var laplaceKind = &Kind{
	Name: "laplace", Class: "LaplaceDpEvent", Types: []string{"laplace", "subsampled_laplace"}, Sampled: true,
	Batched: true,
	DpEvent: func(f Fields, n Neighbours) Mechanism {
		return Laplace{Scale: f.Number("noise_multiplier"), Sensitivity: n.L1}
	},
	Event: func(f Fields, n Neighbours) Mechanism {
		return Laplace{Scale: f.Number("scale"), Sensitivity: sensitivityOf(f, n.L1)}
	},
	Curves: []Theorem{
		{"sampled Laplace (Li, Qardaji, Su 2012, thm. 1; Bun, Steinke 2016, prop. 3.3; binomial moments)", by(Poisson)},
		{"Laplace (Mironov 2017, prop. 6)", func(u Use) bool { return !ofSteps(u) }},
		{threeSeries, ofSteps},
	},
	Pairs: []Theorem{
		{"discrete Laplace as continuous (package loss)", ofSteps},
		{"Laplace (Zhu, Dong, Wang 2022, prop. 30)", nil},
	},
}

// threeSeries describes the Rényi curve of discrete Laplace noise.
const threeSeries = "discrete Laplace (sum of three geometric series)"

func (Laplace) Kind() *Kind      { return laplaceKind }
func (m Laplace) String() string { return noiseString("laplace", m.Scale, m.Sensitivity, m.Discrete) }
func (m Laplace) Check() error   { return checkRatio("scale over sensitivity", m.Scale, m.Sensitivity) }

// Traits implements Mechanism. Of two mechanisms the one with the larger shift dominates (a path with fewer steps
// dominates less, see package renyi).
func (m Laplace) Traits() Traits {
	sampled := func(rate float64) (*pld.Pair, error) { return pld.Laplace(rate, m.continuous().scale()) }
	return Traits{
		Curve:       m.curve(),
		Pair:        func() (*pld.Pair, error) { return sampled(1) },
		SampledPair: sampled,
		Attained: func(nonNegative bool) (rounded float64, ok bool) {
			if ok = !(nonNegative && m.Sensitivity > 1); !m.Discrete {
				return 0, ok
			}
			return 2 / m.Sensitivity, ok && wholeSteps(m.Sensitivity)
		},
		Worse: func(other Mechanism) (Mechanism, bool) {
			l, ok := other.(Laplace)
			switch {
			case !ok:
				return nil, false
			case m.scale() <= l.scale():
				return m, true
			}
			return l, true
		},
		Continuous: func() Mechanism { return m.continuous() },
		Composed: func(count float64) Approximate {
			return Approximate{Epsilon: quotientUp(timesUp(count, m.Sensitivity), m.Scale)}
		},
		Pure: new(m.Sensitivity / m.Scale * (1 + 1e-15)),
		DpEvent: func(n Neighbours) (string, []any, error) {
			noise := multiplier(m.Scale, m.Sensitivity, n.L1)
			return laplaceKind.Class, []any{"noise_multiplier", noise}, checkWritten(m)
		},
	}
}

// finely is the number of steps that stand for a continuous shift. The discrete noise loses no less (see the package's
// proof).
// It loses no more than the continuous noise with a shift that is two steps larger.
const finely = 1 << 40

func (m Laplace) curve() renyi.Curve {
	if !m.Discrete {
		m.Scale, m.Sensitivity = m.scale()*finely, finely
	}
	return func(alpha float64) float64 { return renyi.Laplace(m.Sensitivity, m.Scale, alpha) }
}

func (m Laplace) continuous() Laplace {
	if m.Discrete {
		m.Sensitivity, m.Discrete = m.Sensitivity+2, false
	}
	return m
}

// scale returns scale over sensitivity, rounded down.
func (m Laplace) scale() float64 { return math.Nextafter(m.Scale/m.Sensitivity, 0) }
