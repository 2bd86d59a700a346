package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// A Neighbour is a data set that differs from another in one unit.
type Neighbour struct {
	Name  string
	items []item
}

// A Relation says which data sets are neighbours.
type Relation struct {
	Adjacency string // event.AddRemove and the others
	Unit      string // event.Document, event.User or event.Word
	Fixed     bool   // rounds have a fixed size, so that the number of units is public under event.ReplaceNull, too
}

// Neighbours returns neighbours under a relation. One unit goes, comes or is exchanged: at the beginning or at the end,
// long or empty, alone or beside a twin, with one document or with many.
func (d *Data) Neighbours(r Relation) []Neighbour {
	if r.Unit == event.Word {
		return d.reworded()
	}
	kind := wire.Unit_DOCUMENT
	if r.Unit == event.User {
		kind = wire.Unit_USER
	}
	old, fresh := chosen(d.units(kind)), d.fresh(kind)
	switch {
	case r.Adjacency == event.ReplaceOne:
		return d.exchanged(old, fresh)
	case r.Adjacency == event.ReplaceNull && r.Fixed:
		return d.emptied(old)
	}
	return slices.Concat(d.removed(old), d.added(fresh))
}

// A named is a unit in a data set, or the items of a new one.
type named struct {
	name  string
	unit  *unit
	items []item
}

// chosen returns units that would show faults, each once.
func chosen(units []*unit) (all []named) {
	pick := func(name string, better func(u, best *unit) bool) {
		best := units[0]
		for _, u := range units[1:] {
			if better(u, best) {
				best = u
			}
		}
		if !slices.ContainsFunc(all, func(n named) bool { return n.unit == best }) {
			all = append(all, named{name: name, unit: best})
		}
	}
	seen := make(map[string]bool)
	twins := make(map[*unit]bool)
	for _, u := range units {
		twins[u], seen[u.content] = seen[u.content], true
	}
	pick("the first", func(_, _ *unit) bool { return false })
	pick("the last", func(_, _ *unit) bool { return true })
	pick("the longest", func(u, best *unit) bool { return u.size > best.size })
	pick("the shortest", func(u, best *unit) bool { return u.size < best.size })
	pick("a twin", func(u, best *unit) bool { return twins[u] && !twins[best] })
	pick("the one with most documents", func(u, best *unit) bool { return len(u.items) > len(best.items) })
	return all
}

// many is the number of documents of a new user with many.
const many = 20

// fresh returns new units.
func (d *Data) fresh(kind wire.Unit) (all []named) {
	add := func(name string, items ...item) {
		for i, one := range items {
			user := ""
			if kind == wire.Unit_USER {
				user = nameOf(name, 0)
			}
			one.rename(nameOf(name, i), user)
		}
		all = append(all, named{name: name, items: items})
	}
	first := d.items[0]
	if empty := first.empty(); empty != nil {
		add("an empty one", empty)
	}
	add("a twin of the first", first.clone())
	for _, other := range d.items {
		if label := other.names().Label; label != first.names().Label {
			labelled := first.clone()
			labelled.relabel(label)
			add("a twin with another label", labelled)
			break
		}
	}
	for _, extreme := range d.form.extremes(d.items) {
		add(extreme.name, extreme.items...)
	}
	if kind == wire.Unit_USER {
		var items []item
		for i := range many {
			items = append(items, d.items[i%len(d.items)].clone())
		}
		add("one with many documents", items...)
	}
	return all
}

// nameOf returns a name that says nothing, as names by content do.
func nameOf(what string, number int) string {
	sum := sha256.Sum256(fmt.Append(nil, what, number))
	return hex.EncodeToString(sum[:16])
}

func (d *Data) removed(old []named) (all []Neighbour) {
	for _, o := range old {
		all = append(all, Neighbour{"without " + o.name, d.without(o.unit)})
	}
	return all
}

// added returns data sets with a new unit, in turn before and after all others.
func (d *Data) added(fresh []named) (all []Neighbour) {
	for i, f := range fresh {
		items := slices.Concat(f.items, d.items)
		if i%2 == 0 {
			items = slices.Concat(d.items, f.items)
		}
		all = append(all, Neighbour{"with " + f.name, items})
	}
	return all
}

// exchanged returns data sets where a new unit takes the place of another: two new ones for each of the old. In the
// last one the new unit has the old one's name.
func (d *Data) exchanged(old, fresh []named) (all []Neighbour) {
	for i, o := range old {
		for _, shift := range []int{len(fresh) - 1, min(2, len(fresh)-2)} {
			f := fresh[(i+shift)%len(fresh)]
			all = append(all, Neighbour{f.name + " for " + o.name, d.inPlace(o.unit, f.items)})
		}
	}
	o, f := old[0], fresh[len(fresh)-1]
	names := d.items[o.unit.items[0]].names()
	var items []item
	for i, one := range f.items {
		id := one.names().Id
		if i == 0 {
			id = names.Id
		}
		one = one.clone()
		one.rename(id, names.User)
		items = append(items, one)
	}
	return append(all, Neighbour{f.name + " under the name of " + o.name, d.inPlace(o.unit, items)})
}

// reworded returns data sets where the word of a document with one word is another. In longer documents the topics of
// the other tokens follow from the draw of the word. The loss of the draws covers that, and no bound on the sum does.
func (d *Data) reworded() (all []Neighbour) {
	h, ok := d.form.(*documents)
	if !ok {
		return nil
	}
	for i, one := range d.items {
		if one.size() != 1 || h.Values {
			continue
		}
		at := &unit{items: []int{i}}
		for _, shift := range []uint32{1, h.VocabularySize - 1} {
			other := one.clone().(*document)
			other.WordGaps[0] = (other.WordGaps[0] + shift) % h.VocabularySize
			name := fmt.Sprintf("word %d for %d in document %d", other.WordGaps[0], one.names().WordGaps[0], i+1)
			all = append(all, Neighbour{name, d.inPlace(at, []item{other})})
		}
		if len(all) == mostReworded {
			break
		}
	}
	return all
}

// mostReworded bounds the number of neighbours that differ in a word.
const mostReworded = 8

// emptied returns data sets where a unit has its name and nothing else.
func (d *Data) emptied(old []named) (all []Neighbour) {
	for _, o := range old {
		one := d.items[o.unit.items[0]]
		if empty := one.empty(); empty != nil {
			empty.rename(one.names().Id, one.names().User)
			all = append(all, Neighbour{"nothing for " + o.name, d.inPlace(o.unit, []item{empty})})
		}
	}
	return all
}
