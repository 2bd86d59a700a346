package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/bag"
)

// A uciReader reads the bag-of-words format of the UCI repository. The first three lines have the numbers of documents
// D, of words V and of pairs. Each further line is one pair: "document word count". Numbers begin at 1, and documents
// ascend. Documents without a pair are empty documents. The document numbers only group the pairs. They are not names,
// because removing one document renumbers all documents after it.
type uciReader struct {
	in        *bufio.Reader
	name      string
	line      int
	documents int // D
	words     int // V
	pairs     int // number of pairs left to read
	next      int // number of the document that Next returns, from 1
	held      uciPair
	have      bool // held was read, but is not yet in a document
}

type uciPair struct{ document, word, count int }

// newUCIReader reads the three lines at the start. words is the size of the vocabulary. It must equal the file's size,
// because the ids mean other words in another vocabulary.
func newUCIReader(in io.Reader, name string, words int) (*uciReader, error) {
	r := &uciReader{in: bufio.NewReaderSize(in, 1<<16), name: name, next: 1}
	for _, field := range []*int{&r.documents, &r.words, &r.pairs} {
		n, err := r.numbers(1)
		if err == io.EOF {
			return nil, r.errorf("file ends before its three lines of sizes")
		}
		if err != nil {
			return nil, err
		}
		*field = n[0]
	}
	if r.words != words {
		return nil, r.errorf("file is over a vocabulary of %d words, but the one given has %d: name the file's own",
			r.words, words)
	}
	return r, nil
}

func (r *uciReader) errorf(format string, args ...any) error {
	return exit.Errorf(exit.Malformed, "%s: line %d: %w", r.name, r.line, fmt.Errorf(format, args...))
}

// Next returns the next document, without an id, or io.EOF.
func (r *uciReader) Next() (*wire.Document, error) {
	if r.next > r.documents {
		if r.have || r.pairs > 0 {
			return nil, r.errorf("pairs, but no documents")
		}
		return nil, r.trailing()
	}
	var pairs []uciPair
	for {
		if !r.have {
			if err := r.pair(); err == io.EOF {
				break
			} else if err != nil {
				return nil, err
			}
		}
		if r.held.document != r.next {
			break
		}
		if len(pairs) == r.words {
			return nil, r.errorf("the document of this line has a word twice") // and needs no more memory
		}
		pairs = append(pairs, r.held)
		r.have = false
	}
	d := new(wire.Document)
	r.next++
	return d, r.fill(d, pairs)
}

// trailing returns io.EOF if nothing but white space is left.
func (r *uciReader) trailing() error {
	if _, err := r.numbers(3); err != io.EOF {
		if err == nil {
			err = r.errorf("more pairs than the file announces")
		}
		return err
	}
	return io.EOF
}

// pair reads the next pair into held.
func (r *uciReader) pair() error {
	if r.pairs == 0 {
		return io.EOF
	}
	n, err := r.numbers(3)
	if err == io.EOF {
		return r.errorf("file ends before the pairs that it announces")
	}
	if err != nil {
		return err
	}
	r.pairs--
	p := uciPair{n[0], n[1], n[2]}
	switch {
	case p.document < r.next:
		return r.errorf("document number is not ascending, or below 1")
	case p.document > r.documents:
		return r.errorf("document number exceeds the number of documents in line 1")
	case p.word < 1 || p.word > r.words:
		return r.errorf("word number must be in [1, %d]", r.words)
	case p.count < 1 || p.count > wire.MaxTokens:
		return r.errorf("count must be in [1, %d]", wire.MaxTokens)
	}
	r.held, r.have = p, true
	return nil
}

// fill makes d's bag from pairs. Their words may be in any order.
func (r *uciReader) fill(d *wire.Document, pairs []uciPair) error {
	slices.SortFunc(pairs, func(a, b uciPair) int { return a.word - b.word })
	tokens, last := 0, 0
	for _, p := range pairs {
		if p.word == last {
			return r.errorf("the document before this line has a word twice")
		}
		gap := p.word - last
		if last == 0 {
			gap-- // numbers begin at 1, ids at 0
		}
		d.WordGaps = append(d.WordGaps, uint32(gap))
		d.Counts = append(d.Counts, uint32(p.count))
		tokens += p.count
		last = p.word
	}
	if tokens > wire.MaxTokens {
		return r.errorf("the document before this line has more than %d words", wire.MaxTokens)
	}
	if err := bag.CheckSize(d); err != nil {
		return r.errorf("before this line: %w", err)
	}
	return nil
}

// numbers reads a line with n decimal numbers. Empty lines count as lines but are skipped. It returns io.EOF at the
// end.
func (r *uciReader) numbers(n int) ([3]int, error) {
	var values [3]int
	for {
		b, err := r.in.ReadSlice('\n')
		if len(b) == 0 && err != nil {
			if errors.Is(err, io.EOF) {
				return values, io.EOF
			}
			return values, fmt.Errorf("%w (at line %d)", err, r.line+1)
		}
		r.line++
		if err == bufio.ErrBufferFull {
			return values, r.errorf("longer than any line of this format")
		}
		if err != nil && err != io.EOF {
			return values, fmt.Errorf("%w (at line %d)", err, r.line)
		}
		found, ok := parseUCI(b, &values)
		if !ok || (found != 0 && found != n) {
			return values, r.errorf("must have %d decimal numbers", n)
		}
		if found == n {
			return values, nil
		}
	}
}

// parseUCI reads up to three whole numbers separated by blanks. A number may have zeros after a point. For anything
// else, ok is false.
func parseUCI(b []byte, values *[3]int) (found int, ok bool) {
	inside, zeros := false, false
	for _, c := range b {
		switch {
		case zeros && c == '0':
		case inside && !zeros && c == '.':
			zeros = true
		case zeros && c >= '1' && c <= '9':
			return 0, false
		case c >= '0' && c <= '9':
			if !inside {
				if found == 3 {
					return 0, false
				}
				inside = true
				found++
				values[found-1] = 0
			}
			v := &values[found-1]
			if *v > (math.MaxInt32-9)/10 {
				return 0, false
			}
			*v = *v*10 + int(c-'0')
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			inside, zeros = false, false
		default:
			return 0, false
		}
	}
	return found, true
}
