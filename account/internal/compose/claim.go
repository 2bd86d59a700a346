package compose

import "privpipe/pipelines/event"

// Claimed returns the charges with the sensitivities that papers take in place of the sound ones, and whether any of them
// differs. Their composition is no bound, nor what a paper reports: it accounts for sampling as for the sound ones.
func Claimed(charges []*event.Charge) (claimed []*event.Charge, found bool) {
	for _, c := range charges {
		if Claims(c) {
			found = true
			changed := *c
			changed.Sensitivity = c.Claimed
			c = &changed
		}
		claimed = append(claimed, c)
	}
	return claimed, found
}

// Claims says that a charge has the sensitivity of a paper beside the sound one, and that it is another.
func Claims(c *event.Charge) bool { return c.Claimed > 0 && c.Claimed != c.Sensitivity }
