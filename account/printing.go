package main

import (
	"bytes"
	"encoding/json"
	"errors"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
)

// printing is how an answer leaves a command.
type printing struct {
	JSON   bool   `name:"json" help:"Print JSON, not a table."`
	Output string `short:"o" placeholder:"FILE" help:"Where it goes; standard output by default."`
}

// A run says whether a command only checks its input.
type run interface{ DryRun() bool }

// print writes an answer: v as JSON on one line, or its table.
func (p printing) print(r run, v any, table func(*bytes.Buffer)) error {
	return p.write(r, v, "", table)
}

// printIndented is print with JSON on a line for each member.
func (p printing) printIndented(r run, v any, table func(*bytes.Buffer)) error {
	return p.write(r, v, "  ", table)
}

func (p printing) write(r run, v any, indent string, table func(*bytes.Buffer)) error {
	if r.DryRun() {
		return nil
	}
	content, err := p.content(v, indent, table)
	if err != nil {
		return err
	}
	return endpoint.WriteFile(p.Output, wire.Side_PUBLIC, content)
}

// content is what is written.
func (p printing) content(v any, indent string, table func(*bytes.Buffer)) ([]byte, error) {
	var b bytes.Buffer
	if !p.JSON {
		table(&b)
		return b.Bytes(), nil
	}
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// keeps refuses an output, or a summary, that is one of the inputs.
func keeps(output string, inputs ...string) error {
	return errors.Join(endpoint.Distinct(output, inputs...), endpoint.Distinct(cli.Summary, inputs...))
}
