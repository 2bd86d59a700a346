package loss

import (
	"fmt"
	"strings"

	"privpipe/account/internal/mechanism"
)

// A Release is what is released of one batch of units: mechanisms, and how units came to take part. Count says how often.
type Release struct {
	Sampling mechanism.Sampling
	Rate     float64               // expected share of the units in a batch, in [0, 1]; not used for All
	Released []mechanism.Mechanism // what is released of a batch
	// Instead is what is released of other batches, where a unit is in one of all these: disjoint rounds. For All only.
	Instead [][]mechanism.Mechanism
	// Apart says that it is not known whether all that is released is of one batch, or of batches with coins of their own.
	Apart bool
	// Disjoint says that the rounds of a throw share no unit: Released and Instead are what the worst of them may be.
	Disjoint bool
	// Thrown is the number of the rounds, if a secret coin of its own puts each unit in one of them; else 0. For Disjoint and
	// add-remove and replace-null only. Complete says that all of the rounds are released, each as Released.
	Thrown   int
	Complete bool
	Count    int // how many, each of a batch and with noise of its own; at least 1
}

// Name tells the releases that cost the same from others; the count is not part of it.
func (e Release) Name() string {
	var b strings.Builder
	switch e.Sampling {
	case mechanism.Poisson:
		fmt.Fprintf(&b, "poisson(%v) ", e.Rate)
	case mechanism.Fixed:
		fmt.Fprintf(&b, "fixed(%v) ", e.Rate)
	}
	write := func(released []mechanism.Mechanism) {
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

// Check reports the first rule that a release breaks.
func (e Release) Check() error {
	if e.Count < 1 {
		return fmt.Errorf("count must be at least 1, is %d", e.Count)
	}
	if e.Sampling != mechanism.All && !(e.Rate >= 0 && e.Rate <= 1) {
		return fmt.Errorf("sampling rate must be in [0, 1], is %v", e.Rate)
	}
	for _, released := range append([][]mechanism.Mechanism{e.Released}, e.Instead...) {
		for _, m := range released {
			if err := m.Check(); err != nil {
				return err
			}
		}
	}
	return nil
}
