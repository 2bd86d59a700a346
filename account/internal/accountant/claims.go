package accountant

import "privpipe/pipelines/event"

// AsClaimed returns the charges with the sensitivities that papers use instead of the sound ones, and whether any
// sensitivity differs. Their composition is no bound. It is not a paper's result either, because it accounts for
// sampling as the sound composition does.
func AsClaimed(charges []*event.Charge) (claimed []*event.Charge, found bool) {
	for _, c := range charges {
		if HasClaim(c) {
			found = true
			changed := *c
			changed.Sensitivity = c.Claimed
			if c.Clipping == event.ClipUnbounded {
				changed.Clipping = ""
			}
			c = &changed
		}
		claimed = append(claimed, c)
	}
	return claimed, found
}

// HasClaim says whether a charge also states a paper's sensitivity, and it differs from the sound one.
func HasClaim(c *event.Charge) bool { return c.Claimed > 0 && c.Claimed != c.Sensitivity }
