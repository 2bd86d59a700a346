package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"unicode"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/parallel"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/tokenize/internal/bag"
	"privpipe/tokenize/internal/date"
	"privpipe/tokenize/internal/name"
	"privpipe/tokenize/internal/source"
	"privpipe/tokenize/internal/words"
	"privpipe/tokenize/streams"
)

// texts has the flags of the commands that make a record of each text.
type texts struct {
	textFormat
	dates
	conversion
}

// Validate is kong's hook.
func (t *texts) Validate() (err error) {
	if t.kept, err = t.dates.dateRule(&t.Columns); err != nil {
		return err
	}
	t.seenFile = t.Seen
	return t.conversion.Validate()
}

// conversion has the flags of the commands that make a record of each document in files.
type conversion struct {
	filter.Workers
	naming
	files
	onError

	// spelling unifies the spellings of users, by the rule of words. If it is nil, users stay as they are.
	spelling func(user string) string `kong:"-"`

	kept     *date.Rule // documents that are kept, by their dates; nil: all
	seenFile string     // see seen; empty: ids are not kept
	seen     *seen      // nil: ids are not kept
}

func (c *conversion) Validate() error {
	return cmp.Or(c.files.Validate(), c.onError.Validate(), c.naming.Validate())
}

// A recorder makes a document's record. One goroutine may use it at a time.
type recorder interface {
	// record returns the record of d, which must have no fault. The record's id may be missing.
	record(d document) (entry, error)
}

// An entry is a text's record and its counts.
type entry struct {
	record  *wire.Record
	names   *wire.Document
	content name.Content // of the record, if it has no id
	empty   bool         // the record has no word
	words   bag.Words    // of the text
}

// counted are counts over documents.
type counted struct {
	documents, empty, skipped uint64
	blank                     uint64 // text files without any text
	outside                   uint64 // documents of another time
	lists                     bool   // some text is a list of tokens
	replaced                  uint64 // U+FFFD in place of halves of surrogate pairs and of bytes outside the encoding
	words                     bag.Words
}

// recorded is a worker's output for a chunk.
type recorded struct {
	counted
	skips   []skipped
	ids     []string // of the documents that have one, if they are kept
	entries []entry
	batches []*stream.Batch // nil if an entry has no id yet
}

// convert writes a record of each document. It uses one recorder per worker. The caller commits out. Each function in
// also gets all entries, in the order of the input and with their names.
func (t *conversion) convert(
	r *filter.Run, meter *progress.Meter, in *source.Reader, out *endpoint.StreamWriter, recorders []recorder,
	also ...func([]entry) error,
) (total counted, err error) {
	work := func(worker int, chunk source.Chunk) (recorded, error) {
		return t.chunk(out.Framer(), recorders[worker], chunk)
	}
	namer := name.NewNamer(t.Prefix)
	skips, err := t.newSkipReport(r)
	if err != nil {
		return total, err
	}
	defer skips.abort()
	if t.seenFile != "" {
		if t.seen, err = openSeen(r, t.seenFile, t.kept); err != nil {
			return total, err
		}
	}
	err = parallel.Map(r, len(recorders), in.Next, work, func(made recorded) error {
		total.documents += made.documents
		metrics.Documents(int(made.documents))
		meter.Documents.Add(int64(made.documents))
		total.empty += made.empty
		total.blank += made.blank
		total.outside += made.outside
		total.replaced += made.replaced
		total.lists = total.lists || made.lists
		total.skipped += made.skipped
		total.words.Add(made.words)
		if err := skips.add(made.skips); err != nil {
			return err
		}
		for _, id := range made.ids {
			t.seen.add(id)
		}
		if made.batches == nil {
			// Chunks arrive here in the order of the input, so the suffixes of equal documents depend only on the
			// input.
			var err error
			if made.batches, err = out.Framer().Batches(named(made.entries, namer)); err != nil {
				return err
			}
		}
		for _, b := range made.batches {
			if err := out.WriteBatch(b); err != nil {
				return err
			}
		}
		for _, f := range also {
			if err := f(made.entries); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = skips.end()
	}
	total.replaced += uint64(in.Replaced())
	if err == nil && total.replaced > 0 {
		r.Log.Warn("U+FFFD takes the place of what is no character: half of a surrogate pair, " +
			"or bytes that are none of the --encoding")
	}
	if err == nil && total.documents == 0 && total.skipped > 0 && t.kept == nil {
		err = exit.Errorf(exit.Malformed, "every document is malformed").
			WithHint("--on-error stop names the first fault; --skipped FILE lists all")
	}
	if err == nil && total.documents == total.blank && t.kept == nil { // a window may be empty
		err = streams.ErrEmpty("a document", t.names()...)
	}
	if err == nil && t.seen != nil {
		err = t.seen.write(r) // before the documents: ids without documents do no harm
	}
	return total, err
}

// chunk turns one chunk into batches of records.
func (t *conversion) chunk(framer *stream.Framer, recorder recorder, chunk source.Chunk) (made recorded, err error) {
	var records []*wire.Record
	unnamed := false
	for line, d := range documents(chunk, t.MaxDocument) {
		if t.kept != nil && d.err == nil {
			var kept bool
			if kept, d.err = t.kept.Keeps(d.date); !kept && d.err == nil {
				made.outside++
				continue
			}
		}
		if d.err == nil {
			d.err = t.seen.check(d.names.Id)
		}
		if d.err == nil && t.spelling != nil {
			d.names.User = t.spelling(d.names.User)
		}
		e, err := d.record(recorder)
		if err != nil {
			if t.OnError == "skip" && !errors.Is(err, source.ErrNeverSkipped) {
				made.skipped++
				made.skips = append(made.skips, newSkipped(chunk, line, err))
				continue
			}
			hint := cmp.Or(exit.Hint(err), "--on-error skip skips malformed documents and counts them")
			return made, malformed(chunk, line, err).WithHint("%s", hint)
		}
		if made.documents++; e.empty {
			made.empty++
		}
		made.replaced += uint64(d.replaced)
		made.lists = made.lists || d.text.List
		if line == 0 && len(bytes.TrimFunc(d.text.Content, isBlank)) == 0 {
			made.blank++
		}
		made.words.Add(e.words)
		unnamed = unnamed || e.names.Id == ""
		if t.seen != nil && e.names.Id != "" {
			made.ids = append(made.ids, e.names.Id)
		}
		made.entries, records = append(made.entries, e), append(records, e.record)
	}
	if unnamed {
		return made, nil
	}
	made.batches, err = framer.Batches(records)
	return made, err
}

// isBlank says whether a character is white space or a byte order mark.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

// commit completes the output with the counts and the given tallies.
func (c counted) commit(r *filter.Run, out *endpoint.StreamWriter, others ...*wire.Tally) error {
	tallies := append([]*wire.Tally{{Name: "empty", Value: c.empty}, {Name: "skipped", Value: c.skipped}}, others...)
	if c.outside > 0 {
		tallies = append(tallies, &wire.Tally{Name: "outside", Value: c.outside})
	}
	if c.replaced > 0 {
		tallies = append(tallies, &wire.Tally{Name: "replaced", Value: c.replaced})
	}
	r.SummarizePrivate("documents", c.documents)
	for _, tally := range tallies {
		r.SummarizePrivate(tally.Name, tally.Value)
	}
	return out.Commit(tallies...)
}

// A document is one of four: a text and its names, a vector and its names, the cells of one row, or a fault. The id may
// be missing.
type document struct {
	names   *wire.Document
	text    words.Text // or a vector's JSON array
	numbers []float64  // of a vector whose file has no text
	cells   []string
	date    string
	err     error

	replaced int // halves of surrogate pairs
}

// record checks the names here, where the line is known. The writer does not know the line.
func (d document) record(by recorder) (e entry, err error) {
	if d.err == nil {
		d.err = checkNames(d.names)
	}
	if d.err != nil {
		return e, d.err
	}
	return by.record(d)
}

// checkNames checks a document's names. The id may be missing.
func checkNames(d *wire.Document) error {
	return wire.CheckDocumentNames(&wire.Document{Id: cmp.Or(d.Id, "to come"), User: d.User, Label: d.Label})
}

// documents yields the documents in a chunk, each with the number of its first line, or 0 if the file is one document.
// A document over limit bytes is malformed.
func documents(chunk source.Chunk, limit filter.Size) iter.Seq2[int, document] {
	tooLong := document{err: exit.Errorf(exit.Malformed, "document larger than --max-document %v", limit)}
	return func(yield func(int, document) bool) {
		switch {
		case chunk.Err != nil:
			yield(0, document{err: chunk.Err})
			return
		case chunk.Line == 0 && chunk.Fault != nil:
			yield(0, tooLong)
			return
		case chunk.Line == 0:
			yield(0, fileDocument(chunk))
			return
		}
		for number, row := range chunk.Rows(int(limit)) {
			d := tooLong
			if row.Err != source.ErrTooLong {
				d = rowDocument(row)
			}
			if !yield(number, d) {
				return
			}
		}
	}
}

func rowDocument(row source.Row) document {
	if row.Err != nil {
		return document{err: row.Err}
	}
	if row.Cells != nil {
		return document{names: new(wire.Document), cells: row.Cells}
	}
	fields := row.Fields
	names := &wire.Document{User: string(fields.User), Label: string(fields.Label)}
	if fields.ID != nil {
		names.Id = string(*fields.ID)
	}
	return document{names: names, text: *fields.Text, numbers: fields.Numbers, date: string(fields.Date),
		replaced: fields.Replaced}
}

func fileDocument(chunk source.Chunk) document {
	if err := source.NotText(chunk.Content); err != nil {
		return document{err: err}
	}
	if err := source.CheckText(chunk.Content); err != nil {
		return document{err: err}
	}
	return document{names: &wire.Document{Id: chunk.ID}, text: words.Text{Content: chunk.Content}}
}

// malformed adds the document's place to an error. Files and lines are no secret from the caller. The message quotes no
// content.
func malformed(chunk source.Chunk, line int, err error) *exit.Error {
	hint := exit.Hint(err)
	code := exit.Malformed
	if c := exit.Code(err); c != exit.Failure && errors.Is(err, source.ErrNeverSkipped) {
		code = c // a registry gave no answer
	}
	if chunk.Err != nil {
		return exit.Errorf(exit.Malformed, "%w", err).WithHint("%s", hint) // err names the file
	}
	if m := chunk.Message(line); m != nil {
		return exit.Errorf(code, "%s: %w", atOffset(m.Partition, m.Offset), err).WithHint("%s", hint)
	}
	return exit.Errorf(exit.Malformed, "%s: %w", where(chunk.Name, chunk.Unit(), line), err).WithHint("%s", hint)
}

// atOffset names a message in a topic.
func atOffset(partition string, offset int64) string {
	return fmt.Sprintf("%s: the message at offset %d", partition, offset)
}

// where names a line or a row of the file, or the file if number is 0.
func where(file, unit string, number int) string {
	if number == 0 {
		return file
	}
	return fmt.Sprintf("%s: %s %d", file, unit, number)
}
