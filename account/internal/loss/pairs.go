package loss

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
)

// Pairs are pairs of distributions of releases.
type Pairs struct {
	// Dominating is above whatever the releases may be.
	Dominating []pld.Event
	// Attained is what some mechanisms of the kinds that are listed have on some neighbours, all in one direction, but for
	// roundings of parameters that package pld knows of: so what they lose, the worst case does. Releases of which none is
	// known are left out, which only loses less.
	Attained []pld.Event
	Tight    bool // the two are the same
}

func (p *Pairs) add(other Pairs) {
	p.Dominating = append(p.Dominating, other.Dominating...)
	p.Attained = append(p.Attained, other.Attained...)
	p.Tight = p.Tight && other.Tight
}

// pairs returns the pairs of an event's releases. A sampled batch for which no such pair is known counts as if all units took
// part: whichever the sample, the divergence is at most that, and a divergence of mixtures is at most the largest of their
// parts' (joint convexity). Nobody attains that.
func (e Event) pairs(l *List) (Pairs, error) {
	batch := continuous(e.Released)
	sigma, onlyGaussian := jointSigma(batch)
	guarantee, generic := e.amplifiedGuarantee()
	laplace, onlyLaplace := batch[0].(Laplace)
	onlyLaplace = onlyLaplace && len(batch) == 1
	replaced := e.Sampling == Poisson && l.Adjacency == event.ReplaceOne
	var pair *pld.Pair
	var err error
	switch {
	case e.Sampling == All:
		return e.wholePairs(l)
	case e.Rate == 0:
		return Pairs{Tight: true}, nil
	case e.Apart:
		// One batch, or several: two coins may tell that the unit is there where one does not.
		return e.dominatedByWhole()
	case replaced && onlyGaussian:
		pair, err = replacedByCoin(e.Rate, sigma, batch, l.NonNegative)
	case generic && !replaced:
		// The guarantee is one of a single release: the least loss of a sampled one is far above its −ε.
		return Event{Released: []Mechanism{guarantee}, Count: e.Count}.dominatedByWhole()
	case e.Sampling == Fixed && onlyGaussian:
		pair, err = pld.GaussianWithoutReplacement(e.Rate, sigma)
	case e.Sampling == Poisson && onlyGaussian:
		pair, err = pld.Gaussian(e.Rate, sigma)
	case e.Sampling == Poisson && onlyLaplace && !replaced:
		pair, err = pld.Laplace(e.Rate, laplace.scale())
	default:
		return e.dominatedByWhole()
	}
	if err != nil {
		return Pairs{}, fmt.Errorf("%s: %w", e.Name(), err)
	}
	rounded, ok := l.attains(e.Released)
	p := Pairs{Dominating: []pld.Event{{Pair: pair.Rounded(rounded), Count: e.Count}}}
	switch {
	case ok && e.Sampling == Fixed:
		p.Attained, err = e.oneOfEquals(sigma, rounded)
	case ok:
		p.Attained, p.Tight = p.Dominating, true
	}
	return p, err
}

// oneOfEquals is what sampling without replacement costs at least: all units but one are equal, and as far from that one as
// two units can be. With it the sums are distributed as (1−q)·N(0, σ²) + q·N(1, σ²), and with another of the equal ones in its
// place as N(0, σ²). (The pair that dominates is of two data sets at a time: for losses above 0 of this one, and for
// those below 0 of that with the roles exchanged.)
func (e Event) oneOfEquals(sigma, rounded float64) ([]pld.Event, error) {
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
// noise over sensitivity rounded down by a part. Where no coordinate is negative, an exchange moves sums by √2 times a unit's
// norm in L2, and one coordinate by no more than the norm.
func (l *List) attains(released []Mechanism) (rounded float64, ok bool) {
	nonNegative := l.NonNegative && l.Adjacency == event.ReplaceOne
	for _, m := range released {
		part := 0.0
		switch m := m.(type) {
		case Gaussian:
			ok = !(nonNegative && m.Sensitivity > math.Sqrt2)
			if m.Discrete {
				part, ok = m.stepped(), ok && m.inSteps()
			}
		case Laplace:
			ok = !(nonNegative && m.Sensitivity > 1)
			if m.Discrete {
				part, ok = 2/m.Sensitivity, ok && wholeSteps(m.Sensitivity)
			}
		case DiscreteGaussian, DiscreteLaplace:
			ok = !nonNegative
		case Pure, Approximate, RandomizedResponse:
			ok = true
		default:
			ok = false
		}
		if !ok || part > mostRounded {
			return 0, false
		}
		rounded = max(rounded, part)
	}
	return rounded, len(released) <= mostJoint
}

// replacedByCoin is the pair of Gaussian noise where a unit is replaced by another, which takes part by the same coin: of
// opposite contributions at worst, which are 2·C apart, and where no coordinate is negative of orthogonal ones, √2·C apart (see
// package pld). That sums are √2·C apart is not enough.
func replacedByCoin(rate, sigma float64, batch []Mechanism, nonNegative bool) (*pld.Pair, error) {
	apart := batch[0].(Gaussian).Sensitivity
	for _, m := range batch {
		if m.(Gaussian).Sensitivity != apart {
			return nil, fmt.Errorf("sums of neighbours are up to %v and %v apart in one batch", apart, m.(Gaussian).Sensitivity)
		}
	}
	switch { // sigma is noise over that distance
	case apart == 2:
		return pld.GaussianReplace(rate, 2*sigma)
	case apart == math.Sqrt2 && nonNegative:
		return pld.GaussianReplaceOrthogonal(rate, math.Nextafter(math.Sqrt2*sigma, 0))
	}
	return nil, fmt.Errorf("sums of neighbours are up to %v of a unit's norm apart: a theorem is known for 2, and for √2 where "+
		"no coordinate is negative", apart)
}

// wholePairs is pairs without sampling.
func (e Event) wholePairs(l *List) (Pairs, error) {
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
func (e Event) dominatedByWhole() (p Pairs, err error) {
	for _, batch := range e.worst() {
		if p.Dominating, err = appendPairs(p.Dominating, batch, e.Count); err != nil {
			return Pairs{}, fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return p, nil
}

// worseOf returns the one of two batches that dominates the other: with more noise of the same kind, one can be made of the
// other by adding noise (Gaussian), or has the smaller shift (Laplace; a path of fewer steps, see package renyi).
func worseOf(a, b []Mechanism) (worse []Mechanism, ok bool) {
	x, alone := jointSigma(a)
	y, alsoAlone := jointSigma(b)
	if alone && alsoAlone {
		if x <= y {
			return a, true
		}
		return b, true
	}
	if len(a) != 1 || len(b) != 1 {
		return nil, false
	}
	l, ok := a[0].(Laplace)
	m, also := b[0].(Laplace)
	switch {
	case !ok || !also:
		return nil, false
	case l.scale() <= m.scale():
		return a, true
	}
	return b, true
}

// appendPairs appends the pairs of all releases of a batch, of which the unit takes part.
func appendPairs(all []pld.Event, batch []Mechanism, count int) ([]pld.Event, error) {
	add := func(pair *pld.Pair, err error) error {
		if err == nil {
			all = append(all, pld.Event{Pair: pair, Count: count})
		}
		return err
	}
	if sigma, _ := jointSigma(batch); !math.IsInf(sigma, 1) {
		if err := add(pld.Gaussian(1, sigma)); err != nil {
			return nil, err
		}
	}
	for _, m := range batch {
		var err error
		switch m := m.(type) {
		case Gaussian:
		case Laplace:
			err = add(pld.Laplace(1, m.scale()))
		case Pure:
			if m.Epsilon > 0 {
				err = add(pld.Pure(m.Epsilon))
			}
		case RandomizedResponse:
			if m.epsilon() > 0 {
				err = add(pld.Response(m.Noise, m.Buckets))
			}
		case Approximate:
			if m.Epsilon > 0 || m.Delta > 0 {
				err = add(pld.Approximate(m.Epsilon, m.Delta))
			}
		case DiscreteGaussian:
			err = add(pld.DiscreteGaussian(m.Variance, m.Sensitivity))
		case DiscreteLaplace:
			err = add(pld.DiscreteLaplace(m.Scale, m.Sensitivity))
		default:
			err = errors.New("of such a guarantee no dominating pair of distributions is known: use renyi")
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
