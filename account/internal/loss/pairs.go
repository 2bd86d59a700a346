package loss

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
)

// pairs returns what dominates an event's releases. A sampled batch for which no such pair is known counts as if all units took
// part: whichever the sample, the divergence is at most that, and a divergence of mixtures is at most the largest of their
// parts' (joint convexity).
func (e Event) pairs(adjacency string) ([]pld.Event, error) {
	batch := continuous(e.Released)
	sigma, onlyGaussian := jointSigma(batch)
	guarantee, generic := e.amplifiedGuarantee()
	laplace, onlyLaplace := batch[0].(Laplace)
	onlyLaplace = onlyLaplace && len(batch) == 1
	replaced := e.Sampling == Poisson && adjacency == event.ReplaceOne
	var pair *pld.Pair
	var err error
	switch {
	case e.Sampling != All && e.Rate == 0:
		return nil, nil
	case e.Apart:
		// One batch, or several: two coins may tell that the unit is there where one does not.
		return e.wholePairs()
	case replaced && onlyGaussian:
		pair, err = replacedByCoin(e.Rate, sigma, batch)
	case e.Sampling != All && generic && !replaced:
		return Event{Released: []Mechanism{guarantee}, Count: e.Count}.wholePairs()
	case e.Sampling == Fixed && onlyGaussian:
		pair, err = pld.GaussianWithoutReplacement(e.Rate, sigma)
	case e.Sampling == Poisson && onlyGaussian:
		pair, err = pld.Gaussian(e.Rate, sigma)
	case e.Sampling == Poisson && onlyLaplace && !replaced:
		pair, err = pld.Laplace(e.Rate, laplace.scale())
	default:
		return e.wholePairs()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name(), err)
	}
	return []pld.Event{{Pair: pair, Count: e.Count}}, nil
}

// replacedByCoin is the pair of Gaussian noise where a unit is replaced by another, which takes part by the same coin. With the
// sums of neighbours up to 2·C apart the two are opposite, at worst; with √2·C, where no coordinate is negative, orthogonal.
func replacedByCoin(rate, sigma float64, batch []Mechanism) (*pld.Pair, error) {
	apart := batch[0].(Gaussian).Sensitivity
	for _, m := range batch {
		if m.(Gaussian).Sensitivity != apart {
			return nil, fmt.Errorf("sums of neighbours are up to %v and %v apart in one batch", apart, m.(Gaussian).Sensitivity)
		}
	}
	switch apart { // sigma is noise over that distance
	case 2:
		return pld.GaussianReplace(rate, 2*sigma)
	case math.Sqrt2:
		return pld.GaussianReplaceOrthogonal(rate, math.Nextafter(math.Sqrt2*sigma, 0))
	}
	return nil, fmt.Errorf("sums of neighbours are up to %v of a unit's norm apart: a theorem is known for 2 and for √2", apart)
}

// wholePairs is pairs without sampling.
func (e Event) wholePairs() (all []pld.Event, err error) {
	for _, batch := range e.worst() {
		if all, err = appendPairs(all, batch, e.Count); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return all, nil
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
