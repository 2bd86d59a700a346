package source

import (
	"bytes"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// A Chunk is a run of documents that one worker takes: whole lines of a JSON Lines file, or one text file.
type Chunk struct {
	Name string // of the file
	// Line is the number of the first line, from 1. 0: the content is one document, whose id is ID.
	Line    int
	ID      string
	Content []byte
	// TooLong says that a line or a file exceeds the limit: Content is empty.
	TooLong bool
}

// Lines gives the lines of a chunk that are not blank, with their numbers; nil stands for one of over limit bytes.
func (c Chunk) Lines(limit int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if c.TooLong {
			yield(c.Line, nil)
			return
		}
		number := c.Line - 1
		for line := range bytes.Lines(c.Content) {
			number++
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			if len(line) > limit {
				line = nil
			} else if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if !yield(number, line) {
				return
			}
		}
	}
}

// A Reader gives the chunks of a list of inputs, in order.
type Reader struct {
	inputs []input
	limit  int
	lines  *lines // of the input under way
	read   *atomic.Int64
	close  func() error
}

type input struct {
	path string
	id   string // of a text file
	text bool   // a document of its own, else JSON Lines
}

// NewReader returns a Reader of the named inputs, or of standard input if there is none. A folder stands for the .txt
// and .jsonl files below it (also .gz and .zst), in lexical order. Files that end in .txt are one document each, with
// the path as id, below the folder where one was named; all others are JSON Lines. A document has at most limit bytes.
func NewReader(names []string, limit int) (*Reader, error) {
	if len(names) == 0 {
		names = []string{endpoint.Stdio}
	}
	r := &Reader{limit: limit, read: new(atomic.Int64)}
	for _, name := range names {
		info, err := os.Stat(name)
		if name != endpoint.Stdio && err == nil && info.IsDir() {
			if err := r.addFolder(name); err != nil {
				return nil, err
			}
			continue
		}
		r.inputs = append(r.inputs, input{path: name, id: filepath.ToSlash(name), text: isText(name)})
	}
	return r, nil
}

// Measure has the bytes that are read of the files added to read, before the first call of Next. It returns how many there
// are in all, 0 where nobody knows.
func (r *Reader) Measure(read *atomic.Int64) (total int64) {
	r.read = read
	for _, in := range r.inputs {
		size, known := endpoint.Size(in.path)
		if !known {
			return 0
		}
		total += size
	}
	return total
}

func bare(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

func isText(name string) bool { return strings.HasSuffix(bare(name), ".txt") }

func (r *Reader) addFolder(root string) error {
	before := len(r.inputs)
	// With the separator WalkDir enters a folder that root is a symbolic link to.
	err := filepath.WalkDir(root+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if isText(path) || strings.HasSuffix(bare(path), ".jsonl") {
			id, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			r.inputs = append(r.inputs, input{path: path, id: filepath.ToSlash(id), text: isText(path)})
		}
		return nil
	})
	if err == nil && len(r.inputs) == before {
		err = exit.Errorf(exit.Missing, "%s: no .txt or .jsonl file in this folder", root)
	}
	return err
}

// Next returns the next chunk; false at the end. It is the form that ordered.Map asks for.
func (r *Reader) Next() (Chunk, bool, error) {
	for {
		if r.lines != nil {
			chunk, err := r.lines.next()
			if err == nil {
				return chunk, true, nil
			}
			r.lines = nil
			if e := r.close(); err == io.EOF {
				err = e
			}
			if err != nil {
				return Chunk{}, false, err
			}
		}
		if len(r.inputs) == 0 {
			return Chunk{}, false, nil
		}
		in := r.inputs[0]
		r.inputs = r.inputs[1:]
		opened, err := endpoint.OpenTextCounting(in.path, r.read)
		if err != nil {
			return Chunk{}, false, err
		}
		if in.text {
			chunk, err := r.file(in, opened)
			return chunk, err == nil, err
		}
		r.lines, r.close = newLines(opened, opened.Name, r.limit), opened.Close
	}
}

// file reads a text file as one document.
func (r *Reader) file(in input, opened *endpoint.Input) (Chunk, error) {
	defer opened.Close()
	content, err := io.ReadAll(io.LimitReader(opened, int64(min(r.limit, math.MaxInt-1))+1))
	if err != nil {
		return Chunk{}, err
	}
	chunk := Chunk{Name: opened.Name, ID: in.id, Content: content}
	if len(content) > r.limit {
		chunk.Content, chunk.TooLong = nil, true
	}
	return chunk, nil
}

// bagHead are the three sizes and the first pair of a UCI bag of words.
var bagHead = regexp.MustCompile(`\A\s*\d+\s*\n\s*\d+\s*\n\s*\d+\s*\n\s*\d+ \d+ \d+\s*\n`)

// IsBag says whether a text is a UCI bag of words, of which every line is numbers and no line a word.
func IsBag(text []byte) bool { return bagHead.Match(text[:min(len(text), 1<<10)]) }
