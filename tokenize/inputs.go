package main

import (
	"fmt"
	"math"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/tokenize/internal/source"
)

// inputs are the flags of the commands that read texts, and the texts.
type inputs struct {
	Format      source.Format  `enum:"auto,jsonl,text,csv,tsv" default:"auto" help:"What the inputs are: ${enum}; auto goes by the name, .txt, .csv or .tsv, and takes others for JSON Lines. Of a folder, auto takes the files of these names and .jsonl, and another format all files but hidden ones."`
	Columns     source.Columns `placeholder:"ROLE=NAME,…" help:"The columns of CSV, or members of JSON Lines, that have other names than text, id, user and label, as text=body,id=post_id."`
	MaxDocument filter.Size    `default:"64MiB" help:"A larger document is malformed."`
	Inputs      []string       `arg:"" optional:"" help:"Files and folders; standard input (JSON Lines, or by --format) by default."`
}

// formatsHelp is what --help says of inputs.
const formatsHelp = "The first row of CSV names its columns; others than text, id, user and label are ignored. Fields are quoted as in " +
	"RFC 4180, in a .tsv too, and may hold newlines. An empty id is none. Whoever makes the file must quote its fields: one with a " +
	"quote and no end takes the rows behind it in, which are then no documents of their own. A broken quote is never skipped."

func (i *inputs) Validate() error {
	if i.MaxDocument < 1 {
		return fmt.Errorf("--max-document must be at least 1, is %d", i.MaxDocument)
	}
	return nil
}

// names are those of the inputs.
func (i *inputs) names() []string {
	if len(i.Inputs) == 0 {
		return []string{endpoint.Stdio}
	}
	return slices.Clone(i.Inputs)
}

// open returns the reader of the inputs.
func (i *inputs) open() (*source.Reader, error) {
	limit := int(min(i.MaxDocument, math.MaxInt))
	return source.NewReader(i.names(), source.Options{Limit: limit, Format: i.Format, Columns: i.Columns})
}
