package loss

import "privpipe/account/internal/mechanism"

// Plain returns events of continuous noise, each of one batch and whether it is sampled known, that together lose no less
// than e: what other accountants have words for.
func (e Release) Plain() (all []Release) {
	if e.Sampling != mechanism.All && !e.Apart {
		return []Release{{Sampling: e.Sampling, Rate: e.Rate, Released: mechanism.Continuous(e.Released), Count: e.Count}}
	}
	for _, batch := range e.worst() {
		all = append(all, Release{Released: batch, Count: e.Count})
	}
	return all
}

// worst returns the batches, with continuous noise, in which a unit that takes part may be: in one of them, and so to count
// it in each is a bound. One that is no worse than another is left out.
func (e Release) worst() [][]mechanism.Mechanism {
	batches := [][]mechanism.Mechanism{mechanism.Continuous(e.Released)}
next:
	for _, released := range e.Instead {
		other := mechanism.Continuous(released)
		for i := range batches {
			if worse, ok := worseOf(batches[i], other); ok {
				batches[i] = worse
				continue next
			}
		}
		batches = append(batches, other)
	}
	return batches
}
