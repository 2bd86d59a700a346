package parquet

import "encoding/binary"

// Types of fields in Thrift's compact protocol (thrift-compact-protocol.md).
const (
	number32 = 5
	number64 = 6
	binary8  = 8
	list     = 9
	record   = 12
)

// A thrift encodes a struct in Thrift's compact protocol.
type thrift struct {
	b    []byte
	last int // id of the field before
}

func (t *thrift) field(id, kind int) {
	t.b = append(t.b, byte((id-t.last)<<4|kind)) // no id here is more than 15 after the one before
	t.last = id
}

func (t *thrift) varint(n uint64) { t.b = binary.AppendUvarint(t.b, n) }

func (t *thrift) zigzag(n int64) { t.varint(uint64(n)<<1 ^ uint64(n>>63)) }

func (t *thrift) int32(id int, n int32) { t.field(id, number32); t.zigzag(int64(n)) }

func (t *thrift) int64(id int, n int64) { t.field(id, number64); t.zigzag(n) }

func (t *thrift) string(id int, s string) { t.field(id, binary8); t.bytes(s) }

func (t *thrift) bytes(s string) { t.varint(uint64(len(s))); t.b = append(t.b, s...) }

// list begins a list of n elements.
func (t *thrift) list(id, kind, n int) {
	t.field(id, list)
	if n < 15 {
		t.b = append(t.b, byte(n<<4|kind))
		return
	}
	t.b = append(t.b, byte(0xf0|kind))
	t.varint(uint64(n))
}

// element adds a struct to a list.
func (t *thrift) element(fields func(*thrift)) {
	inner := thrift{b: t.b}
	fields(&inner)
	t.b = append(inner.b, 0) // stop
}

// record adds a field that is a struct.
func (t *thrift) record(id int, fields func(*thrift)) { t.field(id, record); t.element(fields) }
