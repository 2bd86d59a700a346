package loss

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/mechanism"
	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
)

// Pairs are pairs of distributions of releases.
type Pairs struct {
	// Dominating is above whatever the releases may be.
	Dominating []pld.Event
	// Attained is what some mechanisms of the kinds that are listed have on some neighbours, all in one direction, except for
	// roundings of parameters that package pld knows of: so what they lose, the worst case does. Releases of which none is
	// known are left out, which only loses less.
	Attained []pld.Event
	Tight    bool // the two are the same
	Whole    bool // a sampled batch counts as if all units took part, which the Rényi curve may not
}

func (p *Pairs) add(other Pairs) {
	p.Dominating = append(p.Dominating, other.Dominating...)
	p.Attained = append(p.Attained, other.Attained...)
	p.Tight, p.Whole = p.Tight && other.Tight, p.Whole || other.Whole
}

// pairs returns the pairs of an event's releases. A sampled batch for which no such pair is known counts as if all units took
// part: whichever the sample, the divergence is at most that, and a divergence of mixtures is at most the largest of their
// parts' (joint convexity). Nobody attains that.
func (e Release) pairs(l *List) (Pairs, error) {
	batch := mechanism.Continuous(e.Released)
	sigma, onlyGaussian := mechanism.JointSigma(batch)
	guarantee, generic := e.amplifiedGuarantee()
	sampled, one := batch[0].(mechanism.SampledPair)
	replaced := e.Sampling == mechanism.Poisson && l.Adjacency == event.ReplaceOne
	reached := true // by some contributions
	var pair *pld.Pair
	var err error
	switch {
	case e.Thrown > 1 && e.allocates():
		return e.allocatedPairs(l)
	case e.Sampling == mechanism.All:
		return e.wholePairs(l)
	case e.Rate == 0:
		return Pairs{Tight: true}, nil
	case e.Apart:
		// One batch, or several: two coins may tell that the unit is there where one does not.
		return e.dominatedByWhole()
	case replaced && onlyGaussian:
		var exchange mechanism.Exchange
		if exchange, err = mechanism.ExchangeByCoin(e.Rate, batch, l.NonNegative); err == nil {
			reached = exchange.Attained()
			pair, err = exchange.Pair()
		}
	case generic && !replaced:
		// The guarantee is one of a single release: the least loss of a sampled one is far above its −ε.
		return Release{Released: []mechanism.Mechanism{guarantee}, Count: e.Count}.dominatedByWhole()
	case e.Sampling == mechanism.Fixed && onlyGaussian:
		pair, err = pld.GaussianWithoutReplacement(e.Rate, sigma)
	case e.Sampling == mechanism.Poisson && onlyGaussian:
		pair, err = pld.Gaussian(e.Rate, sigma)
	case e.Sampling == mechanism.Poisson && one && len(batch) == 1 && !replaced:
		pair, err = sampled.SampledPair(e.Rate)
	default:
		return e.dominatedByWhole()
	}
	if err != nil {
		return Pairs{}, fmt.Errorf("%s: %w", e.Name(), err)
	}
	rounded, ok := l.attains(e.Released)
	p := Pairs{Dominating: []pld.Event{{Pair: pair.Rounded(rounded), Count: e.Count}}}
	switch {
	case ok && e.Sampling == mechanism.Fixed && l.Adjacency == event.ReplaceOne:
		p.Attained, err = e.oneOfEquals(sigma, rounded)
	case e.Sampling == mechanism.Fixed: // an empty unit is not as far from another as two units can be
	case ok && reached:
		p.Attained, p.Tight = p.Dominating, true
	}
	return p, err
}

// oneOfEquals is what sampling without replacement costs at least: all units but one are equal, and as far from that one as
// two units can be. With it the sums are distributed as (1−q)·N(0, σ²) + q·N(1, σ²), and with another of the equal ones in its
// place as N(0, σ²). (The pair that dominates is of two data sets at a time: for losses above 0 of this one, and for
// those below 0 of that with the roles exchanged.)
func (e Release) oneOfEquals(sigma, rounded float64) ([]pld.Event, error) {
	rate := math.Nextafter(math.Nextafter(e.Rate, 0), 0) // it may have been rounded up
	if rate < leastRate {
		return nil, nil
	}
	pair, err := pld.Gaussian(rate, sigma)
	if err != nil {
		return nil, err
	}
	return []pld.Event{{Pair: pair.Rounded(rounded), Count: e.Count}}, nil
}

// leastRate is the least rate of a pair.
const leastRate = 1e-12

// mostJoint is how many releases of a batch are added up with no more rounding than package pld knows of. mostRounded is by how
// large a part discrete noise is rounded to continuous noise for lower bounds still to say something.
const mostJoint, mostRounded = 20, 1e-5

// attains says that the pairs of what is released of a batch are those of some mechanism of its kind on some neighbours, with
// noise over sensitivity rounded down by a part.
func (l *List) attains(released []mechanism.Mechanism) (rounded float64, ok bool) {
	nonNegative := l.NonNegative && l.Adjacency == event.ReplaceOne
	for _, m := range released {
		attained, ok := m.(mechanism.Attained)
		if !ok {
			return 0, false
		}
		part, ok := attained.Attained(nonNegative)
		if !ok || part > mostRounded {
			return 0, false
		}
		rounded = max(rounded, part)
	}
	return rounded, len(released) <= mostJoint
}

// wholePairs is pairs without sampling.
func (e Release) wholePairs(l *List) (Pairs, error) {
	p, err := e.dominatedByWhole()
	rounded, ok := l.attains(e.Released)
	if err != nil || !ok || e.Instead != nil || e.Disjoint {
		return p, err
	}
	for i, one := range p.Dominating {
		p.Dominating[i].Pair = one.Pair.Rounded(rounded)
	}
	p.Attained, p.Tight = p.Dominating, true
	return p, nil
}

// dominatedByWhole is pairs as if all units took part.
func (e Release) dominatedByWhole() (p Pairs, err error) {
	p.Whole = e.Sampling != mechanism.All
	for _, batch := range e.worst() {
		if p.Dominating, err = appendPairs(p.Dominating, batch, e.Count); err != nil {
			return Pairs{}, fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return p, nil
}

// worseOf returns the one of two batches that dominates the other. Gaussian noise becomes more of it by adding noise.
func worseOf(a, b []mechanism.Mechanism) (worse []mechanism.Mechanism, ok bool) {
	x, onlyGaussian := mechanism.JointSigma(a)
	y, alsoGaussian := mechanism.JointSigma(b)
	if onlyGaussian && alsoGaussian {
		if x <= y {
			return a, true
		}
		return b, true
	}
	if c, ok := a[0].(mechanism.Comparable); ok && len(a) == 1 && len(b) == 1 {
		m, ok := c.Worse(b[0])
		return []mechanism.Mechanism{m}, ok
	}
	return nil, false
}

// appendPairs appends the pairs of all releases of a batch, of which the unit takes part.
func appendPairs(all []pld.Event, batch []mechanism.Mechanism, count int) ([]pld.Event, error) {
	add := func(pair *pld.Pair, err error) error {
		if err == nil && pair != nil {
			all = append(all, pld.Event{Pair: pair, Count: count})
		}
		return err
	}
	if sigma, _ := mechanism.JointSigma(batch); !math.IsInf(sigma, 1) {
		if err := add(pld.Gaussian(1, sigma)); err != nil {
			return nil, err
		}
	}
	for _, m := range batch {
		if _, ok := m.(mechanism.Gaussian); ok {
			continue
		}
		d, ok := m.(mechanism.Dominated)
		if !ok {
			return nil, errors.New("no dominating pair of distributions is known for such a guarantee: use renyi")
		}
		if err := add(d.Pair()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

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
