// Package corpus holds the documents that rounds are drawn from. The documents are encoded, one after the other. They
// are in memory and, beyond a limit, in an unlinked file.
package corpus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

// chunkBytes is the size of the pieces that hold the documents. No document crosses a piece's end.
const chunkBytes = 4 << 20

// A Corpus is a list of documents, grouped into privacy units. It takes the encoded documents and an index. The
// encoding takes about 2.3 bytes for each distinct word in a document, the index 40 bytes per document. If users are
// the units, the Corpus takes 4 more bytes per document and a map of users.
type Corpus struct {
	limit  int64    // largest number of bytes of documents in memory
	chunks [][]byte // the first chunks; the others are in file
	last   []byte   // the current chunk, if it will go to file
	file   *os.File

	encoded []byte // the last document that was added, with its length; its memory is used again

	at   []int64  // offset of each document: its length as 4 bytes, then its encoding
	end  int64    // offset after the last document
	once bool     // see Once
	ids  []uint64 // 64 bits of the hash of each document's unit and id, until Seal

	unit    wire.Unit
	owner   []int32       // unit of each document, if units are users
	users   map[Key]int32 // unit by its key, if units are users
	digests []uint64      // wire.UnitDigest of each unit's name
	keys    []Key         // of each unit
}

// New returns an empty corpus that keeps at most memory bytes of documents in memory.
func New(memory int64, unit wire.Unit) *Corpus {
	return &Corpus{limit: memory, unit: unit, users: make(map[Key]int32)}
}

// Close frees the file.
func (c *Corpus) Close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// Documents returns the number of documents.
func (c *Corpus) Documents() int { return len(c.at) }

// Digests returns wire.UnitDigest of the name of each privacy unit.
func (c *Corpus) Digests() []uint64 { return c.digests }

// Keys returns the key of each privacy unit.
func (c *Corpus) Keys() []Key { return c.keys }

// UnitOf returns the number of the unit of document i.
func (c *Corpus) UnitOf(i int) int {
	if c.unit == wire.Unit_USER {
		return int(c.owner[i])
	}
	return i
}

// Unit returns the kind of privacy unit.
func (c *Corpus) Unit() wire.Unit { return c.unit }

// Add appends a document.
func (c *Corpus) Add(d *wire.Document) error {
	if len(c.at) == math.MaxInt32 {
		return fmt.Errorf("corpus of more than %d documents", math.MaxInt32)
	}
	name := wire.UnitName(c.unit, d)
	unit := KeyOf(name)
	id := unit
	if c.unit == wire.Unit_USER {
		id = unit.Document(d.Id)
	}
	c.ids = append(c.ids, binary.LittleEndian.Uint64(id[:]))
	c.addUnit(name, unit)
	encoded, err := wire.AppendDocument(append(c.encoded[:0], 0, 0, 0, 0), d)
	if err != nil {
		return err
	}
	c.encoded = encoded
	binary.LittleEndian.PutUint32(encoded, uint32(len(encoded)-4))
	return c.store(encoded)
}

// addUnit records the next document's unit.
func (c *Corpus) addUnit(name string, key Key) {
	if c.unit == wire.Unit_USER {
		owner, known := c.users[key]
		if !known {
			owner = int32(len(c.users))
			c.users[key] = owner
		}
		c.owner = append(c.owner, owner)
		if known {
			return
		}
	}
	c.digests = append(c.digests, wire.UnitDigest(name))
	c.keys = append(c.keys, key)
}

// store appends b to the documents, in a new chunk if the current one has no room.
func (c *Corpus) store(b []byte) error {
	if used := c.end % chunkBytes; used+int64(len(b)) > chunkBytes || used == 0 {
		if err := c.nextChunk(); err != nil {
			return err
		}
	}
	c.at = append(c.at, c.end)
	c.end += int64(len(b))
	if c.file != nil {
		c.last = append(c.last, b...)
		return nil
	}
	chunk := &c.chunks[len(c.chunks)-1]
	*chunk = append(*chunk, b...)
	return nil
}

func (c *Corpus) nextChunk() error {
	if err := c.flush(); err != nil {
		return err
	}
	c.end = (c.end + chunkBytes - 1) / chunkBytes * chunkBytes
	if c.file != nil {
		return nil
	}
	if int64(len(c.chunks)+1)*chunkBytes <= c.limit {
		c.chunks = append(c.chunks, make([]byte, 0, chunkBytes))
		return nil
	}
	file, err := os.CreateTemp("", "privpipe-sample-*") // mode 0600
	if err != nil {
		return fmt.Errorf("corpus beyond --memory needs a temporary file: %w", err)
	}
	c.file = file
	return os.Remove(file.Name())
}

// flush writes the current chunk to the file.
func (c *Corpus) flush() error {
	if c.file == nil || len(c.last) == 0 {
		return nil
	}
	first := (c.end - 1) / chunkBytes * chunkBytes
	_, err := c.file.WriteAt(c.last, first-c.spilled())
	c.last = c.last[:0]
	return err
}

// spilled is the offset where the documents in the file begin.
func (c *Corpus) spilled() int64 { return int64(len(c.chunks)) * chunkBytes }

// Once makes Seal drop a document that equals an earlier one with the same unit and id, since topics deliver messages
// again. Both documents belong to one unit, so the choice of dropped documents depends only on their own unit.
func (c *Corpus) Once() { c.once = true }

// Seal ends the list. It refuses a document id that occurs twice in a unit. The error does not say where, because the
// places of two equal documents tell how many documents there are.
func (c *Corpus) Seal() error {
	if err := c.flush(); err != nil {
		return err
	}
	sorted := slices.Clone(c.ids)
	slices.Sort(sorted)
	twice := make(map[uint64][]int) // the documents of each hash that occurs twice
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			twice[sorted[i]] = nil
		}
	}
	if len(twice) > 0 {
		for i, h := range c.ids {
			if of, again := twice[h]; again {
				twice[h] = append(of, i)
			}
		}
		if err := c.settle(twice); err != nil {
			return err
		}
	}
	c.ids = nil
	return nil
}

// ErrTwice means that a document id occurs twice in a unit. A *TwiceError is one.
var ErrTwice = errors.New("a document id occurs twice")

// A TwiceError has the id, and the places of its two documents in the corpus, from 1. All three are private, so the
// message has none.
type TwiceError struct {
	ID            string
	First, Second int
}

func (*TwiceError) Error() string { return ErrTwice.Error() }

func (*TwiceError) Unwrap() error { return ErrTwice }

// settle compares documents with the same hash. An equal hash alone is no error: unit and id must be equal, too. settle
// drops equal documents if Once was called.
func (c *Corpus) settle(twice map[uint64][]int) error {
	type name struct{ unit, id string }
	type place struct {
		*wire.Document
		at int
	}
	dropped := make(map[int]bool)
	var again *TwiceError // the one with the earliest second document
	for _, documents := range twice {
		seen := make(map[name]place)
		for _, i := range documents {
			d, err := c.Document(i)
			if err != nil {
				return err
			}
			n := name{wire.UnitName(c.unit, d), d.Id}
			switch first := seen[n]; {
			case first.Document == nil:
				seen[n] = place{d, i}
			case !c.once || !proto.Equal(first.Document, d):
				if again == nil || i+1 < again.Second {
					again = &TwiceError{d.Id, first.at + 1, i + 1}
				}
			default:
				dropped[i] = true
			}
		}
	}
	if again != nil {
		return again
	}
	if len(dropped) == 0 {
		return nil
	}
	kept := 0
	for i := range c.at {
		if dropped[i] {
			continue
		}
		c.at[kept] = c.at[i]
		if c.unit == wire.Unit_USER {
			c.owner[kept] = c.owner[i]
		} else {
			c.digests[kept], c.keys[kept] = c.digests[i], c.keys[i]
		}
		kept++
	}
	c.at = c.at[:kept]
	if c.unit == wire.Unit_USER {
		c.owner = c.owner[:kept]
	} else {
		c.digests, c.keys = c.digests[:kept], c.keys[:kept]
	}
	return nil
}

// Encoded returns document i, from 0, as wire.AppendDocument encodes it. The caller must not change it. After Seal,
// several goroutines may call Encoded.
func (c *Corpus) Encoded(i int) ([]byte, error) {
	at := c.at[i]
	if chunk := at / chunkBytes; chunk < int64(len(c.chunks)) {
		b := c.chunks[chunk][at%chunkBytes:]
		return b[4 : 4+binary.LittleEndian.Uint32(b)], nil
	}
	var length [4]byte
	if _, err := c.file.ReadAt(length[:], at-c.spilled()); err != nil {
		return nil, err
	}
	encoded := make([]byte, binary.LittleEndian.Uint32(length[:]))
	_, err := c.file.ReadAt(encoded, at+4-c.spilled())
	return encoded, err
}

// Document returns document i, from 0, decoded. After Seal, several goroutines may call Document.
func (c *Corpus) Document(i int) (*wire.Document, error) {
	encoded, err := c.Encoded(i)
	if err != nil {
		return nil, err
	}
	d := new(wire.Document)
	return d, proto.Unmarshal(encoded, d)
}
