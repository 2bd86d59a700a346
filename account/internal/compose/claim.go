package compose

import "privpipe/pipelines/event"

// Claimed returns the charges with the sensitivities that papers take in place of the sound ones, and whether there are any.
// Their composition is what the papers would report, no bound.
func Claimed(charges []*event.Charge) (claimed []*event.Charge, found bool) {
	for _, c := range charges {
		if c.Claimed > 0 {
			found = true
			changed := *c
			changed.Sensitivity = c.Claimed
			c = &changed
		}
		claimed = append(claimed, c)
	}
	return claimed, found
}
