package dpevents

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/mechanism"
	"privpipe/pipelines/event"
)

// The classes of dp_accounting/dp_event.py that are no mechanisms.
const (
	noOp                       = "NoOpDpEvent"
	nonPrivate                 = "NonPrivateDpEvent"
	selfComposed               = "SelfComposedDpEvent"
	composed                   = "ComposedDpEvent"
	poissonSampled             = "PoissonSampledDpEvent"
	sampledWithoutReplacement  = "SampledWithoutReplacementDpEvent"
	dpEventModule, deepestTree = "dp_accounting.dp_event", 64
)

// A node is an event of a tree, and how often it happens.
type node struct {
	*object
	class string
	count int
	depth int
}

// wrap says in which event of a tree a rule is broken.
func (n node) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", n.class, err)
}

// readNode reads what all events of a tree have.
func readNode(v jsontext.Value, count, depth int) (n node, err error) {
	n = node{object: readObject(v), count: count, depth: depth}
	n.class = n.text("class_name")
	if n.Has("module_name") && n.text("module_name") != dpEventModule {
		n.Fail("module_name must be %q", dpEventModule)
	}
	if depth > deepestTree {
		n.Fail("deeper than %d events", deepestTree)
	}
	return n, n.err
}

// tree reads the event of a tree that is at its root.
func (r *reader) tree(v jsontext.Value) error { return r.node(v, 1, 1) }

// node reads an event that happens so often.
func (r *reader) node(v jsontext.Value, count, depth int) error {
	n, err := readNode(v, count, depth)
	if err != nil {
		return err
	}
	return n.wrap(r.visit(n))
}

func (r *reader) visit(n node) error {
	e := loss.Release{Count: n.count}
	var err error
	switch n.class {
	case noOp:
		return n.done()
	case nonPrivate:
		r.list.NoNoise = true
		return n.done()
	case composed, selfComposed:
		return n.each(r.node)
	case poissonSampled:
		e.Sampling, e.Rate = mechanism.Poisson, n.rate("sampling_probability")
	case sampledWithoutReplacement:
		e.Sampling, e.Rate = mechanism.Fixed, n.size("sample_size", "source_dataset_size")
		err = r.replaced("sampling without replacement", publicPopulation)
	default:
		m, err := r.leaf(n)
		if err == nil {
			err = n.done()
		}
		if err != nil {
			return err
		}
		e.Released = []mechanism.Mechanism{m}
		return r.add(e)
	}
	inside := n.object.object("event")
	if broken := n.done(); err == nil {
		err = broken
	}
	if err == nil {
		err = r.inBatch(&e.Released, inside, 1, n.depth+1)
	}
	if err != nil || len(e.Released) == 0 {
		return err
	}
	return r.add(e)
}

// each visits what a composed event is composed of.
func (n node) each(visit func(v jsontext.Value, count, depth int) error) error {
	if n.class == selfComposed {
		times := n.Whole("count", 1, event.MaxRounds)
		inside := n.object.object("event")
		if err := n.done(); err != nil {
			return err
		}
		if times > event.MaxRounds/n.count {
			return fmt.Errorf("more than %d releases in all", event.MaxRounds)
		}
		return visit(inside, n.count*times, n.depth+1)
	}
	all := n.array("events")
	if err := n.done(); err != nil {
		return err
	}
	for i, v := range all {
		if err := visit(v, n.count, n.depth+1); err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	return nil
}

// inBatch reads what is released of a sample, all of it of the same units: the sample amplifies the whole, once.
func (r *reader) inBatch(released *[]mechanism.Mechanism, v jsontext.Value, count, depth int) error {
	n, err := readNode(v, count, depth)
	if err != nil {
		return err
	}
	switch n.class {
	case noOp:
		return n.wrap(n.done())
	case nonPrivate:
		r.list.NoNoise = true
		return n.wrap(n.done())
	case composed, selfComposed:
		return n.wrap(n.each(func(v jsontext.Value, count, depth int) error { return r.inBatch(released, v, count, depth) }))
	}
	if k := kindOf(n.class); k == nil || !k.Batched {
		return n.wrap(errors.New("no theorem bounds it under sampling"))
	}
	m, err := r.leaf(n)
	if err == nil {
		err = n.done()
	}
	if err == nil && (n.count > most || len(*released)+n.count > most) {
		err = fmt.Errorf("more than %d releases of one sample", most)
	}
	if err != nil {
		return n.wrap(err)
	}
	for range n.count {
		*released = append(*released, m)
	}
	return nil
}

// kindOf returns the kind of mechanism of a class; nil for none.
func kindOf(class string) *mechanism.Kind {
	for _, k := range mechanism.Kinds {
		if k.Class == class {
			return k
		}
	}
	return nil
}

// leaf reads a mechanism.
func (r *reader) leaf(n node) (mechanism.Mechanism, error) {
	k := kindOf(n.class)
	if k == nil {
		return nil, errors.New("is not an event that is read")
	}
	return r.mechanism(k, k.DpEvent, n.object)
}

// mechanism reads the members of an event that a mechanism of a kind needs.
func (r *reader) mechanism(
	k *mechanism.Kind, read func(mechanism.Fields, mechanism.Neighbours) mechanism.Mechanism, o *object,
) (mechanism.Mechanism, error) {
	m := read(o, r.neighbours)
	if k.ReplaceOnly != "" {
		if err := r.replaced(k.Name, k.ReplaceOnly); err != nil {
			return nil, err
		}
	}
	return m, o.err
}
