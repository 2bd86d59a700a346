package command

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/name"
	"privpipe/tokenize/internal/source"
)

// onError are the flags for malformed documents.
type onError struct {
	OnError string `enum:"stop,skip" default:"stop" help:"Stop at a malformed document or skip it: ${enum}. The end record of the output counts skipped documents. A message says that documents were skipped; with --private-logs it gives the number, and file, line and rule of the first ten."`
	Skipped string `output:"" placeholder:"FILE" help:"Write file, line and rule of each skipped document to FILE, as JSON Lines. The list is private: only the owner of FILE can read it."`
}

func (o *onError) Validate() error {
	switch {
	case o.Skipped != "" && o.OnError != "skip":
		return errors.New("--skipped needs --on-error skip")
	case o.Skipped != "" && endpoint.IsStdout(o.Skipped):
		return errors.New("--skipped must name a file: standard output is for records")
	}
	return nil
}

// skipped says where a malformed document is and which rule it breaks. It quotes nothing from the document.
type skipped struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Row  int    `json:"row,omitempty"` // of Parquet; without Line and Row, the file is the document
	// Offset is a message's offset. File then names the message's topic and partition.
	Offset *int64 `json:"offset,omitempty"`
	Error  string `json:"error"`
}

func newSkipped(chunk source.Chunk, number int, err error) skipped {
	s := skipped{File: name.OfPath(chunk.Name), Error: strings.TrimPrefix(err.Error(), chunk.Name+": ")}
	switch m := chunk.Message(number); {
	case m != nil:
		s.File, s.Offset = m.Partition, &m.Offset
	case chunk.Unit() == "row":
		s.Row = number
	default:
		s.Line = number
	}
	return s
}

func (s skipped) String() string {
	if s.Offset != nil {
		return atOffset(s.File, *s.Offset) + ": " + s.Error
	}
	if s.Row > 0 {
		return where(s.File, "row", s.Row) + ": " + s.Error
	}
	return where(s.File, "line", s.Line) + ": " + s.Error
}

// mostReported is the largest number of skipped documents that messages name.
const mostReported = 10

// skipReport reports skipped documents to the log and to the --skipped file, if the user asked for them.
type skipReport struct {
	run  *filter.Run
	file *endpoint.Output // nil without --skipped
	list *bufio.Writer
	n    int
}

func (o *onError) newSkipReport(r *filter.Run) (*skipReport, error) {
	t := &skipReport{run: r}
	if o.Skipped == "" {
		return t, nil
	}
	var err error
	if t.file, err = endpoint.Create(r, o.Skipped, wire.Side_PRIVATE); err == nil {
		t.list = bufio.NewWriter(t.file)
	}
	return t, err
}

// abort discards an incomplete list.
func (t *skipReport) abort() {
	if t.file != nil {
		t.file.Abort()
	}
}

// add reports the next skipped documents, in the order of the inputs.
func (t *skipReport) add(documents []skipped) error {
	for _, s := range documents {
		if t.n++; t.n <= mostReported && t.run.Private() {
			t.run.Log.Warn("skipped " + s.String())
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

// end completes the list. The number of skipped documents is private, so it is logged only with --private-logs. A
// message may say that documents were skipped: a run with --on-error stop tells the same by its exit code.
func (t *skipReport) end() error {
	switch more := t.n - mostReported; {
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
