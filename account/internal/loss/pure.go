package loss

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// Pure is any ε-differentially private mechanism.
type Pure struct{ Epsilon float64 }

// Events of approx_dp with a δ of 0 are Pure.
var pureKind = &Kind{Name: "pure", Curves: []Theorem{{"randomized response (Mironov 2017, prop. 5)", nil}},
	Pairs: []Theorem{{"randomized response (Kairouz, Oh, Viswanath 2015, thm. 3.4)", nil}}}

func (Pure) Kind() *Kind      { return pureKind }
func (m Pure) String() string { return fmt.Sprintf("pure(%v)", m.Epsilon) }

// mostPure is a bound on ε that keeps e^ε within float64.
const mostPure = 700

func (m Pure) Check() error {
	if !(m.Epsilon >= 0 && m.Epsilon <= mostPure) {
		return fmt.Errorf("ε of a mechanism must be in [0, %v], is %v", mostPure, m.Epsilon)
	}
	return nil
}

func (m Pure) Curve() renyi.Curve {
	return func(alpha float64) float64 { return renyi.RandomizedResponse(m.Epsilon, alpha) }
}

func (m Pure) Pair() (*pld.Pair, error) {
	if m.Epsilon == 0 {
		return nil, nil
	}
	return pld.Pure(m.Epsilon)
}

func (m Pure) PureEpsilon() float64   { return m.Epsilon }
func (m Pure) Guarantee() Approximate { return Approximate{Epsilon: m.Epsilon} }

func (m Pure) Composed(count float64) Approximate {
	return Approximate{Epsilon: TimesUp(count, m.Epsilon)}
}

func (Pure) Attained(bool) (rounded float64, ok bool) { return 0, true }

// Write implements Written. Randomized response on one bit dominates every mechanism with the same ε (Kairouz, Oh and
// Viswanath 2015, theorem 3.4). Its p, rounded down, has log((1−p/2)/(p/2)) = ε.
func (m Pure) Write(n Neighbours) (string, []any, error) {
	if !n.ReplaceOne {
		return "", nil, errors.New("dp_accounting has no event of pure ε except under replace-one")
	}
	p := math.Nextafter(2/(1+math.Exp(m.Epsilon))*(1-1e-15), 0)
	return randomizedResponseKind.Class, []any{"noise_parameter", p, "num_buckets", 2}, nil
}

func (m Pure) List() []any { return m.Guarantee().List() }
