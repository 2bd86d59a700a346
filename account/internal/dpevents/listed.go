package dpevents

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// listed reads an array of events. Each is a DpEvent or an event of our own.
func (r *reader) listed(v jsontext.Value) error {
	var all []jsontext.Value
	if err := json.Unmarshal(v, &all); err != nil {
		return err
	}
	for i, v := range all {
		o := readObject(v)
		read := func() error { return r.one(o) }
		if o.Has("class_name") {
			read = func() error { return r.tree(v) }
		}
		if err := read(); err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	return nil
}

// one reads one event of our own.
func (r *reader) one(o *object) error {
	kind := o.text("type")
	if o.Has("adjacency") && o.text("adjacency") != r.list.Adjacency && o.err == nil {
		return r.mixed()
	}
	e := loss.Release{Count: o.Whole("count", 1, event.MaxRounds)}
	err := o.err
	switch {
	case err != nil:
	case kind == "non_private":
		r.list.NoNoise = true
		return o.done()
	case kind == "batch":
		e.Released, err = r.batch(o.array("released"))
	default:
		k := typeOf(kind)
		if k == nil {
			return fmt.Errorf("unknown type %q", kind)
		}
		var m loss.Mechanism
		m, err = r.mechanism(k, k.Event, o)
		e.Released = []loss.Mechanism{m}
	}
	if err == nil {
		e.Sampling, e.Rate, err = r.sampling(kind, o)
	}
	if err == nil {
		err = o.done()
	}
	if err != nil {
		return err
	}
	return r.add(e)
}

// most is the largest number of releases from one batch.
const most = 1 << 10

// batch reads the releases from one batch.
func (r *reader) batch(all []jsontext.Value) (released []loss.Mechanism, err error) {
	if len(all) == 0 || len(all) > most {
		return nil, fmt.Errorf("released must have 1 to %d members, has %d", most, len(all))
	}
	for i, v := range all {
		o := readObject(v)
		kind := o.text("type")
		m, err := loss.Mechanism(nil), o.err
		if k := typeOf(kind); err == nil && k != nil && k.Batched && kind == k.Name {
			m, err = r.mechanism(k, k.Event, o)
		} else if err == nil {
			err = fmt.Errorf("type %q does not belong to a batch, must be gaussian or laplace", kind)
		}
		if err == nil {
			err = o.done()
		}
		if err != nil {
			return nil, fmt.Errorf("released %d: %w", i+1, err)
		}
		released = append(released, m)
	}
	return released, nil
}

// typeOf returns the mechanism's kind for an event type, or nil if there is none.
func typeOf(kind string) *loss.Kind {
	for _, k := range loss.Kinds {
		if slices.Contains(k.Types, kind) {
			return k
		}
	}
	return nil
}

// sampling reads how a listed event's units were chosen: by secret coins at rate q, without replacement at rate q or
// size/population, or all units.
func (r *reader) sampling(kind string, o *object) (by loss.Sampling, rate float64, err error) {
	name := ""
	if o.Has("sampling") {
		name = o.text("sampling")
	}
	sized := o.Has("size") || o.Has("population")
	switch {
	case o.err != nil:
		return 0, 0, o.err
	case name == "" && sized:
		name = "without_replacement"
	case name == "" && (o.Has("q") || kind == "subsampled_laplace"):
		name = "poisson"
	case name == "":
		name = "none"
	}
	by, rate = loss.All, 1
	switch name {
	case "poisson":
		by, rate = loss.Poisson, o.rate("q")
	case "without_replacement":
		if by = loss.Fixed; sized {
			rate = o.size("size", "population")
		} else {
			rate = o.rate("q")
		}
		err = r.replaced("sampling without replacement", publicPopulation)
	case "none":
		if o.Has("q") && o.rate("q") != 1 {
			o.Fail("q must be 1 without sampling")
		}
	default:
		o.Fail("unknown sampling %q, must be poisson, without_replacement or none", name)
	}
	if o.err != nil {
		return 0, 0, o.err
	}
	if k := typeOf(kind); rate < 1 && k != nil && !k.Sampled { // a batch was checked member by member
		return 0, 0, fmt.Errorf("no theorem bounds %s under sampling", kind)
	}
	return by, rate, err
}
