package loss

import (
	"fmt"
	"strings"
)

// Sampling is how a unit comes to take part in a batch.
type Sampling int

// All units take part; each by a secret coin (Poisson); a fixed number of them, drawn in secret without replacement (Fixed).
const (
	All Sampling = iota
	Poisson
	Fixed
)

// An Event is releases of one kind.
type Event struct {
	Sampling Sampling
	Rate     float64     // expected share of the units in a batch, in [0, 1]; not used for All
	Released []Mechanism // what is released of a batch
	// Instead is what is released of other batches, where a unit is in one of all these: disjoint rounds. For All only.
	Instead [][]Mechanism
	// Apart says that it is not known whether all that is released is of one batch, or of batches with coins of their own.
	Apart bool
	// Disjoint says that the rounds of a throw share no unit: Released and Instead are what the worst of them may be.
	Disjoint bool
	Count    int // how many, each of a batch and with noise of its own; at least 1
}

// A Mechanism is noise, and how far the sums of neighbours can be apart.
type Mechanism interface {
	fmt.Stringer
	Check() error
}

// Name tells the events that cost the same from others; the count is not part of it.
func (e Event) Name() string {
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
	write(e.Released)
	for _, released := range e.Instead {
		b.WriteString(" or ")
		write(released)
	}
	return b.String()
}

// Check reports the first rule that an event breaks.
func (e Event) Check() error {
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
