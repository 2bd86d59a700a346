package wire

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// appendHot appends a document or a contribution to b without its length, in the encoding that a Decoder reads without
// protobuf. It returns false for other records, and for records that protobuf would refuse or encode in another way.
func appendHot(b []byte, r *Record) ([]byte, bool) {
	if len(r.unknownFields) > 0 {
		return b, false
	}
	b = appendNumber(b, tagRound, r.Round)
	switch body := r.Body.(type) {
	case *Record_Document:
		b, to := beginLength(append(b, tagDocument), r.guess())
		b, ok := body.Document.append(b)
		return to.end(b), ok
	case *Record_Contribution:
		b, to := beginLength(append(b, tagContribution), r.guess())
		b, ok := body.Contribution.append(b)
		return to.end(b), ok
	}
	return b, false
}

// guess is about the size of r's encoding, for a document or a contribution.
func (r *Record) guess() int {
	switch body := r.GetBody().(type) {
	case *Record_Document:
		return body.Document.guess()
	case *Record_Contribution:
		return body.Contribution.guess()
	}
	return 0
}

// guess is about the size of d's encoding.
func (d *Document) guess() int {
	return len(d.GetId()) + len(d.GetUser()) + len(d.GetLabel()) + 5*len(d.GetWordGaps())/2 + len(d.GetValues())
}

// guess is about the size of c's encoding.
func (c *Contribution) guess() int {
	size := len(c.GetUnit()) + len(c.GetRecord())
	for _, p := range c.GetParts() {
		size += p.guess() + 3
	}
	return size
}

// guess is about the size of p's encoding.
func (p *Part) guess() int {
	return len(p.GetRowGaps()) + 5*len(p.GetColumnGaps())/4 + len(p.GetValues()) + 8
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
		var to length
		b, to = beginLength(append(b, tagPart), p.guess())
		b = appendNumber(b, tagMatrix, p.Matrix)
		b = appendNumbers(b, tagRowGaps, p.RowGaps)
		b = appendNumbers(b, tagColumnGaps, p.ColumnGaps)
		b = appendBytes(b, tagPartValues, p.Values)
		b = appendBool(b, tagFactored, p.Factored)
		b = to.end(appendNumber(b, tagExponent, uint32(protowire.EncodeZigZag(int64(p.Exponent)))))
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

// appendNumbers appends a packed list of numbers. Most have one byte or two, in no order that a processor could
// predict. So it writes two bytes, and goes on after the first or the second, without a branch.
func appendNumbers(b []byte, tag byte, list []uint32) []byte {
	if len(list) == 0 {
		return b
	}
	b, to := beginLength(append(b, tag), 5*len(list)/4)
	at := len(b)
	b = slices.Grow(b, binary.MaxVarintLen32*len(list)) // capacity for the longest numbers
	free := b[at:cap(b)]
	n := 0
	for _, x := range list {
		if x >= 1<<14 {
			n += binary.PutUvarint(free[n:], uint64(x))
			continue
		}
		second := (x + 1<<14 - 1<<7) >> 14 // 1 from 1<<7 on
		two := free[n : n+2 : n+2]
		two[0], two[1] = byte(x&0x7f|second<<7), byte(x>>7)
		n += 1 + int(second)
	}
	return to.end(b[:at+n])
}

// A length is the place of a field's length. The length is known only when the field's content stands behind it.
type length struct{ at, size int }

// beginLength appends the place of a length of about guess.
func beginLength(b []byte, guess int) ([]byte, length) {
	size := protowire.SizeVarint(uint64(guess))
	return append(b, make([]byte, size)...), length{len(b), size}
}

// of returns the size of the content, up to the end of b.
func (l length) of(b []byte) int { return len(b) - l.at - l.size }

// end sets the length. The content moves if the guess was of another size.
func (l length) end(b []byte) []byte {
	size := uint64(l.of(b))
	if protowire.SizeVarint(size) != l.size {
		return slices.Replace(b, l.at, l.at+l.size, binary.AppendUvarint(nil, size)...)
	}
	binary.PutUvarint(b[l.at:], size)
	return b
}
