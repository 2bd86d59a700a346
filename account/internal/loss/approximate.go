package loss

import (
	"fmt"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// Approximate is any (ε, δ)-differentially private mechanism.
type Approximate struct{ Epsilon, Delta float64 }

const asResponse = "(ε, δ) as randomized response (Kairouz, Oh, Viswanath 2015, thm. 3.4)"

var approximateKind = &Kind{
	Name: "approx_dp", Types: []string{"approx_dp"}, Sampled: true,
	Event: func(f Fields, _ Neighbours) Mechanism {
		m := Approximate{Epsilon: f.Number("epsilon"), Delta: f.Number("delta")}
		if m.Delta == 0 {
			return Pure{m.Epsilon}
		}
		return m
	},
	Curves: []Theorem{{asResponse, nil}}, Pairs: []Theorem{{asResponse, nil}},
}

func (Approximate) Kind() *Kind      { return approximateKind }
func (m Approximate) String() string { return fmt.Sprintf("approximate(%v, %v)", m.Epsilon, m.Delta) }

func (m Approximate) Check() error {
	if !(m.Delta >= 0 && m.Delta < 1) {
		return fmt.Errorf("δ of a mechanism must be in [0, 1), is %v", m.Delta)
	}
	return Pure{m.Epsilon}.Check()
}

// Traits implements Mechanism. With probability δ everything is revealed. Otherwise the pair is the same as for Pure
// (Kairouz, Oh and Viswanath, The Composition Theorem for Differential Privacy, 2015, theorem 3.4).
func (m Approximate) Traits() Traits {
	return Traits{
		Curve: m.curve(), Failure: m.Delta,
		Pair: func() (*pld.Pair, error) {
			if m.Epsilon == 0 && m.Delta == 0 {
				return nil, nil
			}
			return pld.Approximate(m.Epsilon, m.Delta)
		},
		Attained: always, Guarantee: &m,
		Composed: func(count float64) Approximate {
			return Approximate{timesUp(count, m.Epsilon), timesUp(count, m.Delta)}
		},
		Event: m.event,
	}
}

func (m Approximate) curve() renyi.Curve {
	return func(alpha float64) float64 { return renyi.RandomizedResponse(m.Epsilon, alpha) }
}

func (m Approximate) event() []any {
	return []any{"type", "approx_dp", "epsilon", m.Epsilon, "delta", m.Delta}
}

// Plus returns the sum of two guarantees, rounded up (Dwork and Roth, The Algorithmic Foundations of Differential
// Privacy, 2014, theorem 3.16).
func (m Approximate) Plus(other Approximate) Approximate {
	return Approximate{addUp(m.Epsilon, other.Epsilon), addUp(m.Delta, other.Delta)}
}
