package dpevents

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// These classes of dp_accounting/dp_event.py are no mechanisms.
const (
	noOp                       = "NoOpDpEvent"
	nonPrivate                 = "NonPrivateDpEvent"
	selfComposed               = "SelfComposedDpEvent"
	composed                   = "ComposedDpEvent"
	poissonSampled             = "PoissonSampledDpEvent"
	sampledWithoutReplacement  = "SampledWithoutReplacementDpEvent"
	dpEventModule, deepestTree = "dp_accounting.dp_event", 64
)

// A node is one event in a tree, and the number of times it happens.
type node struct {
	*object
	class string
	count int
	depth int
}

// wrap adds to an error the class of the event that broke the rule.
func (n node) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", n.class, err)
}

// readNode reads the members that all events in a tree have.
func readNode(v jsontext.Value, count, depth int) (n node, err error) {
	n = node{object: readObject(v), count: count, depth: depth}
	n.class = n.text("class_name")
	if n.class == "" {
		n.Fail("class_name is empty")
	}
	if n.Has("module_name") && n.text("module_name") != dpEventModule {
		n.Fail("module_name must be %q", dpEventModule)
	}
	if depth > deepestTree {
		n.Fail("deeper than %d events", deepestTree)
	}
	return n, n.err
}

// tree reads a tree from its root.
func (r *reader) tree(v jsontext.Value) error { return r.node(v, 1, 1, nil) }

// node reads an event that happens count times. batch collects all releases from one sample. They share the same units,
// and the sample amplifies their joint loss, once. batch is nil outside of samples.
func (r *reader) node(v jsontext.Value, count, depth int, batch *[]loss.Mechanism) error {
	n, err := readNode(v, count, depth)
	if err != nil {
		return err
	}
	return n.wrap(r.visit(n, batch))
}

func (r *reader) visit(n node, batch *[]loss.Mechanism) error {
	switch k := kindOf(n.class); {
	case n.class == noOp:
		return n.done()
	case n.class == nonPrivate:
		r.list.NoNoise = true
		return n.done()
	case n.class == composed || n.class == selfComposed:
		return n.each(func(v jsontext.Value, count, depth int) error { return r.node(v, count, depth, batch) })
	case batch != nil && (k == nil || !k.Batched):
		return errors.New("no theorem bounds it under sampling")
	case n.class == poissonSampled || n.class == sampledWithoutReplacement:
		return r.sampled(n)
	case k == nil:
		return errors.New("is not an event that is read")
	default:
		m, err := r.mechanism(k, k.DpEvent, n.object)
		if err == nil {
			err = n.done()
		}
		switch {
		case err != nil:
			return err
		case batch == nil:
			return r.add(loss.Release{Released: []loss.Mechanism{m}, Count: n.count})
		case n.count > most || len(*batch)+n.count > most:
			return fmt.Errorf("more than %d releases of one sample", most)
		}
		*batch = append(*batch, slices.Repeat([]loss.Mechanism{m}, n.count)...)
		return nil
	}
}

// sampled reads a sample of the units, and all releases from it.
func (r *reader) sampled(n node) (err error) {
	e := loss.Release{Sampling: loss.Poisson, Count: n.count}
	if n.class == poissonSampled {
		e.Rate = n.rate("sampling_probability")
	} else {
		e.Sampling, e.Rate = loss.Fixed, n.size("sample_size", "source_dataset_size")
		err = r.replaced("sampling without replacement", publicPopulation)
	}
	inside := n.object.object("event")
	if broken := n.done(); err == nil {
		err = broken
	}
	if err == nil {
		err = r.node(inside, 1, n.depth+1, &e.Released)
	}
	if err != nil || len(e.Released) == 0 {
		return err
	}
	return r.add(e)
}

// each visits the events inside a composed event.
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

// kindOf returns the mechanism's kind for a class, or nil if there is none.
func kindOf(class string) *loss.Kind {
	for _, k := range loss.Kinds {
		if k.Class == class {
			return k
		}
	}
	return nil
}

// mechanism reads the members that a mechanism of kind k needs.
func (r *reader) mechanism(
	k *loss.Kind, read func(loss.Fields, loss.Neighbours) loss.Mechanism, o *object,
) (loss.Mechanism, error) {
	m := read(o, r.neighbours)
	if k.ReplaceOnly != "" {
		if err := r.replaced(k.Name, k.ReplaceOnly); err != nil {
			return nil, err
		}
	}
	return m, o.err
}
