package plan

import (
	"math"
	"sort"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/renyi"
	"privpipe/account/internal/search"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// thresholdShare is the share of δ that pays for the threshold of event.Select. The noise has the rest.
const thresholdShare = 0.1

// extent returns the least and the most noise to try.
func (s *solver) extent() (low, high float64, err error) {
	g := s.Grant
	if g.Mechanism == event.RandomizedResponse {
		return 1.0 / event.FlipSteps, 0.5, nil
	}
	low, high = 1.0/16, 1<<20 // 1/16 has an ε above 100; 1<<20 is the privatizer's largest multiplier
	if s.Threshold == 0 {
		return low, high, nil
	}
	// More noise lifts more words over a given threshold. Use the most noise that the threshold's share of δ allows.
	pays := func(x float64) bool {
		s.set(x)
		return accountant.StrayWord(g.Charge(1, g.Scheme)) <= thresholdShare*s.Delta
	}
	if !pays(low) {
		return 0, 0, exit.Errorf(exit.Usage,
			"--threshold %v is too low: with any noise it releases a unit's own word with a "+
				"probability above a tenth of δ", s.Threshold)
	}
	least := search.Bisect(1/high, 1/low, func(x float64) bool { return pays(1 / x) })
	return low, 1 / least, nil
}

// set sets the grant's noise to x, rounded up to the grid. x is the noise multiplier, or the probability that a bit is
// reported wrong. For event.Select the threshold follows from the noise, unless it is given.
func (s *solver) set(x float64) {
	g := s.Grant
	if g.Mechanism == event.RandomizedResponse {
		g.Flip = math.Ceil(x*event.FlipSteps) / event.FlipSteps
		return
	}
	g.NoiseMultiplier = x
	bound, scale := g.Steps()
	g.NoiseMultiplier = float64(scale) / float64(bound)
	s.setThreshold()
}

// setThreshold sets the threshold of event.Select, unless it is given, to the least one that its share of δ pays for.
func (s *solver) setThreshold() {
	g := s.Grant
	if g.Mechanism == event.Select && s.Threshold == 0 {
		bound, scale := g.Steps()
		g.Threshold = float64(leastThreshold(bound, scale, g.MaxWords, thresholdShare*s.Delta)) / float64(bound)
	}
}

// leastThreshold returns the least threshold, in steps, that a unit's own words reach with a probability of at most
// share. For a share below 1e-290 it may return a larger one, which they reach with a probability below share.
func leastThreshold(bound, scale uint64, words int, share float64) uint64 {
	most := bound + 40*scale + 2 // beyond 40σ every tail is 0, apart from rounding up
	return uint64(sort.Search(int(most), func(threshold int) bool {
		return renyi.StrayWord(bound, scale, uint64(threshold), words) <= share
	}))
}
