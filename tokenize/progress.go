package main

import (
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/tokenize/internal/source"
)

// show shows on a terminal how much of the input is read, and how many documents were in it.
func show(r *filter.Run, output string, in *source.Reader) *progress.Meter {
	meter := newMeter()
	meter.Total.Store(in.Measure(&meter.Done))
	r.Show(output, meter.Line)
	return meter
}

func newMeter() *progress.Meter { return &progress.Meter{Name: "tokenize", Unit: progress.Bytes} }
