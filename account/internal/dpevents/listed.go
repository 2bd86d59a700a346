package dpevents

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/mechanism"
	"privpipe/pipelines/event"
)

// listed reads an array of listed events.
func (r *reader) listed(v jsontext.Value) error {
	var all []jsontext.Value
	if err := json.Unmarshal(v, &all); err != nil {
		return err
	}
	for i, v := range all {
		if err := r.one(readObject(v)); err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	return nil
}

// one reads a listed event.
func (r *reader) one(o *object) error {
	kind := o.text("type")
	if o.has("adjacency") && o.text("adjacency") != r.list.Adjacency && o.err == nil {
		return r.mixed()
	}
	e := loss.Release{Count: o.whole("count", 1, event.MaxRounds)}
	err := o.err
	switch {
	case err != nil:
	case kind == "non_private":
		r.list.NoNoise = true
		return o.done()
	case kind == "batch":
		e.Released, err = r.batch(o.array("released"))
	default:
		var m mechanism.Mechanism
		m, err = r.mechanism(kind, o)
		e.Released = []mechanism.Mechanism{m}
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

// most is how many releases of one batch are read.
const most = 1 << 10

// batch reads what is released of one batch.
func (r *reader) batch(all []jsontext.Value) (released []mechanism.Mechanism, err error) {
	if len(all) == 0 || len(all) > most {
		return nil, fmt.Errorf("released must have 1 to %d members, has %d", most, len(all))
	}
	for i, v := range all {
		o := readObject(v)
		kind := o.text("type")
		m, err := mechanism.Mechanism(nil), o.err
		switch {
		case err != nil:
		case kind == "gaussian" || kind == "laplace":
			m, err = r.mechanism(kind, o)
		default:
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

// mechanism reads the members of a listed event that its noise needs.
func (r *reader) mechanism(kind string, o *object) (m mechanism.Mechanism, err error) {
	switch kind {
	case "gaussian":
		m = mechanism.Gaussian{Noise: o.number("noise_multiplier"), Sensitivity: o.sensitivity(r.distance)}
	case "laplace", "subsampled_laplace":
		m = mechanism.Laplace{Scale: o.number("scale"), Sensitivity: o.sensitivity(r.distanceL1)}
	case "approx_dp":
		a := mechanism.Approximate{Epsilon: o.number("epsilon"), Delta: o.number("delta")}
		if m = a; a.Delta == 0 {
			m = mechanism.Pure{Epsilon: a.Epsilon}
		}
	case "zcdp":
		m = mechanism.Concentrated{Rho: o.number("rho")}
	case "randomized_response":
		m, err = r.response(o)
	case "discrete_gaussian":
		m = mechanism.DiscreteGaussian{Variance: o.number("variance"), Sensitivity: o.steps("sensitivity")}
	case "discrete_laplace":
		m = mechanism.DiscreteLaplace{Scale: o.number("scale"), Sensitivity: o.steps("sensitivity")}
	default:
		err = fmt.Errorf("unknown type %q", kind)
	}
	if err == nil {
		err = o.err
	}
	return m, err
}

// sensitivity is how far the sums of neighbours are apart, where it is not the most that neighbours can have.
func (o *object) sensitivity(distance float64) float64 {
	if !o.has("sensitivity") {
		return distance
	}
	return o.within("sensitivity", 1e-3, 1e3)
}

// steps is a sensitivity in whole numbers.
func (o *object) steps(name string) int { return o.whole(name, 1, 1<<40) }

// sampling reads how the units of a listed event were chosen: by secret coins of rate q, without replacement at rate q or
// size/population, or all of them.
func (r *reader) sampling(kind string, o *object) (by mechanism.Sampling, rate float64, err error) {
	name := ""
	if o.has("sampling") {
		name = o.text("sampling")
	}
	sized := o.has("size") || o.has("population")
	switch {
	case o.err != nil:
		return 0, 0, o.err
	case name == "" && sized:
		name = "without_replacement"
	case name == "" && (o.has("q") || kind == "subsampled_laplace"):
		name = "poisson"
	case name == "":
		name = "none"
	}
	by, rate = mechanism.All, 1
	switch name {
	case "poisson":
		by, rate = mechanism.Poisson, o.rate("q")
	case "without_replacement":
		if by = mechanism.Fixed; sized {
			rate = o.size("size", "population")
		} else {
			rate = o.rate("q")
		}
		err = r.replaced("sampling without replacement", publicPopulation)
	case "none":
		if o.has("q") && o.rate("q") != 1 {
			o.fail("q must be 1 without sampling")
		}
	default:
		o.fail("unknown sampling %q, must be poisson, without_replacement or none", name)
	}
	if o.err != nil {
		return 0, 0, o.err
	}
	if rate < 1 {
		switch kind {
		case "gaussian", "laplace", "subsampled_laplace", "approx_dp", "batch":
		default:
			return 0, 0, fmt.Errorf("no theorem says what sampling makes of %s", kind)
		}
	}
	return by, rate, err
}
