package event

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
)

// A Reader reads a ledger line by line and verifies each.
type Reader struct {
	in            *bufio.Reader
	name          string
	last          *Line
	size          int64
	torn, unended bool
}

// NewReader returns a reader of the lines after a mark. The zero mark is before the first line. name is for errors.
func NewReader(r io.Reader, name string, from Mark) *Reader {
	reader := &Reader{in: bufio.NewReaderSize(r, MaxLine), name: name, size: from.End}
	if from.Sequence > 0 {
		reader.last = &Line{Sequence: from.Sequence, Hash: from.Hash}
	}
	return reader
}

// Lines yields the lines, up to the end or to the first error. A line that is damaged, out of place, in another version
// or of unknown type is a *LedgerError. A last line that is whole except for its newline counts, because the newline
// may have been lost after a release, as in an editor.
func (r *Reader) Lines() iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		for {
			line, err := r.next()
			if err == io.EOF || !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// next returns io.EOF at the end.
func (r *Reader) next() (*Line, error) {
	number := 1
	if r.last != nil {
		number = r.last.Sequence + 1
	}
	b, err := r.in.ReadSlice('\n')
	switch err {
	case nil, io.EOF:
	case bufio.ErrBufferFull:
		return nil, &LedgerError{r.name, number, fmt.Errorf("longer than %d bytes", MaxLine)}
	default:
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	line, wrong := decodeLine(bytes.TrimSuffix(b, []byte("\n")), r.last)
	switch {
	case wrong != nil && err == io.EOF:
		r.torn = len(b) > 0
		return nil, io.EOF
	case wrong != nil:
		return nil, &LedgerError{r.name, number, wrong}
	}
	r.last, r.size, r.unended = line, r.size+int64(len(b)), err == io.EOF
	return line, nil
}

// ReadLedger reads and verifies a whole ledger: see Reader.Lines. An empty input is an empty ledger.
func ReadLedger(r io.Reader, name string) (*Ledger, error) {
	reader, ledger := NewReader(r, name, Mark{}), new(Ledger)
	for line, err := range reader.Lines() {
		if err != nil {
			return nil, err
		}
		ledger.Lines = append(ledger.Lines, line)
		end := reader.size
		if reader.unended {
			end++ // whoever appends writes the newline first
		}
		ledger.Marks.Add(line, end)
	}
	ledger.Size, ledger.Torn, ledger.Unended = reader.size, reader.torn, reader.unended
	return ledger, nil
}
