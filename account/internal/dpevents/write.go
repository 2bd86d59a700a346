package dpevents

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// members is a JSON object, as names and values in turn.
type members []any

// MarshalJSONTo implements json.MarshalerTo.
func (m members) MarshalJSONTo(e *jsontext.Encoder) error {
	err := e.WriteToken(jsontext.BeginObject)
	for _, x := range m {
		err = errors.Join(err, json.MarshalEncode(e, x))
	}
	return errors.Join(err, e.WriteToken(jsontext.EndObject))
}

// text returns indented JSON.
func text(m members) ([]byte, error) {
	b, err := json.Marshal(m, jsontext.WithIndent("  "))
	return append(b, '\n'), err
}

// adjacency returns a list's neighbouring relation. For an empty list, or one without any bound, the relation does not
// matter.
func adjacency(l *loss.List) string { return cmp.Or(l.Adjacency, event.AddRemove) }

// neighbours returns how far neighbours' sums are apart, by the triangle inequality.
func neighbours(l *loss.List) loss.Neighbours {
	if l.Adjacency == event.ReplaceOne {
		return loss.Neighbours{ReplaceOne: true, L2: 2, L1: 2}
	}
	return loss.Neighbours{L2: 1, L1: 1}
}

// List returns a list's JSON: an object with its adjacency and an array of events. The events are DpEvents, or
// approx_dp if dp_accounting has no event.
func List(l *loss.List) ([]byte, error) {
	all := []members{}
	if l.Failure >= 1 {
		return nil, errors.New("releases fail with certainty: no list of events says it")
	}
	if l.Failure > 0 {
		// Write a release that fails with probability δ' at most as an ideal release and one bit. The bit never says
		// "failed" without the unit, and says it with probability δ' with the unit. So the bit is (ε',
		// δ')-differentially private, ε' = −log(1−δ'). loss.List has the sums of ε' and δ', which are rounded up here.
		bit := loss.Approximate{Epsilon: l.Excess * (1 + 1e-12), Delta: l.Failure * (1 + 1e-12)}
		all = append(all, append(bit.Traits().Event(), "count", 1))
	}
	all, err := appendEvents(all, l, true)
	if err != nil {
		return nil, err
	}
	return text(members{"adjacency", adjacency(l), "events", all})
}

// opposite returns the releases from one batch in a form that dp_accounting knows. For an exchange by a coin,
// dp_accounting has only opposite units, which lose no less than orthogonal units of the same norm. A release without a
// known exchange is refused: the distance between sums is not enough. Two opposite units of norm C/√2 lose less than
// two orthogonal units of norm C.
func opposite(l *loss.List, e loss.Release) (released []loss.Mechanism, err error) {
	if e.Sampling != loss.Poisson || l.Adjacency != event.ReplaceOne {
		return e.Released, nil
	}
	for _, m := range e.Released {
		if g, ok := m.(loss.Gaussian); ok {
			if m, err = g.Opposite(l.NonNegative); err != nil {
				return nil, fmt.Errorf("%s under Poisson sampling and replace-one has no event here: %w", g, err)
			}
		}
		released = append(released, m)
	}
	return released, nil
}

// Tree returns a list's JSON: an object with its adjacency and a tree of DpEvents.
//
// dp_accounting cannot express the following. Each becomes an event that loses no less, or is refused:
//   - discrete Gaussian and Laplace noise becomes continuous noise that is a little smaller;
//   - a unit in one of several disjoint rounds counts in the worst round, or in all rounds that cannot be compared;
//   - releases that may share one batch or be from two batches with their own coins count as if all units took part;
//   - several Gaussian releases from one batch, which its PLDAccountant does not know, become one release: all sums
//     over their noise;
//   - the failure of select is refused.
func Tree(l *loss.List) ([]byte, error) {
	if l.Failure > 0 {
		return nil, errors.New("dp_accounting has no event for what fails with a small probability, as select does")
	}
	all, err := appendEvents(nil, l, false)
	if err != nil {
		return nil, err
	}
	return text(members{"adjacency", adjacency(l), "event", composedOf(all)})
}

// appendEvents appends a list's DpEvents. If ours is true, an event of our own stands for each release that
// dp_accounting cannot express.
func appendEvents(all []members, l *loss.List, ours bool) ([]members, error) {
	if l.NoNoise {
		all = append(all, members{"class_name", nonPrivate})
	}
	for _, release := range l.Releases() {
		for _, e := range release.Plain() {
			nodes, err := nodes(l, e, ours)
			if err != nil {
				return nil, err
			}
			all = append(all, nodes...)
		}
	}
	return all, nil
}

// composedOf returns one event that composes all events.
func composedOf(all []members) members {
	switch len(all) {
	case 0:
		return members{"class_name", noOp}
	case 1:
		return all[0]
	}
	return members{"class_name", composed, "events", all}
}

// nodes returns the events for one release.
func nodes(l *loss.List, e loss.Release, ours bool) (all []members, err error) {
	released, err := opposite(l, e)
	if err != nil {
		return nil, err
	}
	if e.Sampling != loss.All {
		released = joint(released)
	}
	var own []members
	for _, m := range released {
		one, err := leafOf(l, m)
		if write := m.Traits().Event; write != nil && err != nil && ours && e.Sampling == loss.All {
			own = append(own, append(write(), "count", e.Count))
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	switch e.Sampling {
	case loss.Poisson:
		all = []members{{"class_name", poissonSampled, "sampling_probability", e.Rate, "event", composedOf(all)}}
	case loss.Fixed:
		if l.Adjacency != event.ReplaceOne {
			// The reader would take the noise for more than it is. It divides by one unit's norm, and the sums of
			// batches are up to two units apart.
			return nil, fmt.Errorf("sampling without replacement under %s has no event here", l.Adjacency)
		}
		size, population, err := fraction(e.Rate)
		if err != nil {
			return nil, err
		}
		all = []members{{"class_name", sampledWithoutReplacement, "source_dataset_size", population, "sample_size",
			size,
			"event", composedOf(all)}}
	}
	if e.Count > 1 {
		for i, one := range all {
			all[i] = members{"class_name", selfComposed, "event", one, "count", e.Count}
		}
	}
	return append(all, own...), nil
}

// joint returns one Gaussian release in place of a batch of Gaussian releases: all sums, each over its noise, are one
// sum. It does not change a batch with other noise.
func joint(released []loss.Mechanism) []loss.Mechanism {
	squares := 0.0
	for _, m := range released {
		g, ok := m.(loss.Gaussian)
		if !ok {
			return released
		}
		squares += g.Sensitivity / g.Noise * (g.Sensitivity / g.Noise)
	}
	if len(released) == 1 {
		return released
	}
	// rounded down
	return []loss.Mechanism{loss.Gaussian{Noise: 1 / math.Sqrt(squares) * (1 - 1e-12), Sensitivity: 1}}
}

func leafOf(l *loss.List, m loss.Mechanism) (members, error) {
	write := m.Traits().DpEvent
	if write == nil {
		return nil, fmt.Errorf("dp_accounting has no event for %s", m)
	}
	class, fields, err := write(neighbours(l))
	return append(members{"class_name", class}, fields...), err
}
