package command

import (
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// byName says whether a unit's rounds follow from its name without a secret. Other units must then not change the name.
// Otherwise removing one unit would move all others to other rounds. (Secret coins are as good for one name as for
// another.)
func (s *Command) byName() bool { return s.Epoch && s.Window == 0 || s.Seed != nil && !s.All }

// positions finds names of units that look like positions: in one stream, or in all streams together.
type positions struct{ stream, all unitNames }

// unitNames are the names of users, and the names of documents that are units.
type unitNames struct{ users, documents numbered }

// add adds a unit's name; d is the unit's first document.
func (p *positions) add(unit wire.Unit, d *wire.Document) {
	for _, n := range []*unitNames{&p.stream, &p.all} {
		if unit == wire.Unit_USER && d.User != "" {
			n.users.add(d.User)
		} else {
			n.documents.add(d.Id)
		}
	}
}

// begin begins the next stream.
func (p *positions) begin() { p.stream = unitNames{} }

// found says which units, of this stream or of all streams so far, have names that look like positions; "" for none.
func (p *positions) found() string {
	switch {
	case p.stream.users.consecutive() || p.all.users.consecutive():
		return event.User
	case p.stream.documents.consecutive() || p.all.documents.consecutive():
		return event.Document
	}
	return ""
}

// refusePositions is the error for names that look like positions. It quotes no name, since names are private.
func refusePositions(unit string) error {
	return exit.Errorf(exit.Refused,
		"refused: the names of %ss are consecutive numbers, by which --epoch and --seed choose the "+
			"round: if they are positions, removing one %[1]s moves others to other rounds, and no ε holds", unit).
		WithHint("leave the ids out, and tokenize names documents by content; --trust-names if other units never " +
			"change a name")
}
