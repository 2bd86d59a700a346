package view

import (
	"bufio"
	"io"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

type command struct {
	filter.Common
	Private bool   `help:"Show private records in full: ids, words, values. The output is then as private as the input."`
	Output  string `short:"o" placeholder:"FILE" help:"Write the lines to FILE; standard output by default."`
	Input   string `arg:"" optional:"" default:"-" help:"The stream to print; standard input by default."`
}

// Program is show.
var Program = filter.Program{
	Stage: filter.Stage{
		Name:    "show",
		Summary: "Print any stream as JSON Lines, an object for each record.",
		Example: "sample --poisson 0.05 --rounds 3 docs.pp | show",
		Notes: "Without --private, show prints only the kinds, rounds and schemes of private records. If a stream " +
			"breaks a rule, show prints the records before the fault, and the exit code reports the fault.",
	},
	New: func() filter.Commands { return new(command) },
}

// Run is kong's hook.
func (c *command) Run(r *filter.Run) error {
	if err := endpoint.Distinct(r, c.Output, c.Input); err != nil {
		return err
	}
	var all []wire.Kind
	for kind := range wire.Kind_name {
		all = append(all, wire.Kind(kind))
	}
	slices.Sort(all)
	in, h, err := endpoint.OpenStream(r, c.Input, endpoint.Wanted{Kinds: all, Values: true})
	if err != nil {
		return err
	}
	defer in.Close()
	if r.DryRun() {
		return nil
	}
	side := h.Side
	if !c.Private {
		side = wire.Side_PUBLIC // private content is omitted
	}
	name := c.Output
	if name == "" {
		name = endpoint.Stdio // text may go to a terminal
	}
	out, err := endpoint.Create(r, name, side)
	if err != nil {
		return err
	}
	defer out.Abort()
	lines := bufio.NewWriter(out)
	err = write(lines, New(h, c.Private), in)
	if flushed := lines.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

func write(out io.Writer, v Viewer, in *endpoint.StreamReader) error {
	line := func(b []byte, err error) error {
		if err != nil {
			return err
		}
		_, err = out.Write(append(b, '\n'))
		return err
	}
	if err := line(v.Header()); err != nil {
		return err
	}
	records := uint64(0)
	for {
		record, err := in.Next()
		if err == io.EOF {
			return line(v.End(records, in.Tallies()))
		}
		if err == nil {
			err = line(v.Record(record))
		}
		if err != nil {
			return err
		}
		records++
	}
}
