package command

import (
	"fmt"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/features"
	"privpipe/tokenize/internal/name"
	"privpipe/tokenize/internal/source"
)

// Rows makes documents of the rows of tables.
type Rows struct {
	Schema string        `required:"" placeholder:"FILE" help:"Read from FILE what the columns mean. It must be public, and so must be all its ranges and lists."`
	Format source.Format `enum:"auto,jsonl,csv,tsv,parquet,avro,protobuf" default:"auto" help:"Format of the inputs: ${enum}. auto goes by the extension (.jsonl, .tsv, .parquet) and reads other files, and standard input, as CSV. In a folder, auto reads the files with these extensions and .csv; any other format reads all files except hidden ones."`
	output
	conversion
}

// Help is what --help adds for this command.
func (*Rows) Help() string {
	return "A row becomes a document of real numbers over the features of the schema (tokenize features). A number " +
		"is clamped to its " +
		"public range and scaled to [0, 1]; least is 0 and no feature. So is each number of an array. A category is " +
		"a feature of value 1; a value that is not listed, and " +
		"\"?\", is no feature. White space around a cell is dropped. FORMATS.md shows a schema.\n\n" + namesHelp
}

// Validate is kong's hook.
func (t *Rows) Validate() error { return t.conversion.Validate() }

// Run is kong's hook.
func (t *Rows) Run(r *filter.Run) error {
	if err := t.checkTopics(t.names()...); err != nil {
		return err
	}
	if err := r.Check(append(t.names(), t.Schema)...); err != nil {
		return err
	}
	s, err := features.OpenSchema(r, t.Schema)
	if err != nil {
		return err
	}
	cells := s.Cells()
	if cells.Comment != 0 && cells.Comment == byte(t.Delimiter) {
		return exit.Errorf(exit.Usage, "--delimiter %c is what begins a comment in %s", cells.Comment, t.Schema)
	}
	in, err := t.reader(r, source.Options{Format: t.Format, Cells: cells})
	if err != nil || r.DryRun() {
		return err
	}
	h := t.header(s.Features(), s.Settings())
	h.Values = true
	out, err := endpoint.CreateStream(r, t.Output, h, t.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()

	encoders := make([]rowRecorder, t.N())
	recorders := make([]recorder, t.N())
	for i := range encoders {
		encoders[i].Encoder = features.NewEncoder(s)
		recorders[i] = &encoders[i]
	}
	total, err := t.convert(r, show(r, t.Output, in), in, out, recorders)
	if err != nil {
		return err
	}
	warnOutside(r, s, encoders)
	return total.commit(r, out)
}

// warnOutside warns of columns with most cells beyond the schema's range or list. The schema may be for other rows, or
// in other units.
func warnOutside(r *filter.Run, s *features.Schema, encoders []rowRecorder) {
	for i, c := range s.Columns {
		seen, outside := uint64(0), uint64(0)
		for _, e := range encoders {
			seen, outside = seen+e.Seen[i], outside+e.Outside[i]
		}
		if outside > seen/2 {
			r.Log.Warn(fmt.Sprintf("most cells of column %q are beyond its range or list in the schema: is the "+
				"schema of these rows?", c.Name))
		}
	}
}

// A rowRecorder makes documents from rows.
type rowRecorder struct {
	*features.Encoder
	hasher name.Hasher
}

func (b *rowRecorder) record(of document) (e entry, err error) {
	d, err := b.Row(of.cells)
	if err == nil {
		err = checkNames(d)
	}
	if err != nil {
		return e, err
	}
	if d.Id == "" {
		e.content = b.hasher.Document(d)
	}
	e.names, e.record, e.empty = d, &wire.Record{Body: &wire.Record_Document{Document: d}}, len(d.Values) == 0
	return e, nil
}
