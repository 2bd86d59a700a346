package dpevents

import (
	"cmp"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// A Relation is the neighbouring relation for a text that does not state one.
type Relation struct {
	Adjacency   string // event.AddRemove, event.ReplaceOne or event.ReplaceNull; "" means event.AddRemove, too
	NonNegative bool   // contributions have no negative coordinate
}

// A reader fills a list.
type reader struct {
	list       *loss.List
	neighbours loss.Neighbours
	releases   int // so far
}

// Read returns the list that a JSON text describes. The error has exit code 90 if the text breaks a rule, and 80 if it
// does not fit the neighbouring relation.
func Read(b []byte, relation Relation) (*loss.List, error) {
	r := new(reader)
	if err := r.document(b, relation); err != nil {
		if exit.Code(err) == exit.Failure {
			err = exit.Errorf(exit.Malformed, "%w", err)
		}
		return nil, err
	}
	return r.list, nil
}

// document reads an array of listed events, or a tree. Either may be inside an object that states the neighbouring
// relation.
func (r *reader) document(b []byte, relation Relation) error {
	var v jsontext.Value
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if v.Kind() == '[' {
		r.relate(relation)
		return r.listed(v)
	}
	o := readObject(v)
	if o.Has("class_name") {
		r.relate(relation)
		return r.tree(v)
	}
	adjacency := o.text("adjacency")
	if o.err == nil && adjacency != event.AddRemove && adjacency != event.ReplaceOne && adjacency != event.ReplaceNull {
		o.Fail("unknown adjacency %q, must be %q, %q or %q", adjacency, event.AddRemove, event.ReplaceOne,
			event.ReplaceNull)
	}
	if o.err == nil && (relation.NonNegative || relation.Adjacency != "" && relation.Adjacency != adjacency) {
		return exit.Errorf(exit.Usage,
			"the events state their own neighbours (%s) and sensitivities: leave out the flags for them", adjacency)
	}
	r.relate(Relation{Adjacency: adjacency})
	if o.Has("event") {
		tree := o.object("event")
		if err := o.done(); err != nil {
			return err
		}
		return r.tree(tree)
	}
	all, ok := o.take("events", '[', "an array")
	if err := o.done(); !ok || err != nil {
		return err
	}
	return r.listed(all)
}

// relate sets the neighbouring relation. The triangle inequality bounds how far an exchange moves a sum of vectors of
// norm 1. For vectors without negative coordinates the L2 bound is smaller: ‖u−v‖² ≤ ‖u‖² + ‖v‖².
func (r *reader) relate(relation Relation) {
	r.list = &loss.List{Adjacency: cmp.Or(relation.Adjacency, event.AddRemove), NonNegative: relation.NonNegative}
	r.neighbours = neighbours(r.list)
	if r.list.NonNegative && r.neighbours.ReplaceOne {
		r.neighbours.L2 = math.Sqrt2 // as a float64 it is above √2
	}
}

// add adds a release to the list.
func (r *reader) add(e loss.Release) error {
	if e.Rate == 1 {
		e.Sampling, e.Rate = loss.All, 0
	}
	if err := e.Check(); err != nil {
		return err
	}
	if r.releases += e.Count; r.releases > event.MaxRounds {
		return fmt.Errorf("more than %d releases in all", event.MaxRounds)
	}
	r.list.Add(e)
	return nil
}

// replaced refuses an event under add-remove if its theorem holds only for an exchange of units.
func (r *reader) replaced(what, why string) error {
	if r.list.Adjacency == event.ReplaceOne {
		return nil
	}
	return exit.Errorf(exit.Usage, "%s needs adjacency %q: %s", what, event.ReplaceOne, why)
}

// mixed refuses an event with another neighbouring relation than the list.
func (r *reader) mixed() error {
	return exit.Errorf(exit.Usage, "its adjacency is not %q, that of the list: they cannot be composed",
		r.list.Adjacency)
}

// mostUnits is the largest population. Up to this limit float64 represents whole numbers exactly.
const mostUnits = 1 << 53

// size returns the rate for sampling without replacement.
func (o *object) size(sample, population string) float64 {
	of := o.Whole(population, 1, mostUnits)
	size := o.Whole(sample, 1, max(1, of))
	rate := min(1, math.Nextafter(float64(size)/float64(of), 1)) // rounded up: it is a quotient
	if rate == 1 && size < of && o.err == nil {
		o.Fail("%s over %s rounds to 1: take all units", sample, population)
	}
	return rate
}

const publicPopulation = "the population is public where a unit is exchanged"
