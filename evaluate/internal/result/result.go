// Package result writes what a command of evaluate found.
package result

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
)

// Text writes output that comes from public data. The output may go to a terminal.
func Text(ctx context.Context, name string, text []byte) error {
	return TextOf(ctx, wire.Side_PUBLIC, name, text)
}

// TextOf is Text for data of the given side. Only the owner can read a file of private numbers. Standard
// output shows them.
func TextOf(ctx context.Context, side wire.Side, name string, text []byte) error {
	name = cmp.Or(name, endpoint.Stdio)
	if name == endpoint.Stdio {
		side = wire.Side_PUBLIC
	}
	return endpoint.WriteFile(ctx, name, side, text)
}

// Print writes a value as JSON or as a table. The output is as private as the side says.
func Print(ctx context.Context, side wire.Side, name string, asJSON bool, value any,
	table func(*bytes.Buffer) error) error {
	var b bytes.Buffer
	var err error
	if asJSON {
		err = json.NewEncoder(&b).Encode(value)
	} else {
		err = table(&b)
	}
	if err != nil {
		return err
	}
	return TextOf(ctx, side, name, b.Bytes())
}
