package window

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"

	"privpipe/pipelines/exit"
	"privpipe/sample/internal/corpus"
)

// A block of the state is
//
//	kind       8 bytes, "begun   " or "done    "
//	window     uint64, like all numbers here little-endian
//	units      uint64, their number
//	documents  uint64, their number; 0 if documents are the units: the units' keys are then the keys of their ids
//	checksum   uint64, XXH64 of these 32 bytes
//	keys       16 bytes each, first the keys of units
//	checksum   uint64, XXH64 of the keys
type block struct {
	kind      string
	window    int
	units     []corpus.Key
	documents []corpus.Key // each by its unit and its id (corpus.Key.Document)
}

const (
	begun = "begun   "
	done  = "done    "

	headSize = 32
	sumSize  = 8
)

// append writes a block and waits until it is durable. After an error the process must end.
func (s *State) append(b block) error {
	if err := s.ours(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(s.file, 1<<16)
	head := append(make([]byte, 0, headSize+sumSize), b.kind...)
	for _, n := range []int{b.window, len(b.units), len(b.documents)} {
		head = binary.LittleEndian.AppendUint64(head, uint64(n))
	}
	out.Write(binary.LittleEndian.AppendUint64(head, xxhash.Sum64(head))) // Flush returns an error of Write again
	sum := xxhash.New()
	for _, keys := range [][]corpus.Key{b.units, b.documents} {
		for _, key := range keys {
			sum.Write(key[:])
			out.Write(key[:])
		}
	}
	out.Write(binary.LittleEndian.AppendUint64(nil, sum.Sum64()))
	if err := out.Flush(); err != nil {
		return err
	}
	if err := s.file.Sync(); err != nil {
		return err
	}
	s.take(b)
	return nil
}

// take adds a block's content to the state.
func (s *State) take(b block) {
	s.last, s.done, s.again = b.window, b.kind == done, nil
	for _, key := range b.units {
		s.units[key] = struct{}{}
	}
}

// readBlocks reads all blocks. The first block begins at offset. A crash may leave an incomplete last block. readBlocks
// truncates it: no document of its window has been sent.
func (s *State) readBlocks(in *bufio.Reader, offset int64) error {
	for {
		b, size, err := readBlock(in)
		switch {
		case err == io.EOF:
			return s.file.Sync() // a killed process may have left a block only in the page cache
		case errors.Is(err, io.ErrUnexpectedEOF):
			return errors.Join(s.file.Truncate(offset), s.file.Sync())
		case err == nil && (!s.follows(b) || s.hasAny(b.units)):
			err = errDamaged
		}
		if errors.Is(err, errDamaged) {
			return exit.Errorf(exit.Malformed, "%s: damaged in the block at byte %d", s.path, offset)
		}
		if err != nil {
			return err
		}
		s.take(*b)
		if b.kind == begun {
			s.again = newAgain(b)
		}
		offset += size
	}
}

// follows reports whether b is a valid next block.
func (s *State) follows(b *block) bool {
	if b.kind == done {
		return !s.done && b.window == s.last && len(b.units)+len(b.documents) == 0
	}
	return s.done && b.window == s.last+1
}

// hasAny reports whether one of the units is in a window that was begun. Such a unit must not be in another window's
// block.
func (s *State) hasAny(units []corpus.Key) bool { return slices.ContainsFunc(units, s.Has) }

// An again is the content of a window that an earlier run began. The window must have this content when it is written
// again.
type again struct {
	documents map[corpus.Key]struct{}
	units     map[corpus.Key]struct{} // the same map if documents are the units
}

func newAgain(b *block) *again {
	a := &again{units: setOf(b.units)}
	a.documents = a.units
	if len(b.documents) > 0 {
		a.documents = setOf(b.documents)
	}
	return a
}

func setOf(keys []corpus.Key) map[corpus.Key]struct{} {
	set := make(map[corpus.Key]struct{}, len(keys))
	for _, key := range keys {
		set[key] = struct{}{}
	}
	return set
}

// has reports whether the document is among the documents, and its unit among the units. A nil again has none.
func (a *again) has(document, unit corpus.Key) bool {
	if a == nil {
		return false
	}
	_, there := a.documents[document]
	_, owned := a.units[unit]
	return there && owned
}

var errDamaged = errors.New("damaged")

// readBlock reads a block and its size. It returns io.ErrUnexpectedEOF if the file ends within the block.
func readBlock(in io.Reader) (b *block, size int64, err error) {
	var head [headSize + sumSize]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, 0, err
	}
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(head[8*i:]) }
	b = &block{kind: string(head[:8]), window: int(number(1))}
	units, documents := number(2), number(3)
	if number(4) != xxhash.Sum64(head[:headSize]) || b.kind != begun && b.kind != done {
		return nil, 0, errDamaged
	}
	sum := xxhash.New()
	for i := range units + documents {
		var key corpus.Key
		if _, err := io.ReadFull(in, key[:]); err != nil {
			return nil, 0, within(err)
		}
		sum.Write(key[:])
		if i < units {
			b.units = append(b.units, key)
		} else {
			b.documents = append(b.documents, key)
		}
	}
	var checksum [sumSize]byte
	if _, err := io.ReadFull(in, checksum[:]); err != nil {
		return nil, 0, within(err)
	}
	if !bytes.Equal(checksum[:], binary.LittleEndian.AppendUint64(nil, sum.Sum64())) {
		return nil, 0, errDamaged
	}
	return b, int64(headSize + sumSize + (units+documents)*uint64(len(corpus.Key{})) + sumSize), nil
}

// within turns the end of the file inside a block into io.ErrUnexpectedEOF.
func within(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
