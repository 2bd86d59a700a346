package command

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/tokenize/internal/registry"
	"privpipe/tokenize/internal/source"
)

// files are the files that a command reads, and the flags that apply to all formats.
type files struct {
	Delimiter   source.Delimiter `placeholder:"CHARACTER" help:"Character between the fields of CSV: a comma by default, a tab (or the word tab) in TSV. Spreadsheets write semicolons where the comma is the decimal sign."`
	Quote       source.Quote     `enum:",csv,trust,none" default:"" placeholder:"csv|trust|none" help:"Say how fields of CSV and TSV are quoted: csv, the default of CSV, is RFC 4180, and refuses a quoted field with three lines in it that look like rows; trust takes such a field; none, the default of TSV, quotes no field, and \\t, \\n and \\\\ are a tab, a newline and a backslash."`
	Ragged      bool             `help:"Read rows of CSV and TSV with fewer fields than the first row, whose last fields are empty, and with more, of which the last are left out. By default they are malformed. Without quotes, ids and users must come before the text."`
	Encoding    source.Encoding  `default:"auto" placeholder:"NAME" help:"Convert files from this encoding: windows-1252, iso-8859-2, shift_jis or another name of the WHATWG or IANA. auto, the default, is UTF-8, or UTF-16 and UTF-32 by their byte order mark."`
	MaxDocument filter.Size      `default:"64MiB" help:"Refuse a larger document as malformed."`
	Registry    registry.URL     `name:"schema-registry" placeholder:"URL" help:"Ask the schema registry at URL for the schemas of messages: https://HOST[:PORT][/PATH], the protocol of Confluent. PRIVPIPE_SCHEMA_REGISTRY_CONFIG names a file with its password and TLS settings (the runbook of Kafka)."`
	KeyFormat   source.KeyFormat `enum:"text,json,avro,protobuf" default:"text" help:"Read the keys of messages as ${enum} (default text), for columns such as user=:key.id."`
	Inputs      []string         `arg:"" optional:"" help:"Files, folders and patterns of files; standard input by default."`
	filter.Stamps
}

// textFormat are the flags about the form of texts.
type textFormat struct {
	Format  source.Format  `enum:"auto,jsonl,text,lines,csv,tsv,mail,parquet,avro,protobuf" default:"auto" help:"Format of the inputs: ${enum}. auto goes by the extension (FORMATS.md lists them) and reads other files, and standard input, as JSON Lines. In a folder, auto reads the files with known extensions; any other format reads all files except hidden ones. With lines, each line is a document. avro is a file with its schema, or a topic with --schema-registry; protobuf is such a topic."`
	Columns source.Columns `aliases:"column" placeholder:"ROLE=NAME,…" help:"Name the columns, or members of JSON Lines, that are not called text, id, user and label: text=body,id=post_id. Several columns of the text are joined by a blank line: text=subject,body. A name a.b is also a path to b in a. user= means that no column is that of users. user=:key is the key of a message, :key.a.b a path in it, :header.NAME a header. Names without a role are those of the text: --column body."`
}

// inputs are the flags of the commands that read texts, and the texts.
type inputs struct {
	textFormat
	files
}

// formatsHelp is the text of --help about inputs.
const formatsHelp = "A text of JSON Lines is a string, which is cut into words, or a list of strings, each of which " +
	"is a word as it is, except for its case. The first row of CSV names its columns; columns other than text, id, " +
	"user and label are ignored. Fields of CSV are quoted as in RFC 4180, and may hold newlines; those of TSV are " +
	"not quoted. A record has at most 65,536 fields. An empty id counts as no id. A quote that an author wrote could " +
	"swallow the rows after it. So a quoted field is refused if it is never closed, or if three lines in it look " +
	"like rows. --on-error skip does not skip such a field. The text of a mail is its subject and body, and its user " +
	"the address that it is from. Parquet has the same columns, of strings or what CSV would spell out; a column of " +
	"lists of strings has tokens. It is read from its end, so it must be a file, uncompressed or with Snappy, gzip " +
	"or Zstandard inside."

func (f *files) Validate() error {
	if f.MaxDocument < 1 {
		return fmt.Errorf("--max-document must be at least 1, is %d", f.MaxDocument)
	}
	return nil
}

// names are the names of the inputs. If no file has the name of a pattern, the pattern stands for the files that it
// matches, as in a shell. So patterns also work in systemd units and in --config.
func (f *files) names() (names []string) {
	for _, name := range f.Inputs {
		matches, err := filepath.Glob(name)
		if _, missing := os.Lstat(name); missing == nil || err != nil || len(matches) == 0 {
			matches = []string{name}
		}
		names = append(names, matches...)
	}
	if len(names) == 0 {
		return []string{endpoint.Stdio}
	}
	return names
}

// reader returns the reader of the files.
func (f *files) reader(ctx context.Context, o source.Options) (*source.Reader, error) {
	o.Limit, o.Delimiter = int(min(f.MaxDocument, math.MaxInt)), f.Delimiter
	o.Quote, o.Ragged, o.Encoding = f.Quote, f.Ragged, f.Encoding
	o.Registry, o.KeyFormat = f.Registry, f.KeyFormat
	return source.NewReader(ctx, f.names(), o)
}

// open returns the reader of texts.
func (t *textFormat) open(ctx context.Context, f files) (*source.Reader, error) {
	return f.reader(ctx, source.Options{Format: t.Format, Columns: t.Columns})
}
