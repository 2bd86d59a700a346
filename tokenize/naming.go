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
	Prefix string `zero:"" placeholder:"NAME" help:"Put NAME before each name that is made from content; empty by default. Without different prefixes, equal documents of two runs of tokenize have the same name, and sample refuses them."`
}

// namesHelp is the text of --help about names.
const namesHelp = "An id, the path of a file and a user are names. A name must not change when another document is removed: no ε holds " +
	"for positions, since removing a document renumbers all after it. A line without id (or with null) is named by a hash of its " +
	"record, which takes 60 bytes of memory a line. Equal documents count as different documents."

// Validate is kong's hook.
func (n *naming) Validate() error {
	if err := name.CheckPrefix(n.Prefix); err != nil {
		return exit.Errorf(exit.Usage, "--prefix %w", err)
	}
	return nil
}

// idOf returns a pointer to the id of a record.
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

// names are the names in the input, in order.
type names struct{ ids, users []string }

func (n *names) add(d *wire.Document) {
	if d.Id != "" {
		n.ids = append(n.ids, d.Id)
	}
	if d.User != "" {
		n.users = append(n.users, d.User)
	}
}

// positions finds names that look like positions.
type positions struct{ ids, users numbered.Names }

func (p *positions) add(n names) {
	for _, id := range n.ids {
		p.ids.Add(id)
	}
	for _, user := range n.users {
		p.users.Add(user)
	}
}

// warn warns of names that look like positions. It quotes no name.
func (p *positions) warn(r *filter.Run) {
	const why = " are consecutive numbers: if they are positions, which change when another document is removed, no ε holds for sample --epoch and --seed (see --help)"
	if p.ids.Consecutive() {
		r.Log.Warn("ids of documents" + why)
	}
	if p.users.Consecutive() {
		r.Log.Warn("users" + why)
	}
}
