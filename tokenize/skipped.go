package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/source"
)

// onError are the flags of what becomes of malformed documents.
type onError struct {
	OnError string `enum:"stop,skip" default:"stop" help:"What to do at a malformed document: ${enum}. Skipped ones are counted in the output's end record. Messages tell that there were some; with --private-logs also how many, and file, line and rule of the first ten."`
	Skipped string `placeholder:"FILE" help:"Write file, line and rule of each skipped document to FILE, as JSON Lines. They are private, so FILE is its owner's alone."`
}

func (o *onError) Validate() error {
	switch {
	case o.Skipped != "" && o.OnError != "skip":
		return errors.New("--skipped needs --on-error skip")
	case o.Skipped == endpoint.Stdio:
		return errors.New("--skipped must name a file: standard output is for records")
	}
	return nil
}

// distinct refuses a list of what was skipped in the place of the output or of an input.
func (o *onError) distinct(output string, inputs []string) error {
	if o.Skipped == "" {
		return nil
	}
	list, err := filepath.Abs(o.Skipped)
	if err != nil {
		return err
	}
	if output, err := filepath.Abs(output); err == nil && list == output {
		return exit.Errorf(exit.Usage, "--skipped %s is also the output", o.Skipped)
	}
	return endpoint.Distinct(o.Skipped, inputs...)
}

// A skipped document is one that is malformed: where it is, and which rule it breaks. It quotes nothing of it.
type skipped struct {
	File  string `json:"file"`
	Line  int    `json:"line,omitempty"` // 0: the file is the document
	Error string `json:"error"`
}

func newSkipped(chunk source.Chunk, line int, err error) skipped {
	return skipped{chunk.Name, line, strings.TrimPrefix(err.Error(), chunk.Name+": ")}
}

// mostTold is how many skipped documents messages tell.
const mostTold = 10

// teller says which documents were skipped, where the user asked for it.
type teller struct {
	run  *filter.Run
	file *endpoint.Output // nil: nobody asked for a list
	list *bufio.Writer
	n    int
}

func (o *onError) newTeller(r *filter.Run) (*teller, error) {
	t := &teller{run: r}
	if o.Skipped == "" {
		return t, nil
	}
	var err error
	if t.file, err = endpoint.Create(o.Skipped, wire.Side_PRIVATE); err == nil {
		t.list = bufio.NewWriter(t.file)
	}
	return t, err
}

// abort leaves no list behind, unless it is complete.
func (t *teller) abort() {
	if t.file != nil {
		t.file.Abort()
	}
}

// tell takes the next skipped documents, in the order of the inputs.
func (t *teller) tell(documents []skipped) error {
	for _, s := range documents {
		if t.n++; t.n <= mostTold && t.run.Private() {
			t.run.Log.Warn("skipped " + where(s.File, s.Line) + ": " + s.Error)
		}
		if t.file == nil {
			continue
		}
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if _, err := t.list.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// end completes the list. How many were skipped depends on private data. That some were is told as well by a run that stops.
func (t *teller) end() error {
	switch more := t.n - mostTold; {
	case t.n > 0 && !t.run.Private():
		t.run.Log.Warn("malformed documents were skipped; --skipped FILE lists them")
	case more > 0 && t.run.Private():
		t.run.Log.Warn(fmt.Sprintf("skipped %d more; --skipped FILE lists all", more))
	}
	if t.file == nil {
		return nil
	}
	if err := t.list.Flush(); err != nil {
		return err
	}
	return t.file.Commit()
}
