package loss

import (
	"privpipe/account/internal/pld"
)

// allocatedNoise returns the noise over sensitivity in each round of a throw, for continuous Gaussian noise, rounded
// down. The worst round stands for all rounds, by post-processing. A round with more noise loses no more, because it is
// the worst round with noise added. A round that is not released loses no more, because it is left out of the result.
// ok is false if no round is the worst.
func (e Release) allocatedNoise() (sigma float64, ok bool) {
	worst := e.worst()
	if len(worst) > 1 {
		return 0, false
	}
	return JointSigma(worst[0])
}

// allocates says whether package pld knows the pairs for this throw.
func (e Release) allocates() bool {
	sigma, ok := e.allocatedNoise()
	return ok && e.Thrown <= pld.MostAllocated && sigma >= pld.LeastAllocated && sigma <= pld.LargestAllocated
}

// allocatedPairs returns the pairs for a throw by secret coins. The releases from one round are one Gaussian with the
// joint noise, whatever the results before it.
func (e Release) allocatedPairs(l *List) (p Pairs, err error) {
	sigma, _ := e.allocatedNoise()
	above, err := pld.GaussianAllocation(e.Thrown, sigma)
	if err != nil {
		return p, err
	}
	p.Dominating = []pld.Event{{Pair: above, Count: e.Count}}
	rounded, ok := l.attains(e.Released)
	if !ok || !e.Complete || l.UpperOnly {
		return p, nil
	}
	below, err := pld.GaussianAllocationBelow(e.Thrown, min(sigma*(1+rounded+1e-12), pld.LargestAllocated))
	p.Attained = []pld.Event{{Pair: below, Count: e.Count}}
	return p, err
}
