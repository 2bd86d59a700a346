// Package print writes answers: numbers rounded to the safe side, tables, and JSON.
package print

import (
	"bytes"
	"encoding/json"
	"strconv"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// Flags say how and where an answer is written.
type Flags struct {
	JSON   bool   `name:"json" help:"Print JSON, not a table."`
	Output string `short:"o" placeholder:"FILE" help:"Write the answer here; standard output by default."`
}

// A Run says whether a command only checks its input (--dry-run).
type Run interface{ DryRun() bool }

// Print writes an answer: v as JSON on one line, or its table.
func (p Flags) Print(r Run, v any, table func(*bytes.Buffer)) error {
	return p.write(r, v, "", table)
}

// Indented is Print with JSON that has each member on its own line.
func (p Flags) Indented(r Run, v any, table func(*bytes.Buffer)) error {
	return p.write(r, v, "  ", table)
}

func (p Flags) write(r Run, v any, indent string, table func(*bytes.Buffer)) error {
	if r.DryRun() {
		return nil
	}
	content, err := p.Content(v, indent, table)
	if err != nil {
		return err
	}
	return endpoint.WriteFile(p.Output, wire.Side_PUBLIC, content)
}

// Content returns the bytes that Print writes.
func (p Flags) Content(v any, indent string, table func(*bytes.Buffer)) ([]byte, error) {
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

// Quoted quotes a name that is not a valid name, such as one from a forged ledger. So the name cannot imitate cells or
// lines of the table.
func Quoted(name string) string {
	if event.CheckName(name) != nil {
		return strconv.Quote(name)
	}
	return name
}
