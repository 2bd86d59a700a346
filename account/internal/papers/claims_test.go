package papers

import (
	"testing"

	"privpipe/pipelines/event"
)

// TestClaims: the papers' numbers are numbers at the extremes, too.
func TestClaims(t *testing.T) {
	for _, method := range []string{event.Poisson, event.Fixed} {
		for _, rate := range []float64{1e-8, 0.05, 1} {
			for _, rounds := range []int{1, 1e7} {
				for _, noise := range []float64{0.1, 2, 1e4} {
					all := Claims(event.Scheme{Method: method, Rate: rate, Rounds: rounds}, noise, 1e-5, "C")
					for _, c := range all {
						if !(c.Epsilon >= 0) {
							t.Errorf("%s of %s, rate %v, rounds %v, noise %v: ε %v", c.Name, method, rate, rounds, noise, c.Epsilon)
						}
					}
					if len(all) < 3 {
						t.Errorf("%s has %d claims", method, len(all))
					}
				}
			}
		}
	}
	if all := Claims(event.Scheme{Method: event.All, Rate: 1, Rounds: 1}, 1, 1e-5, "C"); all != nil {
		t.Errorf("without sampling there are %d claims", len(all))
	}
}
