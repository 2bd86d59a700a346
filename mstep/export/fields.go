package export

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/npy"
	"privpipe/pipelines/vocabulary"
)

// fieldWriter returns a function that writes the fields of models without topics. It returns nil if the format is for
// topics only.
func (c *Command) fieldWriter(f *modelfile.File) (func(io.Writer) error, error) {
	var write func(io.Writer, *modelfile.File, []model.Array) error
	switch c.Format {
	case "words":
		return vocabulary.Words(f.Words).Write, nil
	case "csv":
		write = writeFieldsCSV
	case "jsonl":
		write = writeFieldsJSON
	case "npz":
		write = writeFieldsNPZ
	default:
		return nil, nil
	}
	if c.Values != "lambda" {
		return nil, exit.Errorf(exit.Usage, "--values belongs to topics, and a model of %s has none", f.Family.Name)
	}
	arrays, err := f.Family.Arrays(f.Set, f.Size)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", f.Name, err)
	}
	return func(w io.Writer) error { return write(w, f, arrays) }, nil
}

// writeFieldsCSV writes a line for each cell. A row or column over words is named by its word, and others are numbered
// from 0. If there is only one row or column, its place is empty.
func writeFieldsCSV(w io.Writer, f *modelfile.File, arrays []model.Array) error {
	place := func(d model.Dimension, i int) string {
		switch d {
		case model.One:
			return ""
		case model.Words:
			return f.Words[i]
		}
		return strconv.Itoa(i)
	}
	out := csv.NewWriter(w)
	if err := out.Write([]string{"field", "row", "column", "value"}); err != nil {
		return err
	}
	for _, a := range arrays {
		columns := a.Columns.Of(f.Size)
		for i, x := range a.Cells {
			line := []string{a.Name, place(a.Rows, i/columns), place(a.Columns, i%columns),
				strconv.FormatFloat(x, 'g', -1, 64)}
			if err := out.Write(line); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// writeFieldsJSON writes the words and each field as an object: its name, its shape and its values, row by row.
func writeFieldsJSON(w io.Writer, f *modelfile.File, arrays []model.Array) error {
	type object struct {
		Field  string `json:"field"`
		Shape  []int  `json:"shape"`
		Values any    `json:"values"`
	}
	out := json.NewEncoder(w)
	if err := out.Encode(object{"words", []int{len(f.Words)}, f.Words}); err != nil {
		return err
	}
	for _, a := range arrays {
		if err := out.Encode(object{a.Name, shape(f, a), a.Cells}); err != nil {
			return err
		}
	}
	return nil
}

// writeFieldsNPZ writes an array for each field, and the words.
func writeFieldsNPZ(w io.Writer, f *modelfile.File, arrays []model.Array) error {
	out := npy.NewArchive(w)
	for _, a := range arrays {
		if err := out.Floats(a.Name, a.Cells, shape(f, a)...); err != nil {
			return err
		}
	}
	if err := out.Strings("words", f.Words); err != nil {
		return err
	}
	return out.Close()
}

// shape is a field's shape without the dimensions that are always 1. A number has the shape [].
func shape(f *modelfile.File, a model.Array) []int {
	all := []int{}
	for _, d := range []model.Dimension{a.Rows, a.Columns} {
		if d != model.One {
			all = append(all, d.Of(f.Size))
		}
	}
	return all
}
