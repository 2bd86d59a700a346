// Package result prints what a command of evaluate found.
package result

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"text/tabwriter"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
)

// Flags say how a result is printed, and where. A command that embeds them names its text with set:"form=a table".
type Flags struct {
	JSON   bool   `name:"json" help:"Print JSON instead of ${form}."`
	Output string `short:"o" placeholder:"FILE" help:"Write the result to FILE; standard output by default."`
}

// A Result is what a command found: a value for JSON, and a function that writes the value as text. Tabs in the text
// separate columns.
type Result struct {
	JSON any
	Text func(w io.Writer)
}

// Print prints a result as the flags say. The result is as private as side.
func (f *Flags) Print(ctx context.Context, side wire.Side, r *Result) error {
	var b bytes.Buffer
	var err error
	if f.JSON {
		err = json.NewEncoder(&b).Encode(r.JSON)
	} else {
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		r.Text(w)
		err = w.Flush()
	}
	if err != nil {
		return err
	}
	return Write(ctx, side, f.Output, b.Bytes())
}

// Write writes text that is as private as side. Only the owner can read a file of private numbers. Standard output
// shows them.
func Write(ctx context.Context, side wire.Side, name string, text []byte) error {
	name = cmp.Or(name, endpoint.Stdio)
	if name == endpoint.Stdio {
		side = wire.Side_PUBLIC
	}
	return endpoint.WriteFile(ctx, name, side, text)
}
