package loss

// Plain returns events of continuous noise, each of one batch and whether it is sampled known, that together lose no less
// than e: what other accountants have words for.
func (e Event) Plain() (all []Event) {
	if e.Sampling != All && !e.Apart {
		return []Event{{Sampling: e.Sampling, Rate: e.Rate, Released: continuous(e.Released), Count: e.Count}}
	}
	for _, batch := range e.worst() {
		all = append(all, Event{Released: batch, Count: e.Count})
	}
	return all
}

// worst returns the batches, with continuous noise, in which a unit that takes part may be: in one of them, and so to count
// it in each is a bound. One that is no worse than another is left out.
func (e Event) worst() [][]Mechanism {
	batches := [][]Mechanism{continuous(e.Released)}
next:
	for _, released := range e.Instead {
		other := continuous(released)
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
