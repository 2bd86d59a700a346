package stream

import (
	"cmp"
	"errors"
	"fmt"
	"syscall"
)

// A FormatError says where a stream breaks the wire format, and how. It never quotes a record's content.
type FormatError struct {
	Name   string // the input's name: a path, "standard input"
	Unit   string // the unit of Offset: "byte"; "offset" in a topic
	Frame  int    // number of the frame, from 0
	Offset int64  // where the frame's first byte stands in the input, or its message in the topic
	Record int    // number of the record in the frame, from 0 (the header); -1: the frame itself
	Err    error
}

func (e *FormatError) Error() string {
	where := fmt.Sprintf("%s: frame %d at %s %d", e.Name, e.Frame, cmp.Or(e.Unit, "byte"), e.Offset)
	if e.Record >= 0 {
		where = fmt.Sprintf("%s, record %d", where, e.Record)
	}
	return where + ": " + e.Err.Error()
}

func (e *FormatError) Unwrap() error { return e.Err }

// ExitCode is the process's exit code for malformed input (see package filter).
func (e *FormatError) ExitCode() int {
	var below interface{ ExitCode() int }
	if errors.As(e.Err, &below) {
		return below.ExitCode() // the format is not at fault: the input itself failed
	}
	if errors.Is(e.Err, syscall.EIO) {
		return 101 // a disk that fails: another try may read it
	}
	return 90
}
