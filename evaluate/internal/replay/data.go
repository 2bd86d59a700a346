package replay

import (
	"slices"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// A Data is a data set: the documents of a stream, or the records of a text.
type Data struct {
	File  string // its name in the folder of the command
	items []item
	form  form
}

// An item is a document or a record.
type item interface {
	names() *wire.Document // with the item's id, user and label
	size() uint64          // the sum of counts, the number of values, or a text's length
	content() string       // all but its names
	clone() item
	rename(id, user string) // user is empty if documents are the units
	relabel(label string)
	empty() item // an item without content and names; nil if there is none
}

// A form writes items, and knows items that would show faults.
type form interface {
	encode(items []item) ([]byte, error)
	extremes(items []item) []named
}

// check refuses a data set that a pipeline may refuse without one of its items.
func (d *Data) check(name string) error {
	if len(d.items) < 2 {
		return exit.Errorf(exit.Malformed, "%s: fewer than two documents, must have more", name)
	}
	return nil
}

// A unit is a privacy unit: the places of its items, and how much they hold in all.
type unit struct {
	items   []int
	size    uint64
	content string // equal for units with equal items
}

// units returns the units of the data set, in the order of their first items.
func (d *Data) units(kind wire.Unit) (all []*unit) {
	known := make(map[string]*unit)
	for i, one := range d.items {
		name := wire.UnitName(kind, one.names())
		u := known[name]
		if u == nil {
			u = new(unit)
			known[name], all = u, append(all, u)
		}
		u.items = append(u.items, i)
		u.size += one.size()
		u.content += one.content()
	}
	return all
}

// without returns the items except a unit's.
func (d *Data) without(u *unit) []item {
	var rest []item
	for i, one := range d.items {
		if !slices.Contains(u.items, i) {
			rest = append(rest, one)
		}
	}
	return rest
}

// inPlace returns the items with others where the first one of a unit was, and without the rest of the unit.
func (d *Data) inPlace(u *unit, others []item) (all []item) {
	for i, one := range d.items {
		if i == u.items[0] {
			all = append(all, others...)
		} else if !slices.Contains(u.items, i) {
			all = append(all, one)
		}
	}
	return all
}
