package loss

import (
	"fmt"
	"strings"
)

// A Release is a number of equal releases. Each has mechanisms on one batch of units, and says how units take part.
type Release struct {
	Sampling Sampling
	Rate     float64     // expected share of the units in a batch, in [0, 1]; not used for All
	Released []Mechanism // mechanisms on one batch
	// Instead has the mechanisms on other batches, if the rounds are disjoint and a unit is in one of these batches.
	// For All only.
	Instead [][]Mechanism
	// Apart says that the releases may be from one batch, or from several batches with their own coins: it is not known
	// which.
	Apart bool
	// Disjoint says that Released and Instead are on disjoint rounds of one throw: the rounds share no unit. Both list
	// the candidates for the worst round.
	Disjoint bool
	// Thrown is the number of rounds if each unit has a secret coin of its own that puts it in one of them, else 0. It
	// requires Disjoint, and add-remove or replace-null. Complete says that all rounds are released, each with the
	// mechanisms Released.
	Thrown   int
	Complete bool
	Count    int // number of equal releases, each with its own batch and noise; at least 1
}

// Name is equal only for releases with equal loss, apart from the count.
func (e Release) Name() string {
	var b strings.Builder
	switch e.Sampling {
	case Poisson:
		fmt.Fprintf(&b, "poisson(%v) ", e.Rate)
	case Fixed:
		fmt.Fprintf(&b, "fixed(%v) ", e.Rate)
	}
	write := func(released []Mechanism) {
		for i, m := range released {
			if i > 0 {
				b.WriteString(" + ")
			}
			b.WriteString(m.String())
		}
	}
	if e.Apart {
		b.WriteString("perhaps apart ")
	}
	switch {
	case e.Complete:
		fmt.Fprintf(&b, "allocate(%d) ", e.Thrown)
	case e.Thrown > 0:
		fmt.Fprintf(&b, "of allocate(%d) ", e.Thrown)
	}
	write(e.Released)
	for _, released := range e.Instead {
		b.WriteString(" or ")
		write(released)
	}
	return b.String()
}

// Check returns the first rule that a release breaks.
func (e Release) Check() error {
	if e.Count < 1 {
		return fmt.Errorf("count must be at least 1, is %d", e.Count)
	}
	if e.Sampling != All && !(e.Rate >= 0 && e.Rate <= 1) {
		return fmt.Errorf("sampling rate must be in [0, 1], is %v", e.Rate)
	}
	for _, released := range append([][]Mechanism{e.Released}, e.Instead...) {
		for _, m := range released {
			if err := m.Check(); err != nil {
				return err
			}
		}
	}
	return nil
}
