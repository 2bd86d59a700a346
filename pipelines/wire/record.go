package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"
	"google.golang.org/protobuf/proto"
)

// UnitDigest returns the digest of one privacy unit. The digest for a set of units (RoundClose.unit_digest) is the sum
// of their digests modulo 2^64, so it does not depend on their order.
func UnitDigest(unit string) uint64 { return xxhash.Sum64String(unit) }

// UnitName returns the name of the privacy unit that d belongs to. If the unit is the user, a document without a user
// is its own unit. The prefixes keep the names of users and documents distinct.
func UnitName(unit Unit, d *Document) string {
	switch {
	case unit != Unit_USER:
		return d.Id
	case d.User != "":
		return "user/" + d.User
	}
	return "document/" + d.Id
}

// ErrTooLarge is the error for a record larger than MaxRecord. It does not state the size, which may be private.
var ErrTooLarge error = tooLarge{}

type tooLarge struct{}

func (tooLarge) Error() string {
	return fmt.Sprintf("record exceeds the wire's limit of %d bytes", MaxRecord-binary.MaxVarintLen32)
}

// ExitCode returns exit.Malformed, because a stage makes such a record only from input that is too large.
func (tooLarge) ExitCode() int { return 90 }

// Append appends r to b as a size-delimited record: a varint length, and then that many bytes.
// The only error is ErrTooLarge.
func Append(b []byte, r *Record) ([]byte, error) {
	with, to := beginLength(b, r.guess())
	with, ok := appendHot(with, r)
	switch {
	case !ok:
		return appendByProtobuf(b, r)
	case to.of(with) > MaxRecord-binary.MaxVarintLen32:
		return b, ErrTooLarge
	}
	return to.end(with), nil
}

func appendByProtobuf(b []byte, r *Record) ([]byte, error) {
	size := proto.Size(r)
	if size > MaxRecord-binary.MaxVarintLen32 {
		return b, ErrTooLarge
	}
	b = binary.AppendUvarint(b, uint64(size))
	return proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(b, r)
}

var errNotCanonical = errors.New("encoding has an unknown field, a repeated field or a padded number")

// Decode decodes one record without its length. It refuses unknown fields, because each version's schema is closed. It
// also refuses bytes that would not encode again to the same size, such as a repeated singular field or a padded
// varint. Check checks the values.
func Decode(b []byte) (*Record, error) { return new(Decoder).Decode(b) }

// Decode does the same as the function Decode, and is faster for records that follow one another.
func (d *Decoder) Decode(b []byte) (*Record, error) {
	if r := d.hot(b); r != nil {
		return r, nil
	}
	r := new(Record)
	if err := proto.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("not a record: %w", err)
	}
	if r.unknown() || proto.Size(r) != len(b) {
		return nil, errNotCanonical
	}
	return r, nil
}

// Size returns the number of bytes that one value of e takes, or 0 for an element that the wire does not know.
func (e Element) Size() int {
	switch e {
	case Element_INT16:
		return 2
	case Element_FLOAT32:
		return 4
	case Element_FLOAT64, Element_INT64:
		return 8
	}
	return 0
}

// Cells returns the number of cells of m. For a symmetric matrix it counts the upper triangle only.
func (m *Matrix) Cells() int {
	rows, columns := int(m.GetRows()), int(m.GetColumns())
	if m.GetSymmetric() {
		return rows * (rows + 1) / 2
	}
	return rows * columns
}

// OtherSettings says whether the settings, and nothing else, differ between two headers.
func OtherSettings(a, b *Header) bool {
	if bytes.Equal(a.GetSettings(), b.GetSettings()) {
		return false
	}
	same := proto.CloneOf(b)
	same.Settings = a.GetSettings()
	return proto.Equal(a, same)
}
