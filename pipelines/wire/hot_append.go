package wire

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
)

// appendHot appends a document or a contribution to b without its length, in the encoding that a Decoder reads without
// protobuf. It returns false for other records, and for records that protobuf would refuse or encode in another way.
func appendHot(b []byte, r *Record) ([]byte, bool) {
	if len(r.unknownFields) > 0 {
		return b, false
	}
	b = appendNumber(b, tagRound, r.Round)
	from, ok := len(b), false
	switch body := r.Body.(type) {
	case *Record_Document:
		b, ok = body.Document.append(b)
		b = insertLength(b, from, tagDocument)
	case *Record_Contribution:
		b, ok = body.Contribution.append(b)
		b = insertLength(b, from, tagContribution)
	}
	return b, ok
}

// AppendDocument appends d as it stands in a Record. The only possible error is a name that is not UTF-8.
func AppendDocument(b []byte, d *Document) ([]byte, error) {
	if with, ok := d.append(b); ok {
		return with, nil
	}
	return proto.MarshalOptions{}.MarshalAppend(b, d)
}

// AppendDocumentRecord appends the record for a document that AppendDocument encoded, as Append does. The only error is
// ErrTooLarge.
func AppendDocumentRecord(b []byte, round uint32, document []byte) ([]byte, error) {
	var memory [4 * binary.MaxVarintLen32]byte
	head := append(appendNumber(memory[:0], tagRound, round), tagDocument)
	head = binary.AppendUvarint(head, uint64(len(document)))
	size := len(head) + len(document)
	if size > MaxRecord-binary.MaxVarintLen32 {
		return b, ErrTooLarge
	}
	b = append(binary.AppendUvarint(b, uint64(size)), head...)
	return append(b, document...), nil
}

// append appends the fields of d. It returns false if protobuf must do it.
func (d *Document) append(b []byte) ([]byte, bool) {
	if d == nil || len(d.unknownFields) > 0 || !utf8.ValidString(d.Id) || !utf8.ValidString(d.User) ||
		!utf8.ValidString(d.Label) {
		return b, false
	}
	b = appendBytes(b, tagID, d.Id)
	b = appendBytes(b, tagUser, d.User)
	b = appendBytes(b, tagLabel, d.Label)
	b = appendNumbers(b, tagWordGaps, d.WordGaps)
	b = appendNumbers(b, tagCounts, d.Counts)
	return appendBytes(b, tagDocumentValues, d.Values), true
}

func (c *Contribution) append(b []byte) ([]byte, bool) {
	if c == nil || len(c.unknownFields) > 0 || !utf8.ValidString(c.Unit) || !utf8.ValidString(c.Record) {
		return b, false
	}
	b = appendBytes(b, tagUnit, c.Unit)
	b = appendBytes(b, tagRecord, c.Record)
	for _, p := range c.Parts {
		if p == nil || len(p.unknownFields) > 0 {
			return b, false
		}
		from := len(b)
		b = appendNumber(b, tagMatrix, p.Matrix)
		b = appendNumbers(b, tagRowGaps, p.RowGaps)
		b = appendNumbers(b, tagColumnGaps, p.ColumnGaps)
		b = appendBytes(b, tagPartValues, p.Values)
		b = appendBool(b, tagFactored, p.Factored)
		b = insertLength(b, from, tagPart)
	}
	return appendBool(b, tagMore, c.More), true
}

func appendNumber(b []byte, tag byte, n uint32) []byte {
	if n == 0 {
		return b
	}
	return binary.AppendUvarint(append(b, tag), uint64(n))
}

func appendBool(b []byte, tag byte, is bool) []byte {
	if !is {
		return b
	}
	return append(b, tag, 1)
}

func appendBytes[T string | []byte](b []byte, tag byte, content T) []byte {
	if len(content) == 0 {
		return b
	}
	return append(binary.AppendUvarint(append(b, tag), uint64(len(content))), content...)
}

func appendNumbers(b []byte, tag byte, list []uint32) []byte {
	if len(list) == 0 {
		return b
	}
	from := len(b)
	b = slices.Grow(b, len(list)) // most numbers are below 0x80
	for _, n := range list {
		if n < 0x80 {
			b = append(b, byte(n))
		} else {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return insertLength(b, from, tag)
}

// insertLength inserts the length of b[from:] before b[from:], after a tag if there is one.
func insertLength(b []byte, from int, tag ...byte) []byte {
	var memory [1 + binary.MaxVarintLen64]byte
	return slices.Insert(b, from, binary.AppendUvarint(append(memory[:0], tag...), uint64(len(b)-from))...)
}
