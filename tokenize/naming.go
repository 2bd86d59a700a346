package main

import (
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/numbered"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/name"
)

// naming is the flag of the commands that name documents by content.
type naming struct {
	Prefix string `placeholder:"NAME" help:"Put NAME before the name of each document that is named by its content; nothing by default. Equal documents of two runs have one name, which sample refuses, unless each run has a NAME of its own."`
}

// namesHelp is what --help says of names.
const namesHelp = "An id, the path of a file and a user are names, which must not change when another document goes: no ε holds for " +
	"positions, since one document less renumbers all behind it. A line without id (or with null) is named by a hash of what " +
	"is kept of it, which needs 60 bytes of memory a line; of equal documents each counts as one of its own."

// Validate is kong's hook.
func (n *naming) Validate() error {
	if err := name.CheckPrefix(n.Prefix); err != nil {
		return exit.Errorf(exit.Usage, "--prefix %w", err)
	}
	return nil
}

// idOf is where the id of a record stands.
func idOf(r *wire.Record) *string {
	if t := r.GetTerms(); t != nil {
		return &t.Id
	}
	return &r.GetDocument().Id
}

// named returns the records of entries, each with an id.
func named(entries []entry, namer *name.Namer) []*wire.Record {
	records := make([]*wire.Record, len(entries))
	for i, e := range entries {
		if id := idOf(e.record); *id == "" {
			*id = namer.Name(e.content)
		}
		records[i] = e.record
	}
	return records
}

// names are those that documents came with, in order.
type names struct{ ids, users []string }

func (n *names) add(d *wire.Document) {
	if d.Id != "" {
		n.ids = append(n.ids, d.Id)
	}
	if d.User != "" {
		n.users = append(n.users, d.User)
	}
}

// positions tells names that look like positions.
type positions struct{ ids, users numbered.Names }

func (p *positions) add(n names) {
	for _, id := range n.ids {
		p.ids.Add(id)
	}
	for _, user := range n.users {
		p.users.Add(user)
	}
}

// warn says what looks like positions. It quotes no name.
func (p *positions) warn(r *filter.Run) {
	const why = " are consecutive numbers: if they are positions, which change when another document goes, no ε holds of sample --epoch and --seed (see --help)"
	if p.ids.Consecutive() {
		r.Log.Warn("ids of documents" + why)
	}
	if p.users.Consecutive() {
		r.Log.Warn("users" + why)
	}
}
