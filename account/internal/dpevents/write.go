package dpevents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/mechanism"
	"privpipe/pipelines/event"
)

// members is a JSON object: names and values in turn.
type members []any

// MarshalJSON implements json.Marshaler.
func (m members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i := 0; i < len(m); i += 2 {
		value, err := json.Marshal(m[i+1])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], m[i], value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// text returns lines of JSON.
func text(m members) ([]byte, error) {
	b, err := json.MarshalIndent(m, "", "  ")
	return append(b, '\n'), err
}

// adjacency is that of a list; of an empty one, or of one without any bound, it does not matter.
func adjacency(l *loss.List) string {
	if l.Adjacency == "" {
		return event.AddRemove
	}
	return l.Adjacency
}

// norm is how far the sums of neighbours are apart at most, over a bound of what one unit adds.
func norm(l *loss.List) float64 {
	if l.Adjacency == event.ReplaceOne {
		return 2
	}
	return 1
}

// multiplier returns noise over a bound of what one unit adds, rounded down: over the sensitivity it is what it was. Where
// neighbours are nearer than the triangle inequality says, the bound that is written is smaller in proportion.
func multiplier(l *loss.List, noise, sensitivity float64) float64 {
	return math.Nextafter(noise/sensitivity, 0) * norm(l)
}

// List returns the JSON of a list as an object of its adjacency and an array of listed events.
func List(l *loss.List) ([]byte, error) {
	all := []members{}
	if l.NoNoise {
		all = append(all, members{"type", "non_private", "count", 1})
	}
	if l.Failure >= 1 {
		return nil, errors.New("releases fail with certainty: no list of events says it")
	}
	if l.Failure > 0 {
		// A release that fails with probability δ' at most is made of an ideal one and of one bit, which never says "failed"
		// without the unit, and with it does with δ': of (ε', δ')-differential privacy, ε' = −log(1−δ'). See loss.List for
		// the sums.
		epsilon, delta := l.Excess*(1+1e-12), l.Failure*(1+1e-12) // rounded up: sums of few terms
		all = append(all, members{"type", "approx_dp", "epsilon", epsilon, "delta", delta, "count", 1})
	}
	for _, e := range plain(l) {
		listed, err := listed(l, e)
		if err != nil {
			return nil, err
		}
		all = append(all, listed...)
	}
	return text(members{"adjacency", adjacency(l), "events", all})
}

// plain returns the events of a list as others can say them.
func plain(l *loss.List) (all []loss.Release) {
	for _, e := range l.Releases() {
		all = append(all, e.Plain()...)
	}
	return all
}

// listed returns the listed events of one event.
func listed(l *loss.List, e loss.Release) (all []members, err error) {
	sampling, err := samplingOf(e)
	if err = errors.Join(err, checkExchange(l, e)); err != nil {
		return nil, err
	}
	var released []members
	for _, m := range e.Released {
		one, err := listedMechanism(l, m)
		if err != nil {
			return nil, err
		}
		released = append(released, one)
	}
	if e.Sampling != mechanism.All && len(released) > 1 {
		released = []members{{"type", "batch", "released", released}}
	}
	for _, m := range released { // without sampling all count for themselves
		all = append(all, append(append(m, sampling...), "count", e.Count))
	}
	return all, nil
}

// checkExchange refuses an exchange by a coin of units that are nearer than 2·C: two units of norm C/√2 that are opposite lose
// less than two of norm C that are orthogonal.
func checkExchange(l *loss.List, e loss.Release) error {
	if e.Sampling != mechanism.Poisson || l.Adjacency != event.ReplaceOne {
		return nil
	}
	for _, m := range e.Released {
		if g, ok := m.(mechanism.Gaussian); ok && g.Sensitivity != 2 {
			return fmt.Errorf("%s where a unit is exchanged by a coin is not written", g)
		}
	}
	return nil
}

func samplingOf(e loss.Release) (members, error) {
	switch e.Sampling {
	case mechanism.Poisson:
		return members{"q", e.Rate}, nil
	case mechanism.Fixed:
		size, population, err := fraction(e.Rate)
		return members{"size", size, "population", population}, err
	}
	return nil, nil
}

func listedMechanism(l *loss.List, m mechanism.Mechanism) (members, error) {
	switch m := m.(type) {
	case mechanism.Gaussian:
		return members{"type", "gaussian", "noise_multiplier", multiplier(l, m.Noise, m.Sensitivity)}, check(m)
	case mechanism.Laplace:
		return members{"type", "laplace", "scale", multiplier(l, m.Scale, m.Sensitivity)}, check(m)
	case mechanism.RandomizedResponse:
		return members{"type", "randomized_response", "noise_parameter", m.Noise, "num_buckets", m.Buckets}, nil
	case mechanism.Pure:
		return members{"type", "approx_dp", "epsilon", m.Epsilon, "delta", 0}, nil
	}
	return nil, fmt.Errorf("%s is not written", m)
}

// check refuses discrete noise of so few steps that no continuous noise stands for it.
func check(m mechanism.Mechanism) error {
	if err := m.Check(); err != nil {
		return fmt.Errorf("discrete noise of too few steps, or out of range, as continuous noise: %w", err)
	}
	return nil
}

// Tree returns the JSON of a list as an object of its adjacency and a tree of DpEvents.
//
// dp_accounting has no word for these, which are refused or become what loses no less:
//   - discrete Gaussian and Laplace noise: continuous noise that is a little smaller;
//   - a unit in one of several disjoint rounds: it counts in the worst, or in all that cannot be compared;
//   - one batch of two coins, perhaps: it counts as if all units took part;
//   - several Gaussian releases of one batch, which its PLDAccountant does not know: one, of all sums over their noise;
//   - the failure of select: refused.
func Tree(l *loss.List) ([]byte, error) {
	if l.Failure > 0 {
		return nil, errors.New("dp_accounting has no event for what fails with a small probability, as select does")
	}
	all := []members{}
	if l.NoNoise {
		all = append(all, members{"class_name", nonPrivate})
	}
	for _, e := range plain(l) {
		nodes, err := nodes(l, e)
		if err != nil {
			return nil, err
		}
		all = append(all, nodes...)
	}
	return text(members{"adjacency", adjacency(l), "event", composedOf(all)})
}

// composedOf returns one event that is all of them.
func composedOf(all []members) members {
	switch len(all) {
	case 0:
		return members{"class_name", noOp}
	case 1:
		return all[0]
	}
	return members{"class_name", composed, "events", all}
}

// nodes returns the tree's events of one event.
func nodes(l *loss.List, e loss.Release) (all []members, err error) {
	if err := checkExchange(l, e); err != nil {
		return nil, err
	}
	released := e.Released
	if e.Sampling != mechanism.All {
		released = joint(released)
	}
	for _, m := range released {
		one, err := leafOf(l, m)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	switch e.Sampling {
	case mechanism.Poisson:
		all = []members{{"class_name", poissonSampled, "sampling_probability", e.Rate, "event", composedOf(all)}}
	case mechanism.Fixed:
		size, population, err := fraction(e.Rate)
		if err != nil {
			return nil, err
		}
		all = []members{{"class_name", sampledWithoutReplacement, "source_dataset_size", population, "sample_size", size,
			"event", composedOf(all)}}
	}
	if e.Count > 1 {
		for i, one := range all {
			all[i] = members{"class_name", selfComposed, "event", one, "count", e.Count}
		}
	}
	return all, nil
}

// joint returns one Gaussian release for all of a batch, if there is no other: all sums, each over its noise, are one sum.
func joint(released []mechanism.Mechanism) []mechanism.Mechanism {
	squares := 0.0
	for _, m := range released {
		g, ok := m.(mechanism.Gaussian)
		if !ok {
			return released
		}
		squares += g.Sensitivity / g.Noise * (g.Sensitivity / g.Noise)
	}
	if len(released) == 1 {
		return released
	}
	return []mechanism.Mechanism{mechanism.Gaussian{Noise: 1 / math.Sqrt(squares) * (1 - 1e-12), Sensitivity: 1}} // rounded down
}

func leafOf(l *loss.List, m mechanism.Mechanism) (members, error) {
	switch m := m.(type) {
	case mechanism.Gaussian:
		return members{"class_name", gaussian, "noise_multiplier", multiplier(l, m.Noise, m.Sensitivity)}, check(m)
	case mechanism.Laplace:
		return members{"class_name", laplace, "noise_multiplier", multiplier(l, m.Scale, m.Sensitivity)}, check(m)
	case mechanism.RandomizedResponse:
		return members{"class_name", randomizedResponse, "noise_parameter", m.Noise, "num_buckets", m.Buckets}, nil
	case mechanism.Pure:
		if l.Adjacency != event.ReplaceOne {
			return nil, errors.New("dp_accounting has no event of pure ε under add-remove")
		}
		// Randomized response of one bit dominates all that has its ε (Kairouz, Oh and Viswanath 2015, theorem 3.4):
		// log((1−p/2)/(p/2)) = ε, p rounded down.
		p := math.Nextafter(2/(1+math.Exp(m.Epsilon))*(1-1e-15), 0)
		return members{"class_name", randomizedResponse, "noise_parameter", p, "num_buckets", 2}, nil
	}
	return nil, fmt.Errorf("dp_accounting has no event for %s", m)
}
