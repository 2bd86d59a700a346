package loss

import (
	"fmt"
)

// Concentrated is any ρ-zero-concentrated differentially private mechanism. No pair of distributions dominates all of
// these mechanisms.
type Concentrated struct{ Rho float64 }

var concentratedKind = &Kind{
	Name: "zcdp", Class: "ZCDpEvent", Types: []string{"zcdp"},
	DpEvent: func(f Fields, _ Neighbours) Mechanism {
		m := Concentrated{Rho: f.Number("rho")}
		if f.Has("xi") && f.Number("xi") != 0 {
			f.Fail("xi must be 0: (ξ, ρ)-zCDP is not read")
		}
		return m
	},
	Event:  func(f Fields, _ Neighbours) Mechanism { return Concentrated{Rho: f.Number("rho")} },
	Curves: []Theorem{{"zCDP (Bun, Steinke 2016, def. 1.1)", nil}},
}

func (Concentrated) Kind() *Kind      { return concentratedKind }
func (m Concentrated) String() string { return fmt.Sprintf("concentrated(%v)", m.Rho) }

func (m Concentrated) Check() error {
	if !(m.Rho >= 0 && m.Rho <= 1e6) {
		return fmt.Errorf("ρ of a mechanism must be in [0, 1e6], is %v", m.Rho)
	}
	return nil
}

// Traits implements Mechanism: Bun and Steinke 2016, definition 1.1.
func (m Concentrated) Traits() Traits {
	return Traits{Curve: func(alpha float64) float64 { return m.Rho * alpha }, Rho: &m.Rho}
}
