package loss

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
)

// Pairs are pairs of distributions for releases.
type Pairs struct {
	// Dominating bounds the releases from above, whatever mechanisms of the listed kinds they are, on any data.
	Dominating []pld.Event
	// Attained bounds the worst case from below. Some mechanisms of the listed kinds have these pairs on some
	// neighbours, all in one direction, except for parameter roundings that package pld accounts for. Releases without
	// a known pair are left out, which only makes the bound smaller.
	Attained []pld.Event
	Tight    bool // Attained equals Dominating
	Whole    bool // a sampled batch counts as if all units took part; the Rényi curve may be better there
}

func (p *Pairs) add(other Pairs) {
	p.Dominating = append(p.Dominating, other.Dominating...)
	p.Attained = append(p.Attained, other.Attained...)
	p.Tight, p.Whole = p.Tight && other.Tight, p.Whole || other.Whole
}

// pairs returns the pairs for an event's releases. If no pair is known for a sampled batch, the batch counts as if all
// units took part. For each sample the divergence is at most that large, and a divergence of mixtures is at most the
// largest of their parts' (joint convexity). No data attain this bound.
func (e Release) pairs(l *List) (Pairs, error) {
	batch := Continuous(e.Released)
	sigma, onlyGaussian := JointSigma(batch)
	guarantee, generic := e.amplifiedGuarantee()
	sampledPair := batch[0].Traits().SampledPair
	replaced := e.Sampling == Poisson && l.Adjacency == event.ReplaceOne
	reached := true // some contributions attain the pair
	var pair *pld.Pair
	var err error
	switch {
	case e.Thrown > 1 && e.allocates():
		return e.allocatedPairs(l)
	case e.Sampling == All:
		return e.wholePairs(l)
	case e.Rate == 0:
		return Pairs{Tight: true}, nil
	case e.Apart:
		// One batch, or several: two coins may show that the unit is there when one coin does not.
		return e.dominatedByWhole()
	case replaced && onlyGaussian:
		var exchange Exchange
		if exchange, err = ExchangeByCoin(e.Rate, batch, l.NonNegative); err == nil {
			reached = exchange.Attained()
			pair, err = exchange.Pair()
		}
	case generic && !replaced:
		// The guarantee is for a single release, and it is loose: a sampled release's least loss is far above −ε.
		return Release{Released: []Mechanism{guarantee}, Count: e.Count}.dominatedByWhole()
	case e.Sampling == Fixed && onlyGaussian:
		pair, err = pld.GaussianWithoutReplacement(e.Rate, sigma)
	case e.Sampling == Poisson && onlyGaussian:
		pair, err = pld.Gaussian(e.Rate, sigma)
	case e.Sampling == Poisson && sampledPair != nil && len(batch) == 1 && !replaced:
		pair, err = sampledPair(e.Rate)
	default:
		return e.dominatedByWhole()
	}
	if err != nil {
		return Pairs{}, fmt.Errorf("%s: %w", e.Name(), err)
	}
	rounded, ok := l.attains(e.Released)
	p := Pairs{Dominating: []pld.Event{{Pair: pair.Rounded(rounded), Count: e.Count}}}
	switch {
	case ok && e.Sampling == Fixed && l.Adjacency == event.ReplaceOne:
		p.Attained, err = e.oneOfEquals(sigma, rounded)
	case e.Sampling == Fixed: // no lower bound: two units can be further apart than a unit and an empty one
	case ok && reached:
		p.Attained, p.Tight = p.Dominating, true
	}
	return p, err
}

// oneOfEquals returns a lower bound for sampling without replacement. All units but one are equal, and the distance to
// that one is the largest possible. With that unit the sums are distributed as (1−q)·N(0, σ²) + q·N(1, σ²). With
// another of the equal units in its place they are distributed as N(0, σ²). (The dominating pair combines two pairs of
// data sets. Its losses above 0 are from this pair, and its losses below 0 from this pair with the roles exchanged.)
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

// leastRate is package pld's least rate for a pair.
const leastRate = 1e-12

// mostJoint limits the number of releases in one batch. Up to it, their sum has no more rounding than package pld
// accounts for. mostRounded limits the relative rounding of discrete noise to continuous noise. Beyond it a lower bound
// would say little.
const mostJoint, mostRounded = 20, 1e-5

// attains says whether some mechanism of the same kinds has the batch's pairs on some neighbours, if noise over
// sensitivity is rounded down by the part rounded.
func (l *List) attains(released []Mechanism) (rounded float64, ok bool) {
	nonNegative := l.NonNegative && l.Adjacency == event.ReplaceOne
	for _, m := range released {
		attained := m.Traits().Attained
		if attained == nil {
			return 0, false
		}
		one, ok := attained(nonNegative)
		if !ok || one > mostRounded {
			return 0, false
		}
		rounded = max(rounded, one)
	}
	return rounded, len(released) <= mostJoint
}

// wholePairs returns the pairs without sampling.
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

// dominatedByWhole returns the pairs as if all units took part.
func (e Release) dominatedByWhole() (p Pairs, err error) {
	p.Whole = e.Sampling != All
	for _, batch := range e.worst() {
		if p.Dominating, err = appendPairs(p.Dominating, batch, e.Count); err != nil {
			return Pairs{}, fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return p, nil
}

// worseOf returns the batch that dominates the other one. ok is false if none is known to. The Gaussian batch with less
// noise dominates, because adding noise makes the other one of it.
func worseOf(a, b []Mechanism) (worse []Mechanism, ok bool) {
	x, onlyGaussian := JointSigma(a)
	y, alsoGaussian := JointSigma(b)
	if onlyGaussian && alsoGaussian {
		if x <= y {
			return a, true
		}
		return b, true
	}
	if compare := a[0].Traits().Worse; compare != nil && len(a) == 1 && len(b) == 1 {
		m, ok := compare(b[0])
		return []Mechanism{m}, ok
	}
	return nil, false
}

// appendPairs appends the pairs for all releases from one batch, for a unit that takes part.
func appendPairs(all []pld.Event, batch []Mechanism, count int) ([]pld.Event, error) {
	add := func(pair *pld.Pair, err error) error {
		if err == nil && pair != nil {
			all = append(all, pld.Event{Pair: pair, Count: count})
		}
		return err
	}
	if sigma, _ := JointSigma(batch); !math.IsInf(sigma, 1) {
		if err := add(pld.Gaussian(1, sigma)); err != nil {
			return nil, err
		}
	}
	for _, m := range batch {
		if _, ok := m.(Gaussian); ok {
			continue
		}
		pair := m.Traits().Pair
		if pair == nil {
			return nil, errors.New("no dominating pair of distributions is known for such a guarantee: use renyi")
		}
		if err := add(pair()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Plain returns events that other accountants can express. They have continuous noise, each uses one batch, and it is
// known whether the batch is sampled. Together they lose no less than e.
func (e Release) Plain() (all []Release) {
	if e.Sampling != All && !e.Apart {
		return []Release{{Sampling: e.Sampling, Rate: e.Rate, Released: Continuous(e.Released),
			Count: e.Count}}
	}
	for _, batch := range e.worst() {
		all = append(all, Release{Released: batch, Count: e.Count})
	}
	return all
}

// worst returns the batches, with continuous noise, that a participating unit may be in. The unit is in one of them, so
// counting it in each is a bound. A batch that is no worse than another is left out.
func (e Release) worst() [][]Mechanism {
	batches := [][]Mechanism{Continuous(e.Released)}
next:
	for _, released := range e.Instead {
		other := Continuous(released)
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
