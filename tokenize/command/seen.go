package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/date"
)

// A seenKey stands for a document's id: the first 128 bits of its SHA-256.
type seenKey [16]byte

// seen keeps the ids of the documents of each window, so that no id is in two windows. It may be read concurrently.
type seen struct {
	name   string
	window string
	others map[seenKey]struct{} // ids of the other windows
	kept   []byte               // the file's lines about other windows
	own    []byte               // lines about this window
}

// errSeen says nothing of the id, nor of the other window.
var errSeen = errors.New("the document's id was in another window: each document has one window, by the date on " +
	"which it was made")

// mostSeen bounds the file of --seen.
const mostSeen = 1 << 32

// openSeen reads the file. A file that does not exist is an empty one. A line has a window, or the key of an id in the
// window above.
func openSeen(ctx context.Context, name string, rule *date.Rule) (*seen, error) {
	s := &seen{name: name, window: rule.Window(), others: make(map[seenKey]struct{})}
	text, err := endpoint.ReadFile(ctx, name, mostSeen)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	own, began := false, false
	number := 0
	for line := range bytes.Lines(text) {
		number++
		word, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole {
			return nil, exit.Errorf(exit.Malformed, "%s: line %d is cut off", name, number)
		}
		var key seenKey
		switch n, err := hex.Decode(key[:], word[:min(len(word), 2*len(key))]); {
		case bytes.HasPrefix(word, []byte("from ")):
			own, began = string(word) == s.window, true
		case err != nil || n != len(key) || len(word) != 2*len(key) || !began:
			return nil, exit.Errorf(exit.Malformed, "%s: line %d: neither a window nor the key of an id", name, number)
		case !own:
			s.others[key] = struct{}{}
		}
		if !own {
			s.kept = append(s.kept, line...)
		}
	}
	s.own = fmt.Appendln(nil, s.window)
	return s, nil
}

func keyOf(id string) seenKey {
	sum := sha256.Sum256([]byte(id))
	return seenKey(sum[:len(seenKey{})])
}

// check refuses an id that another window has. A document without an id is named by its content, and never refused:
// equal documents count as different ones.
func (s *seen) check(id string) error {
	if s == nil || id == "" {
		return nil
	}
	if _, ok := s.others[keyOf(id)]; ok {
		return errSeen
	}
	return nil
}

// add adds an id to this window.
func (s *seen) add(id string) {
	key := keyOf(id)
	s.own = append(hex.AppendEncode(s.own, key[:]), '\n')
}

// write writes the file. The ids that an earlier run found in this window are replaced.
func (s *seen) write(ctx context.Context) error {
	return endpoint.WriteFile(ctx, s.name, wire.Side_PRIVATE, append(s.kept, s.own...))
}
