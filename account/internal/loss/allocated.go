package loss

import (
	"privpipe/account/internal/mechanism"
	"privpipe/account/internal/pld"
)

// allocatedNoise is the noise over sensitivity of each round of a throw, of continuous Gaussian noise, rounded down. Rounds with
// more noise are rounds with that to which noise is added, and rounds that are not released are left out of what is: neither
// loses more (post-processing). So the worst round stands for all of them. ok is false where none is.
func (e Release) allocatedNoise() (sigma float64, ok bool) {
	worst := e.worst()
	if len(worst) > 1 {
		return 0, false
	}
	return mechanism.JointSigma(worst[0])
}

// allocates says that package pld knows the pairs of a throw.
func (e Release) allocates() bool {
	sigma, ok := e.allocatedNoise()
	return ok && e.Thrown <= pld.MostAllocated && sigma >= pld.LeastAllocated && sigma <= pld.LargestAllocated
}

// allocatedPairs is pairs of a throw by secret coins. What is released of one round is one Gaussian of the joint noise, whichever
// the results before it.
func (e Release) allocatedPairs(l *List) (p Pairs, err error) {
	sigma, _ := e.allocatedNoise()
	above, err := pld.GaussianAllocation(e.Thrown, sigma)
	if err != nil {
		return p, err
	}
	p.Dominating = []pld.Event{{Pair: above, Count: e.Count}}
	rounded, ok := l.attains(e.Released)
	if !ok || !e.Complete {
		return p, nil
	}
	below, err := pld.GaussianAllocationBelow(e.Thrown, min(sigma*(1+rounded+1e-12), pld.LargestAllocated))
	p.Attained = []pld.Event{{Pair: below, Count: e.Count}}
	return p, err
}
