package loss

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/pld"
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

// Traits implements Mechanism. Randomized response on one bit dominates every mechanism with the same ε (Kairouz, Oh
// and Viswanath 2015, theorem 3.4).
func (m Pure) Traits() Traits {
	whole := Approximate{Epsilon: m.Epsilon}
	return Traits{
		Curve: whole.curve(),
		Pair: func() (*pld.Pair, error) {
			if m.Epsilon == 0 {
				return nil, nil
			}
			return pld.Pure(m.Epsilon)
		},
		Attained: always, Guarantee: &whole,
		Composed: func(count float64) Approximate { return Approximate{Epsilon: timesUp(count, m.Epsilon)} },
		Pure:     &m.Epsilon,
		DpEvent:  m.asResponse,
		Event:    whole.event,
	}
}

// asResponse returns the event of that bit. Its p, rounded down, has log((1−p/2)/(p/2)) = ε.
func (m Pure) asResponse(n Neighbours) (string, []any, error) {
	if !n.ReplaceOne {
		return "", nil, errors.New("dp_accounting has no event of pure ε except under replace-one")
	}
	p := math.Nextafter(2/(1+math.Exp(m.Epsilon))*(1-1e-15), 0)
	return randomizedResponseKind.Class, []any{"noise_parameter", p, "num_buckets", 2}, nil
}
