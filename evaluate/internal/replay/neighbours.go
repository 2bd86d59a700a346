package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// A Neighbour is a data set that differs from another in one unit.
type Neighbour struct {
	Name      string
	Documents []*wire.Document
}

// A Relation says which data sets are neighbours.
type Relation struct {
	Adjacency string // event.AddRemove and the others
	Unit      string // event.Document or event.User
	Fixed     bool   // rounds have a fixed size, so that the number of units is public under event.ReplaceNull, too
}

// Neighbours returns neighbours under a relation. One unit goes, comes or is exchanged: at the beginning or at the end,
// long or empty, alone or beside a twin, with one document or with many.
func (d *Data) Neighbours(r Relation) []Neighbour {
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

// A named is a unit in a data set, or the documents of a new one.
type named struct {
	name      string
	unit      *unit
	documents []*wire.Document
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
	pick("the one with most documents", func(u, best *unit) bool { return len(u.documents) > len(best.documents) })
	return all
}

// many is the number of documents of a new user with many.
const many = 20

// loud is how often the word of a loud document occurs.
const loud = 1 << 16

// fresh returns new units.
func (d *Data) fresh(kind wire.Unit) (all []named) {
	add := func(name string, documents ...*wire.Document) {
		for i, document := range documents {
			document.Id, document.User = nameOf(name, i), ""
			if kind == wire.Unit_USER {
				document.User = nameOf(name, 0)
			}
		}
		all = append(all, named{name: name, documents: documents})
	}
	first := d.Documents[0]
	add("an empty one", &wire.Document{Label: first.Label})
	add("a twin of the first", proto.CloneOf(first))
	for _, other := range d.Documents {
		if other.Label != first.Label {
			labelled := proto.CloneOf(first)
			labelled.Label = other.Label
			add("a twin with another label", labelled)
			break
		}
	}
	if d.Header.Values {
		opposite := proto.CloneOf(first)
		opposite.Values = negated(opposite.Values)
		add("the opposite of the first", opposite)
	} else {
		add("a loud one", &wire.Document{Label: first.Label, WordGaps: []uint32{d.Header.VocabularySize - 1},
			Counts: []uint32{loud}})
		every := &wire.Document{Label: first.Label}
		for i := range d.Header.VocabularySize {
			every.WordGaps, every.Counts = append(every.WordGaps, min(i, 1)), append(every.Counts, 1)
		}
		add("one with all words", every)
	}
	if kind == wire.Unit_USER {
		var documents []*wire.Document
		for i := range many {
			documents = append(documents, proto.CloneOf(d.Documents[i%len(d.Documents)]))
		}
		add("one with many documents", documents...)
	}
	return all
}

// nameOf returns a name that says nothing, as names by content do.
func nameOf(what string, number int) string {
	sum := sha256.Sum256(fmt.Append(nil, what, number))
	return hex.EncodeToString(sum[:16])
}

// negated returns little-endian binary32 numbers with the other sign.
func negated(values []byte) []byte {
	values = bytes.Clone(values)
	for i := 3; i < len(values); i += 4 {
		values[i] ^= 0x80
	}
	return values
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
		documents := slices.Concat(f.documents, d.Documents)
		if i%2 == 0 {
			documents = slices.Concat(d.Documents, f.documents)
		}
		all = append(all, Neighbour{"with " + f.name, documents})
	}
	return all
}

// exchanged returns data sets where a new unit takes the place of another: two new ones for each of the old. In the
// last one the new unit has the old one's name.
func (d *Data) exchanged(old, fresh []named) (all []Neighbour) {
	for i, o := range old {
		for _, shift := range []int{len(fresh) - 1, 2} {
			f := fresh[(i+shift)%len(fresh)]
			all = append(all, Neighbour{f.name + " for " + o.name, d.inPlace(o.unit, f.documents)})
		}
	}
	for _, f := range fresh[len(fresh)-1:] {
		o := old[0]
		var documents []*wire.Document
		for i, document := range f.documents {
			document = proto.CloneOf(document)
			document.User = d.Documents[o.unit.documents[0]].User
			if i == 0 {
				document.Id = d.Documents[o.unit.documents[0]].Id
			}
			documents = append(documents, document)
		}
		all = append(all, Neighbour{f.name + " under the name of " + o.name, d.inPlace(o.unit, documents)})
	}
	return all
}

// emptied returns data sets where a unit has its name and nothing else.
func (d *Data) emptied(old []named) (all []Neighbour) {
	for _, o := range old {
		document := d.Documents[o.unit.documents[0]]
		empty := &wire.Document{Id: document.Id, User: document.User, Label: document.Label}
		all = append(all, Neighbour{"nothing for " + o.name, d.inPlace(o.unit, []*wire.Document{empty})})
	}
	return all
}

// inPlace returns the documents with others where the first one of a unit was, and without the rest of the unit.
func (d *Data) inPlace(u *unit, others []*wire.Document) (all []*wire.Document) {
	for i, document := range d.Documents {
		if i == u.documents[0] {
			all = append(all, others...)
		} else if !slices.Contains(u.documents, i) {
			all = append(all, document)
		}
	}
	return all
}
