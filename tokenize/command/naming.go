package command

import (
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/name"
)

// naming is the flag of the commands that name documents by their content.
type naming struct {
	Prefix string `zero:"" placeholder:"NAME" help:"Put NAME before each name that is made from content; empty by default. Without different prefixes, equal documents of two runs of tokenize have the same name, and sample refuses them."`
}

// namesHelp is the text of --help about names.
const namesHelp = "An id, the path of a file and a user are names. A name must not change when another document is " +
	"removed. Positions do: removing a document renumbers all after it. So sample --epoch and --seed, by which " +
	"rounds " +
	"follow from names, refuse names that look like positions; secret coins are as good for one name as for another. " +
	"A line without id (or with null) is named by a hash of its record, which takes 60 bytes of memory a line. Equal " +
	"documents count as different documents."

// Validate is kong's hook.
func (n *naming) Validate() error {
	if err := name.CheckPrefix(n.Prefix); err != nil {
		return exit.Errorf(exit.Usage, "--prefix %w", err)
	}
	return nil
}

// idOf returns a pointer to the record's id.
func idOf(r *wire.Record) *string {
	if t := r.GetTerms(); t != nil {
		return &t.Id
	}
	return &r.GetDocument().Id
}

// named returns the records of the entries. Each record then has an id.
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
