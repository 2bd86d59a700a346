// Package print writes answers: numbers rounded to the safe side, tables, and JSON.
package print

import (
	"bytes"
	"context"
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
type Run interface {
	context.Context
	DryRun() bool
}

// An Answer is a value that has a JSON form, and a table for people.
type Answer interface{ Table(*bytes.Buffer) }

// Print writes an answer: as JSON on one line, or its table.
func (p Flags) Print(r Run, a Answer) error { return p.write(r, a, "") }

// Indented is Print with JSON that has each member on its own line.
func (p Flags) Indented(r Run, a Answer) error { return p.write(r, a, "  ") }

func (p Flags) write(r Run, a Answer, indent string) error {
	if r.DryRun() {
		return nil
	}
	content, err := p.Content(a, indent)
	if err != nil {
		return err
	}
	return endpoint.WriteFile(r, p.Output, wire.Side_PUBLIC, content)
}

// Content returns the bytes that Print writes.
func (p Flags) Content(a Answer, indent string) ([]byte, error) {
	var b bytes.Buffer
	if !p.JSON {
		a.Table(&b)
		return b.Bytes(), nil
	}
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	err := e.Encode(a)
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
