//go:build pipes

package schema

import (
	"context"

	"privpipe/pipelines/exit"
)

// newProtobuf is for a program without a network. A value of Protocol Buffers comes with a schema of a registry only,
// and the compiler of schemas would make tokenize a sixth larger.
func newProtobuf(context.Context, string, []imported, func(has func(path string) bool) error) (codec, error) {
	return nil, exit.Errorf(exit.Usage, "this program reads no Protocol Buffers: it was built with -tags pipes")
}
