package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/tokenize/internal/source"
)

// files are the files that a command reads, and the flags that no format changes.
type files struct {
	Delimiter   source.Delimiter `placeholder:"CHARACTER" help:"Character between the fields of CSV: a comma by default, a tab (or the word tab) in TSV. Spreadsheets write semicolons where the comma is the decimal sign."`
	MaxDocument filter.Size      `default:"64MiB" help:"Refuse a larger document as malformed."`
	Inputs      []string         `arg:"" optional:"" help:"Files, folders and patterns of files; standard input by default."`
	filter.Stamps
}

// textFormat are the flags about the form of texts.
type textFormat struct {
	Format  source.Format  `enum:"auto,jsonl,text,csv,tsv,parquet" default:"auto" help:"Format of the inputs: ${enum}. auto goes by the extension (.txt, .csv, .tsv, .parquet) and reads other files, and standard input, as JSON Lines. In a folder, auto reads the files with these extensions and .jsonl; any other format reads all files except hidden ones."`
	Columns source.Columns `aliases:"column" placeholder:"ROLE=NAME,…" help:"Name the columns, or members of JSON Lines, that are not called text, id, user and label: text=body,id=post_id. A single name is that of the text: --column body."`
}

// inputs are the flags of the commands that read texts, and the texts.
type inputs struct {
	textFormat
	files
}

// formatsHelp is the text of --help about inputs.
const formatsHelp = "A text of JSON Lines is a string, which is cut into words, or a list of strings, each of which is a word as it is, except for its case. " +
	"The first row of CSV names its columns; columns other than text, id, user and label are ignored. Fields are quoted " +
	"as in RFC 4180, in a .tsv too, and may hold newlines. A record has at most 65,536 fields. An empty id counts as no id. A field whose opening quote is never closed " +
	"swallows the rows after it. So the program that writes the file must quote every field with a quote in it. --on-error skip " +
	"does not skip a broken quote. Parquet has the same columns, of strings or integers; a column of lists of strings has tokens. It is read " +
	"from its end, so it must be a file, uncompressed or with Snappy, gzip or Zstandard inside."

func (f *files) Validate() error {
	f.Stamps.Apply()
	if f.MaxDocument < 1 {
		return fmt.Errorf("--max-document must be at least 1, is %d", f.MaxDocument)
	}
	return nil
}

// names are the names of the inputs. A pattern that no file has as its name stands for the files that it matches, as a shell
// would have it; so patterns also work in units of systemd and in --config.
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
func (f *files) reader(o source.Options) (*source.Reader, error) {
	o.Limit, o.Delimiter = int(min(f.MaxDocument, math.MaxInt)), f.Delimiter
	return source.NewReader(f.names(), o)
}

// open returns the reader of texts.
func (t *textFormat) open(f files) (*source.Reader, error) {
	return f.reader(source.Options{Format: t.Format, Columns: t.Columns})
}
