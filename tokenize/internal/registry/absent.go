//go:build pipes

package registry

import (
	"context"

	"privpipe/pipelines/exit"
)

// A Client is what this program lacks.
type Client struct{}

// errAbsent refuses any URL.
var errAbsent error = exit.Errorf(exit.Usage,
	"this program has no client for registries: it was built with -tags pipes, "+
		"for files and pipes only")

// New refuses a registry.
func New(URL) (*Client, error) { return nil, errAbsent }

// ByID is never called.
func (*Client) ByID(context.Context, int32) (Schema, error) { return Schema{}, errUnknown }

// ByVersion is never called.
func (*Client) ByVersion(context.Context, Reference) (Schema, error) { return Schema{}, errUnknown }
