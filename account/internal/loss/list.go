package loss

import (
	"maps"
	"math"
	"slices"
	"sync"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/parallel"
)

// A List has all releases: events that are composed adaptively, with settings that were fixed beforehand. The zero
// value with an adjacency is an empty list.
type List struct {
	Adjacency string // event.AddRemove, event.ReplaceOne or event.ReplaceNull
	// NonNegative says that contributions have no negative coordinate. It matters if a unit is exchanged.
	NonNegative bool
	Failure     float64
	// Excess and Failure sum up the releases that fail with a small probability, in ε and in δ (see failing).
	Excess float64
	// UpperOnly says that a search asks for upper bounds: lower bounds that take long are left out.
	UpperOnly bool
	NoNoise   bool // some release has no noise, so there is no guarantee
	kinds     map[string]Release
}

// Add adds an event.
func (l *List) Add(e Release) {
	if l.kinds == nil {
		l.kinds = make(map[string]Release)
	}
	name := e.Name()
	if before := l.kinds[name].Count; e.Count > math.MaxInt-before { // as in a forged ledger: no noise is enough
		l.NoNoise = true
	} else {
		e.Count += before
	}
	l.kinds[name] = e
}

// AddFailure records that a release may fail with a probability of at most failure, in [0, 1). The release's event does
// not include the failure.
func (l *List) AddFailure(failure float64) {
	l.Failure += failure
	l.Excess -= math.Log1p(-failure)
}

// Times returns a list with count times as many of each event, and the same failures.
func (l *List) Times(count int) *List {
	times := l.Clone()
	for name, e := range times.kinds {
		if e.Count > math.MaxInt/count {
			times.NoNoise = true
		} else {
			e.Count *= count
		}
		times.kinds[name] = e
	}
	return times
}

// AddAll adds the content of another list with the same neighbouring relation.
func (l *List) AddAll(other *List) {
	for _, e := range other.Releases() {
		l.Add(e)
	}
	l.Failure, l.Excess, l.NoNoise = l.Failure+other.Failure, l.Excess+other.Excess, l.NoNoise || other.NoNoise
}

// Clone returns a list that may be changed.
func (l *List) Clone() *List {
	clone := *l
	clone.kinds = maps.Clone(l.kinds)
	return &clone
}

// Releases returns each kind of event once, in a fixed order, so that the same list gives the same digits.
func (l *List) Releases() []Release {
	var events []Release
	for _, name := range slices.Sorted(maps.Keys(l.kinds)) {
		events = append(events, l.kinds[name])
	}
	return events
}

// Curve returns the sum of the events' Rényi curves (Mironov, Rényi Differential Privacy, 2017, proposition 1), and the
// probability that any release fails.
func (l *List) Curve() (curve renyi.Curve, failure float64, err error) {
	type counted struct {
		curve renyi.Curve
		count float64
	}
	var kinds []counted
	for _, e := range l.Releases() {
		one, mayFail, err := e.curve(l)
		if err != nil {
			return nil, 0, err
		}
		kinds = append(kinds, counted{one, float64(e.Count)})
		failure += float64(e.Count) * mayFail
	}
	return renyi.Remember(func(alpha float64) float64 {
		each := make([]float64, len(kinds))
		parallel.Each(len(kinds), func(i int) { each[i] = kinds[i].count * kinds[i].curve(alpha) })
		sum := 0.0
		for _, x := range each {
			sum += x
		}
		return sum
	}), failure, nil
}

// Renyi returns the profile by Rényi curves, or the reason why they have no theorem for the list.
func (l *List) Renyi() (Profile, error) {
	p, err := l.events()
	if err != nil {
		return nil, err
	}
	return l.fail(p), nil
}

// events returns the profile of the events by Rényi curves.
func (l *List) events() (Profile, error) {
	curve, failure, err := l.Curve()
	switch {
	case err != nil:
		return nil, err
	case failure == 0:
		return curveProfile{curve}, nil
	}
	return failing{curveProfile{curve}, math.Nextafter(failure, 1), 0}, nil
}

// Pairs returns the pairs for all events, or the reason why no pair dominates some event.
func (l *List) Pairs() (Pairs, error) {
	all := Pairs{Tight: true}
	for _, e := range l.Releases() {
		pairs, err := e.pairs(l)
		if err != nil {
			return Pairs{}, err
		}
		all.add(pairs)
	}
	return all, nil
}

// Distribution returns the profile by privacy loss distributions, or the reason why they have no theorem for the list.
func (l *List) Distribution(options pld.Options) (Profile, error) {
	all, err := l.Pairs()
	if err != nil {
		return nil, err
	}
	p := distributionProfile{whole: all.Whole, curve: l.events}
	if p.dominating, err = pld.New(all.Dominating, options); err != nil {
		return nil, err
	}
	switch {
	case all.Tight:
		p.attained = p.dominating
	case len(all.Attained) > 0: // the lower bound is further from the upper bound than this
		options.Tolerance = max(options.Tolerance, 2e-4)
		if p.attained, err = pld.New(all.Attained, options); err != nil {
			return nil, err
		}
	}
	p.doubled = sync.OnceValue(func() *pld.Doubled {
		d, _ := pld.NewDoubled(all.Dominating)
		return d
	})
	return l.fail(p), nil
}

// fail completes the events' profile with the failures and the missing noise.
func (l *List) fail(ideal Profile) Profile {
	switch {
	case l.NoNoise:
		return unbounded{}
	case l.Failure == 0:
		return basicProfile{ideal, l.basic()}
	}
	return failing{ideal, math.Nextafter(l.Failure, 1), l.Excess}
}
