package main

import (
	"errors"

	"privpipe/pipelines/endpoint"
)

// keeps refuses an output, or a summary, that is one of the inputs.
func keeps(output string, inputs ...string) error {
	return errors.Join(endpoint.Distinct(output, inputs...), endpoint.Distinct(cli.Summary, inputs...))
}
