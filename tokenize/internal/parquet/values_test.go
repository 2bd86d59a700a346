package parquet

import (
	"encoding/binary"
	"math"
	"testing"

	library "github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
)

// FuzzDelta compares with what the library encodes, and reads what is no encoding.
func FuzzDelta(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint16(1))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0x80}, uint16(300))
	f.Add([]byte{}, uint16(129))
	f.Add([]byte("\x80\x01\x04\xff\xff\xff\xff\x0f\x00\x00"), uint16(7))
	f.Fuzz(func(t *testing.T, b []byte, n uint16) {
		if d, ok := newDelta(b); ok { // of these bytes, whatever they are
			if rest, ok := d.rest(); ok && len(rest) > len(b) {
				t.Errorf("%x: %d bytes remain", b, len(rest))
			}
			for range 1000 {
				if _, ok := d.next(); !ok {
					break
				}
			}
		}
		values, small := make([]int64, n%1000), make([]int32, n%1000)
		state := uint64(n)
		for i := range values {
			for len(b) > 0 && i < len(b) {
				state = state*6364136223846793005 + uint64(b[i])
				break
			}
			values[i] = int64(state) >> (state % 64)
			small[i] = int32(values[i])
		}
		encoded, err := new(library.BinaryPackedEncoding).EncodeInt64(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		encoded32, err := new(library.BinaryPackedEncoding).EncodeInt32(nil, small)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			encoded []byte
			cut     func(int64) int64
		}{{encoded, func(v int64) int64 { return v }}, {encoded32, func(v int64) int64 { return int64(int32(v)) }}} {
			d, ok := newDelta(append(c.encoded, "rest"...))
			if !ok {
				t.Fatalf("%x: not read", c.encoded)
			}
			if rest, ok := d.rest(); !ok || string(rest) != "rest" {
				t.Errorf("%x: got %q after the numbers, %v", c.encoded, rest, ok)
			}
			for i, want := range values {
				if got, ok := d.next(); !ok || c.cut(got) != c.cut(want) {
					t.Fatalf("number %d of %d: got %d, %v, want %d", i, len(values), got, ok, want)
				}
			}
			if _, ok := d.next(); ok {
				t.Error("a number too many")
			}
		}
	})
}

// FuzzHybrid does the same with runs.
func FuzzHybrid(f *testing.F) {
	f.Add([]byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, uint8(4))
	f.Add([]byte{0, 1, 0, 1, 1}, uint8(1))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2}, uint8(31))
	f.Fuzz(func(t *testing.T, b []byte, bits uint8) {
		bits = bits%31 + 1
		any := hybrid{src: b, width: int(bits)} // of these bytes, whatever they are
		for range 1000 {
			if _, ok := any.next(); !ok {
				break
			}
		}
		values := make([]int32, len(b))
		for i, v := range b {
			values[i] = int32(uint32(v) * 2654435761 & (1<<bits - 1))
		}
		encoded, err := (&rle.Encoding{BitWidth: int(bits)}).EncodeInt32(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		h := hybrid{src: encoded, width: int(bits)}
		for i, want := range values {
			if got, ok := h.next(); !ok || got != uint32(want) {
				t.Fatalf("%d bits: number %d of %d: got %d, %v, want %d", bits, i, len(values), got, ok, want)
			}
		}
	})
}

// TestDeltaRefuses: heads of blocks that no writer writes.
func TestDeltaRefuses(t *testing.T) {
	for _, c := range []struct{ block, miniblocks, n uint64 }{
		{0, 1, 1}, {128, 0, 1}, {100, 4, 1}, {128, 3, 1}, {128, 8, 1}, {1 << 30, 4, 1}, {math.MaxUint64, 4, 1},
		{128, math.MaxUint64, 1},
	} {
		b := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, c.block), c.miniblocks), c.n)
		if _, ok := newDelta(binary.AppendVarint(b, 0)); ok {
			t.Errorf("%+v was taken", c)
		}
	}
	b := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4), 9)
	d, ok := newDelta(append(binary.AppendVarint(b, 0), 0, 65, 0, 0, 0)) // a width of 65 bits
	if _, first := d.next(); !ok || !first {
		t.Fatal("the head was not taken")
	}
	if _, ok := d.next(); ok {
		t.Error("a number of 65 bits was taken")
	}
}

// TestDeltaStringsRefuses: a prefix longer than the string before, and a length that is negative.
func TestDeltaStringsRefuses(t *testing.T) {
	encoding := new(library.BinaryPackedEncoding)
	for _, c := range []struct{ prefix, suffix int32 }{{1, 0}, {-1, 0}, {0, -1}, {0, 5}, {0, math.MaxInt32}} {
		prefixes, err1 := encoding.EncodeInt32(nil, []int32{c.prefix})
		suffixes, err2 := encoding.EncodeInt32(nil, []int32{c.suffix})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		d, ok := newDeltaStrings(append(append(prefixes, suffixes...), "four"...))
		if !ok {
			t.Fatalf("%+v: the heads were not taken", c)
		}
		if s, ok := d.next(); ok {
			t.Errorf("%+v: got %q", c, s)
		}
	}
}
