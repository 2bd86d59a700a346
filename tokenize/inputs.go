package main

import (
	"fmt"
	"math"

	"privpipe/pipelines/filter"
	"privpipe/tokenize/internal/source"
)

// inputs are the flags of the commands that read texts, and the texts.
type inputs struct {
	MaxDocument filter.Size `default:"64MiB" help:"A larger document is malformed."`
	Inputs      []string    `arg:"" optional:"" help:"Files and folders; standard input (JSON Lines) by default."`
}

func (i *inputs) Validate() error {
	if i.MaxDocument < 1 {
		return fmt.Errorf("--max-document must be at least 1, is %d", i.MaxDocument)
	}
	return nil
}

// open returns the reader of the inputs.
func (i *inputs) open() (*source.Reader, error) {
	return source.NewReader(i.Inputs, int(min(i.MaxDocument, math.MaxInt)))
}
