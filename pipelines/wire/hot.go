package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Nearly all records in a run are documents and contributions. A Decoder reads them without the protobuf library if
// their encoding is canonical. All writers here make it so: fields in the order of their numbers, no explicit default
// values, numbers in the fewest bytes, lists packed (Protocol Buffers, "Encoding"). Protobuf encodes such a record
// again to the same bytes. So protobuf would read the same values as the code here does. Protobuf reads or refuses
// everything else: nothing is an error here. FuzzHot compares the two.

// A field's first byte is number<<3 | type. The types here are 0 for numbers and 2 for bytes.
const (
	tagRound, tagDocument, tagContribution            = 1 << 3, 4<<3 | 2, 7<<3 | 2
	tagID, tagUser, tagLabel                          = 1<<3 | 2, 2<<3 | 2, 3<<3 | 2
	tagWordGaps, tagCounts, tagDocumentValues         = 4<<3 | 2, 5<<3 | 2, 6<<3 | 2
	tagUnit, tagRecord, tagPart, tagMore              = 1<<3 | 2, 2<<3 | 2, 3<<3 | 2, 4 << 3
	tagMatrix, tagRowGaps, tagColumnGaps, tagFactored = 1 << 3, 2<<3 | 2, 3<<3 | 2, 5 << 3
	tagPartValues, tagExponent                        = 4<<3 | 2, 6 << 3
)

// A Decoder decodes records. The zero Decoder is ready to use.
type Decoder struct {
	// Reuse lets documents and contributions use the memory of earlier ones. They are then valid until the next call of
	// Decode, and as long as its argument.
	Reuse bool

	document     hotDocument
	contribution hotContribution
	lists        []uint32 // memory for short lists of numbers, without Reuse
}

// numbersAtOnce is how many numbers of memory for short lists are allocated at a time, without Reuse. A record that is
// kept may also keep the lists of its neighbours in memory.
const numbersAtOnce = 2048

type hotDocument struct {
	record   Record
	body     Record_Document
	document Document
}

type hotContribution struct {
	record       Record
	body         Record_Contribution
	contribution Contribution
	parts        []*Part // the parts that were needed so far
}

// hot decodes a document or a contribution in the canonical encoding. It returns nil for everything else.
func (d *Decoder) hot(b []byte) *Record {
	c := &cursor{rest: b, reuse: d.Reuse, lists: &d.lists}
	var r *Record
	round := c.number(tagRound)
	switch {
	case c.at(tagDocument):
		h := &d.document
		if !d.Reuse {
			h = new(hotDocument)
		}
		c.into(tagDocument)
		c.document(&h.document)
		h.body.Document, h.record.Body = &h.document, &h.body
		r = &h.record
	case c.at(tagContribution):
		h := &d.contribution
		if !d.Reuse {
			h = new(hotContribution)
		}
		c.into(tagContribution)
		c.contribution(h)
		h.body.Contribution, h.record.Body = &h.contribution, &h.body
		r = &h.record
	}
	if r == nil || c.other || len(c.rest) > 0 {
		return nil
	}
	r.Round = round
	return r
}

// A cursor takes fields off the front of a message.
type cursor struct {
	rest  []byte
	reuse bool      // lists may use the memory of other messages, and bytes the memory of the message
	lists *[]uint32 // memory for short lists, without reuse
	other bool      // the encoding is not canonical: the taken fields do not count
}

// at says whether the next field has this tag.
func (c *cursor) at(tag byte) bool { return len(c.rest) > 0 && c.rest[0] == tag }

// into replaces the rest by the content of its next field, which must be the last.
func (c *cursor) into(tag byte) {
	content := c.bytes(tag)
	c.other = c.other || len(c.rest) > 0
	c.rest = content
}

// document takes a document's fields.
func (c *cursor) document(d *Document) {
	d.Id, d.User, d.Label = c.text(tagID), c.text(tagUser), c.text(tagLabel)
	d.WordGaps = c.numbers(tagWordGaps, d.WordGaps)
	d.Counts = c.numbers(tagCounts, d.Counts)
	d.Values = c.values(tagDocumentValues)
}

// contribution takes a contribution's fields. A contribution that goes on in the next record is left to protobuf,
// because its reader keeps it.
func (c *cursor) contribution(h *hotContribution) {
	to := &h.contribution
	to.Unit, to.Record, to.Parts = c.text(tagUnit), c.text(tagRecord), to.Parts[:0]
	for n := 0; c.at(tagPart); n++ {
		if n == len(h.parts) {
			h.parts = append(h.parts, new(Part))
		}
		part := cursor{rest: c.bytes(tagPart), reuse: c.reuse, lists: c.lists}
		part.part(h.parts[n])
		c.other = c.other || part.other || len(part.rest) > 0
		to.Parts = append(to.Parts, h.parts[n])
	}
}

// part takes a part's fields.
func (c *cursor) part(p *Part) {
	p.Matrix = c.number(tagMatrix)
	p.RowGaps = c.numbers(tagRowGaps, p.RowGaps)
	p.ColumnGaps = c.numbers(tagColumnGaps, p.ColumnGaps)
	p.Values = c.values(tagPartValues)
	factored := c.number(tagFactored)
	p.Factored = factored == 1
	c.other = c.other || factored > 1
	p.Exponent = int32(protowire.DecodeZigZag(uint64(c.number(tagExponent))))
}

// varint returns the 32-bit number that b begins with, and its size. The size is 0 if b begins with no number, or with
// a padded one.
func varint(b []byte) (n uint32, size int) {
	switch {
	case len(b) > 0 && b[0] < 0x80:
		return uint32(b[0]), 1
	case len(b) > 1 && b[1] < 0x80 && b[1] > 0:
		return uint32(b[0]&0x7f) | uint32(b[1])<<7, 2
	}
	long, size := binary.Uvarint(b)
	if size <= 0 || long > math.MaxUint32 || b[size-1] == 0 { // no number, or a padded one
		return 0, 0
	}
	return uint32(long), size
}

// varint takes a number.
func (c *cursor) varint() uint32 {
	n, size := varint(c.rest)
	c.other = c.other || size == 0
	c.rest = c.rest[size:]
	return n
}

// number takes a number field, if it is the next field. The default 0 must be left out.
func (c *cursor) number(tag byte) uint32 {
	if !c.at(tag) {
		return 0
	}
	c.rest = c.rest[1:]
	n := c.varint()
	c.other = c.other || n == 0
	return n
}

// bytes takes a bytes field, if it is the next field. An empty field must be left out.
func (c *cursor) bytes(tag byte) []byte {
	if !c.at(tag) {
		return nil
	}
	c.rest = c.rest[1:]
	size := c.varint()
	if size == 0 || uint64(size) > uint64(len(c.rest)) {
		c.other, c.rest = true, nil
		return nil
	}
	b := c.rest[:size:size]
	c.rest = c.rest[size:]
	return b
}

// text takes a string field, which must be UTF-8.
func (c *cursor) text(tag byte) string {
	b := c.bytes(tag)
	c.other = c.other || !utf8.Valid(b)
	return string(b)
}

// values takes a bytes field that holds numbers. The numbers outlive the message, except with Reuse.
func (c *cursor) values(tag byte) []byte {
	b := c.bytes(tag)
	if c.reuse {
		return b
	}
	return bytes.Clone(b)
}

// numbers takes a packed list of numbers, if it is the next field. With Reuse the list may use the memory of into.
func (c *cursor) numbers(tag byte, into []uint32) []uint32 {
	b := c.bytes(tag) // each number takes at least one byte
	short := !c.reuse && len(b) > 0 && len(b) <= numbersAtOnce/8
	switch {
	case short:
		if len(*c.lists) < len(b) {
			*c.lists = make([]uint32, numbersAtOnce)
		}
		into = *c.lists
	case cap(into) < len(b):
		into = make([]uint32, len(b))
	}
	into = into[:len(b)]
	many := 0
	for i := 0; i < len(b); {
		if i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&0x8080_8080_8080_8080 == 0 { // as counts of words are
			for j, n := range b[i : i+8] {
				into[many+j] = uint32(n)
			}
			many, i = many+8, i+8
			continue
		}
		for until := many + 8; many < until && i < len(b); many++ {
			n, size := uint32(b[i]), 1
			if n >= 0x80 {
				n, size = varint(b[i:])
			}
			if size == 0 {
				c.other, i = true, len(b)
				break
			}
			into[many] = n
			i += size
		}
	}
	switch {
	case short:
		*c.lists = (*c.lists)[many:]
		return into[:many:many]
	case !c.reuse:
		return slices.Clone(into[:many]) // the caller may keep the list: it takes no more memory than it needs
	}
	return into[:many]
}
