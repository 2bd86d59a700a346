package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/name"
	"privpipe/tokenize/internal/registry"
)

// A Format is a file format of documents.
type Format string

const (
	ByName    Format = "auto"  // by the extension; unknown extensions are JSON Lines, or CSV with Cells
	JSONLines Format = "jsonl" // one object per line; also an array of objects, or objects over several lines
	TextFile  Format = "text"  // the file is one document
	Lines     Format = "lines" // one document per line
	CSV       Format = "csv"   // RFC 4180; the first record names the columns
	TSV       Format = "tsv"   // with tabs instead of commas, and without quotes
	Mail      Format = "mail"  // a mail, or an mbox
	Parquet   Format = "parquet"
	Array     Format = "npy" // an array of NumPy, a row a vector
	Arrays    Format = "npz" // an archive of arrays: vectors, ids, users and labels
	// A topic's values, which name their schema in a registry. Avro is also a format of files with their schema.
	Avro     Format = "avro"
	Protobuf Format = "protobuf"
)

// Options are the settings of a Reader.
type Options struct {
	Limit     int // largest size of a document, in bytes
	Format    Format
	Delimiter Delimiter // 0: a comma for CSV, a tab for TSV
	Quote     Quote     // in CSV and TSV
	Ragged    bool      // rows of CSV and TSV may have more or fewer fields than the first
	Encoding  Encoding
	Columns   Columns  // for documents
	Dimension int      // of vectors, which take the place of texts; 0: documents have texts
	Names     []string // files of names, one for each input, which then must be an Array; empty: none
	Cells     *Cells   // for rows that are not documents; nil: documents
	Registry  registry.URL
	KeyFormat KeyFormat // of messages

	around    Columns    // the Columns of keys and headers; Columns has only the others
	described *described // reads values and keys that name a schema; nil: none do
}

// comment returns the character that begins a CSV line that is no record; 0: none.
func (o *Options) comment() rune {
	if o.Cells == nil {
		return 0
	}
	return rune(o.Cells.Comment)
}

// A Reader returns the chunks of several inputs, in order.
type Reader struct {
	Options
	ctx    context.Context
	inputs []input
	lines  *lines    // of the current input
	table  *table    // for CSV, once its first record is read
	rows   parsed    // of the current input, if it is Parquet or of NumPy
	topic  *messages // the current input, if it is a topic of messages
	read   *atomic.Int64
	close  func() error
	left   map[string][]string // files in folders that are left out, by kind
	// replaced counts U+FFFD in place of bytes outside the encoding.
	replaced atomic.Int64
}

type input struct {
	path   string
	id     string // for a text file
	format Format
	names  string // file of names, for an Array; empty: none
}

// parsed are the rows of a file that needs no parser of text.
type parsed interface {
	next() (Chunk, error) // io.EOF after the last
	close() error
}

// NewReader returns a Reader for the named inputs, or for standard input if no input is named. A folder stands for the
// files below it, in lexical order. With ByName these are the files with known extensions (also compressed). With any
// other format they are all files except hidden ones. A text file's id is its path, relative to the folder if a folder
// was named.
func NewReader(ctx context.Context, names []string, o Options) (*Reader, error) {
	if len(names) == 0 {
		names = []string{endpoint.Stdio}
	}
	r := &Reader{ctx: ctx, Options: o, read: new(atomic.Int64), left: make(map[string][]string)}
	if len(o.Names) > 0 && len(o.Names) != len(names) {
		return nil, exit.Errorf(exit.Usage, "%d --ids for %d inputs: each input needs its own", len(o.Names),
			len(names))
	}
	for i, path := range names {
		info, err := os.Stat(path)
		if path != endpoint.Stdio && err == nil && info.IsDir() {
			if err := r.addFolder(path); err != nil {
				return nil, err
			}
			continue
		}
		in := input{path: path, id: name.OfPath(path), format: r.Format}
		if path == endpoint.Stdio {
			in.id = ""
		}
		if r.Format == ByName {
			in.format = r.formatOf(path)
		}
		if len(o.Names) > 0 {
			in.names = o.Names[i]
		}
		r.inputs = append(r.inputs, in)
	}
	for _, in := range r.inputs {
		if len(o.Names) > 0 && (in.format != Array || in.names == "") {
			return nil, exit.Errorf(exit.Usage, "%s: only a .npy file has its ids in a file of --ids", in.path).
				WithHint("other formats have ids of their own")
		}
	}
	if err := r.dated(); err != nil {
		return nil, err
	}
	if err := r.describe(ctx); err != nil {
		return nil, err
	}
	return r, r.distinct()
}

// dated refuses inputs whose documents have no date, if dates are wanted.
func (r *Reader) dated() error {
	for _, in := range r.inputs {
		if (in.format == TextFile || in.format == Lines) && !r.Columns.lacks(roleDate) &&
			!isOfMessage(r.Columns[roleDate]) {
			return exit.Errorf(exit.Usage, "%s: a plain text has no date, which --date wants", in.path).
				WithHint("JSON Lines, CSV, TSV, Parquet and mail have one; --format says what the file is")
		}
	}
	return nil
}

// distinct refuses a file that is an input twice, since its documents would count twice. A link to a file counts as the
// file. It also refuses two text files with the same id.
func (r *Reader) distinct() error {
	paths, ids := make(map[any]string), make(map[string]string)
	for _, in := range r.inputs {
		is := identity(r.ctx, in.path)
		if other, again := paths[is]; again {
			err := exit.Errorf(exit.Usage, "%s is an input twice", in.path)
			if filepath.Clean(other) != filepath.Clean(in.path) {
				err = exit.Errorf(exit.Usage, "%s and %s are one file, which is an input twice", other, in.path)
			}
			return err.WithHint("its documents would count twice; of patterns and folders, name those that have no " +
				"file in common")
		}
		paths[is] = in.path
		if in.format != TextFile || in.id == "" {
			continue
		}
		if other, again := ids[in.id]; again {
			return exit.Errorf(exit.Usage,
				"%s and %s would be documents of one id, their path in the folder that is named", other, in.path).
				WithHint("name the folder above both")
		}
		ids[in.id] = in.path
	}
	return nil
}

// identity returns a value that all names of one regular file share, its device and inode. Other inputs are identified
// by their own name.
func identity(ctx context.Context, name string) any {
	info, err := endpoint.Stat(ctx, name)
	if err == nil && info.Mode().IsRegular() {
		if system, ok := info.Sys().(*syscall.Stat_t); ok {
			return [2]uint64{uint64(system.Dev), system.Ino}
		}
	}
	return filepath.Clean(name)
}

// formatOf returns a file's format by its extension. For rows, a text is taken for a table, and for vectors for JSON
// Lines.
func (o *Options) formatOf(name string) Format {
	format := o.known(name)
	if o.Cells != nil {
		return cmp.Or(format, CSV)
	}
	return cmp.Or(format, JSONLines)
}

// known returns a file's format by its extension, "" if it is unknown or has other documents than are wanted.
func (o *Options) known(name string) Format {
	format := formatOf(name)
	texts, arrays := format == TextFile || format == Mail, format == Array || format == Arrays
	if texts && (o.Cells != nil || o.Dimension > 0) || arrays && o.Dimension == 0 {
		return ""
	}
	return format
}

// formatOf returns a file's format by its extension, "" if the extension is unknown.
func formatOf(name string) Format {
	name = strings.ToLower(name)
	suffix := filepath.Ext(name)
	if slices.Contains(plain.Suffixes, suffix) {
		suffix = filepath.Ext(strings.TrimSuffix(name, suffix))
	}
	return formats[suffix]
}

// formats are the file formats by extension, in small letters.
var formats = map[string]Format{
	".txt": TextFile, ".text": TextFile, ".html": TextFile, ".htm": TextFile, ".xhtml": TextFile,
	".jsonl": JSONLines, ".ndjson": JSONLines, ".jl": JSONLines, ".json": JSONLines,
	".csv": CSV, ".tsv": TSV, ".tab": TSV,
	".parquet": Parquet, ".parq": Parquet, ".pq": Parquet, ".eml": Mail, ".mbox": Mail, ".mbx": Mail,
	".npy": Array, ".npz": Arrays, ".avro": Avro,
}

// Measure makes the Reader add the number of bytes that it reads to read. It must be called before Next. It returns the
// inputs' total size in bytes, 0 if the size is unknown.
func (r *Reader) Measure(read *atomic.Int64) (total int64) {
	r.read = read
	for _, in := range r.inputs {
		size, known := endpoint.Size(r.ctx, in.path)
		if !known {
			return 0
		}
		total += size
	}
	return total
}

func (r *Reader) addFolder(root string) error {
	before := len(r.inputs)
	// With the separator, WalkDir follows a root that is a symbolic link to a folder.
	err := filepath.WalkDir(root+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		in := input{path: path, id: name.OfPath(below), format: r.known(path)}
		if r.Format != ByName {
			in.format = r.Format
			if hidden := strings.HasPrefix(entry.Name(), ".") && below != "."; hidden && entry.IsDir() {
				return fs.SkipDir
			} else if hidden {
				return nil
			}
		}
		if entry.IsDir() {
			return nil
		}
		// Beside rows and vectors, a text or a mail is taken for a README.
		if in.format == "" {
			kind := kindOf(path)
			r.left[kind] = append(r.left[kind], path)
			return nil
		}
		// A FIFO or a device in a folder is left out. It is read if it is named itself.
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return err
		}
		r.inputs = append(r.inputs, in)
		return nil
	})
	if err == nil && len(r.inputs) == before {
		err = exit.Errorf(exit.Missing,
			"%s: no file of a known extension in this folder, such as .txt, .jsonl, .csv or .parquet", root).
			WithHint("--format reads all its files in one format, whatever their names")
	}
	return err
}

// Next returns the next chunk, and false at the end. Its signature is what ordered.Map takes.
func (r *Reader) Next() (Chunk, bool, error) {
	for {
		if r.rows != nil {
			chunk, err := r.rows.next()
			if err == nil {
				return chunk, true, nil
			}
			r.rows.close()
			if r.rows = nil; err != io.EOF {
				return Chunk{}, false, err
			}
		}
		if r.topic != nil {
			chunk, err := r.topic.next()
			if err == nil {
				chunk.options = &r.Options
				return chunk, true, nil
			}
			r.topic.Close()
			if r.topic = nil; err != io.EOF {
				return Chunk{}, false, err
			}
		}
		if r.lines != nil {
			chunk, err := r.records()
			if err == nil {
				return chunk, true, nil
			}
			r.lines = nil
			if e := r.close(); err == io.EOF {
				err = e
			}
			if err != nil {
				return Chunk{}, false, err
			}
		}
		if len(r.inputs) == 0 {
			return Chunk{}, false, nil
		}
		in := r.inputs[0]
		r.inputs = r.inputs[1:]
		if ofMessages(in) {
			var err error
			if r.topic, err = openMessages(r.ctx, in, r.read); err != nil {
				r.topic = nil
				return Chunk{}, false, err
			}
			continue
		}
		if in.format == TextFile {
			chunk, err := r.file(in)
			return chunk, err == nil, err
		}
		if in.format == Parquet || in.format == Array || in.format == Arrays || in.format == Avro {
			var err error
			if r.rows, err = r.parsed(in); err != nil {
				r.rows = nil
				return Chunk{}, false, err
			}
			continue
		}
		opened, err := plain.OpenCounting(r.ctx, in.path, r.read)
		if err != nil {
			return Chunk{}, false, err
		}
		text := r.Encoding.reader(opened, &r.replaced)
		r.lines, r.close, r.table = newLines(text, opened.Name, in.format, &r.Options), opened.Close, nil
	}
}

// parsed opens a file that needs no parser of text.
func (r *Reader) parsed(in input) (parsed, error) {
	switch in.format {
	case Parquet:
		return newRows(in.path, &r.Options, r.read)
	case Avro:
		return newValues(r.ctx, in.path, &r.Options, r.read)
	case Array:
		return newArray(r.ctx, in, r.Dimension, r.read)
	}
	return newArrays(in.path, r.Dimension, r.read)
}

// records returns the next chunk of the current input.
func (r *Reader) records() (Chunk, error) {
	chunk, err := r.lines.next()
	for r.lines.isTable() && r.table == nil && (err == nil || err == io.EOF) {
		if r.Cells != nil && r.Cells.Headless {
			r.table = newHeadless(rune(r.lines.comma), r.lines.quote, &r.Options)
			break
		}
		again := err == nil
		if err = r.header(&chunk); again && errors.Is(err, errNoHead) {
			chunk, err = r.lines.next() // a slow pipe's first chunk had only empty lines and comments
		}
	}
	chunk.table, chunk.options, chunk.format = r.table, &r.Options, r.lines.format
	return chunk, err
}

// header removes the header from a CSV file's first chunk. The chunk is empty if the file is.
func (r *Reader) header(first *Chunk) error {
	fail := func(err error) error {
		return exit.Errorf(exit.Malformed, "%s: line %d: %w", r.lines.name, max(first.Line, 1), err).
			WithHint("%s", exit.Hint(err))
	}
	switch first.Fault {
	case nil:
	case ErrTooLong:
		return fail(errHeadTooLong)
	default:
		return fail(first.Fault)
	}
	t, n, err := newTable(first.Content, rune(r.lines.comma), r.lines.quote, &r.Options)
	if err != nil {
		return fail(err)
	}
	r.table = t
	first.Line += bytes.Count(first.Content[:n], []byte{'\n'})
	first.Content = first.Content[n:]
	return nil
}

// file reads a text file as one document.
func (r *Reader) file(in input) (Chunk, error) {
	chunk := Chunk{Name: in.path, ID: in.id}
	opened, err := plain.OpenCounting(r.ctx, in.path, r.read)
	if err == nil {
		defer opened.Close()
		text := r.Encoding.reader(opened, &r.replaced)
		chunk.Content, err = io.ReadAll(io.LimitReader(text, int64(min(r.Limit, math.MaxInt-1))+1))
		if len(chunk.Content) <= r.Limit {
			chunk.Content = r.Encoding.html(chunk.Content, &r.replaced)
		}
		lineEnds(chunk.Content)
	}
	if exit.Code(err) == exit.Malformed {
		chunk.Content, chunk.Err, err = nil, err, nil // the fault is only this document's
	}
	if len(chunk.Content) > r.Limit {
		chunk.Content, chunk.Fault = nil, ErrTooLong
	}
	return chunk, err
}

// knownKinds are the extensions that a message may show. Other extensions may be parts of names.
var knownKinds = strings.Fields(".bak .bib .bin .c .cfg .conf .css .dat .db .doc .docx .epub .gif .go .gz .ini " +
	".jpeg .jpg .js .lock .log .md .mp3 .mp4 .odp .ods .odt .pdf .php .pickle .pkl .png .ppt .pptx .ps .py .rst .rtf " +
	".sh .sql .sqlite .svg .tar .tex .tgz .tmp .toml .wav .xls .xlsx .xml .yaml .yml .zip")

// kindOf is the extension that a message shows for a file that is left out, or "others".
func kindOf(path string) string {
	suffix := strings.ToLower(filepath.Ext(path))
	if !slices.Contains(knownKinds, suffix) {
		return "others"
	}
	return suffix
}

// Left returns the files in folders that are left out. They are grouped by extension, or as "others".
func (r *Reader) Left() map[string][]string { return r.left }

// Replaced returns how often U+FFFD took the place of bytes outside the encoding.
func (r *Reader) Replaced() int64 { return r.replaced.Load() }
