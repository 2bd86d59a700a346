package main

import (
	"io"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// readOne reads the one set of a model file or a checkpoint, to the end record: without that the file is truncated.
func readOne(in *endpoint.StreamReader, words func(*wire.Words)) (*stream.Set, error) {
	set, err := stream.ReadSet(in.Reader, words)
	if err == io.EOF {
		return nil, exit.Errorf(exit.Malformed, "%s: holds no parameters", in.Name())
	}
	if err != nil {
		return nil, err
	}
	if _, err := in.Next(); err == nil {
		return nil, exit.Errorf(exit.Malformed, "%s: holds parameters of several rounds, must be of one", in.Name())
	} else if err != io.EOF {
		return nil, err
	}
	return set, nil
}
