package parquet

import (
	"encoding/binary"
	"math/bits"
)

// Decoders take the bytes that they need from src and keep the rest. None allocates memory by a number that src claims.

// hybrid decodes two kinds of runs: one number repeated, or bit-packed numbers. All have one width in bits
// (parquet-format, Encodings.md, RLE = 3).
type hybrid struct {
	src   []byte
	width int    // 0 to 32
	left  uint64 // numbers left in the run
	same  bool   // the run repeats one number
	value uint32 // the number that such a run repeats
	bits  uint64 // in a bit-packed run, the bits that are read but not yet used
	have  int    // number of these bits
}

// next returns the next number.
func (h *hybrid) next() (uint32, bool) {
	if h.width == 0 {
		return 0, true
	}
	for h.left == 0 {
		if !h.run() {
			return 0, false
		}
	}
	h.left--
	if h.same {
		return h.value, true
	}
	for h.have < h.width {
		if len(h.src) == 0 {
			return 0, false
		}
		h.bits |= uint64(h.src[0]) << h.have
		h.src, h.have = h.src[1:], h.have+8
	}
	n := uint32(h.bits & (1<<h.width - 1))
	h.bits, h.have = h.bits>>h.width, h.have-h.width
	return n, true
}

// run begins the next run.
func (h *hybrid) run() bool {
	head, n := binary.Uvarint(h.src)
	if n <= 0 {
		return false
	}
	h.src, h.bits, h.have = h.src[n:], 0, 0
	if h.same = head&1 == 0; !h.same {
		if head>>1 > uint64(len(h.src)) {
			return false
		}
		h.left = head >> 1 * 8
		return true
	}
	size := (h.width + 7) / 8
	if size > len(h.src) {
		return false
	}
	h.left, h.value = head>>1, 0
	for i, b := range h.src[:size] {
		h.value |= uint32(b) << (8 * i)
	}
	h.src = h.src[size:]
	return true
}

// A numberDecoder decodes integers. Integers of 32 bits are in the low bits.
type numberDecoder interface{ next() (int64, bool) }

// plainNumbers decodes numbers with one size in bytes, little-endian (PLAIN = 0).
type plainNumbers struct {
	src  []byte
	size int // 4 or 8
}

func (p *plainNumbers) next() (n int64, ok bool) {
	if len(p.src) < p.size {
		return 0, false
	}
	if p.size == 4 {
		n = int64(binary.LittleEndian.Uint32(p.src))
	} else {
		n = int64(binary.LittleEndian.Uint64(p.src))
	}
	p.src = p.src[p.size:]
	return n, true
}

// unsplit returns the bytes of numbers, one number after the other. In split, all first bytes come first, then all
// second bytes, and so on (BYTE_STREAM_SPLIT = 9).
func unsplit(split []byte, size int) []byte {
	plain := make([]byte, len(split))
	n := len(split) / size
	for i, b := range split {
		plain[i%n*size+i/n] = b
	}
	return plain
}

// flags decodes bits, the least significant bit first in each byte (PLAIN = 0 for Booleans).
type flags struct {
	src []byte
	at  int
}

func (f *flags) next() (int64, bool) {
	if f.at/8 >= len(f.src) {
		return 0, false
	}
	n := f.src[f.at/8] >> (f.at % 8) & 1
	f.at++
	return int64(n), true
}

// runs decodes the numbers in a hybrid's runs.
type runs struct{ hybrid }

func (r *runs) next() (int64, bool) {
	n, ok := r.hybrid.next()
	return int64(n), ok
}

// delta decodes differences, bit-packed in miniblocks (DELTA_BINARY_PACKED = 5).
type delta struct {
	src          []byte
	left         uint64 // numbers left
	first        bool   // the next number is the first, and is no difference
	perMiniblock int
	miniblocks   int
	last         int64
	least        int64  // the block's least difference, added to each
	widths       []byte // widths of the miniblocks left in the block
	width        int
	inMiniblock  int    // numbers left
	buffer       uint64 // bits that are read, but not yet used
	have         int    // number of these bits
}

// newDelta reads the header before the first block of differences.
func newDelta(src []byte) (*delta, bool) {
	d := &delta{src: src, first: true}
	block, ok1 := d.uvarint()
	miniblocks, ok2 := d.uvarint()
	left, ok3 := d.uvarint()
	first, n := binary.Varint(d.src)
	if !ok1 || !ok2 || !ok3 || n <= 0 || block == 0 || block%128 != 0 || block > 1<<20 || miniblocks == 0 ||
		block%miniblocks != 0 ||
		block/miniblocks%32 != 0 {
		return nil, false
	}
	d.src = d.src[n:]
	d.left, d.last, d.perMiniblock, d.miniblocks = left, first, int(block/miniblocks), int(miniblocks)
	return d, true
}

func (d *delta) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(d.src)
	if n <= 0 {
		return 0, false
	}
	d.src = d.src[n:]
	return v, true
}

func (d *delta) next() (int64, bool) {
	if d.left == 0 {
		return 0, false
	}
	d.left--
	if d.first {
		d.first = false
		return d.last, true
	}
	for d.inMiniblock == 0 {
		if !d.miniblock() {
			return 0, false
		}
	}
	d.inMiniblock--
	difference, ok := d.unpack()
	d.last += d.least + int64(difference)
	return d.last, ok
}

// miniblock begins the next miniblock. If the current block has none left, it begins the next block.
func (d *delta) miniblock() bool {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.src)
		if n <= 0 || len(d.src)-n < d.miniblocks {
			return false
		}
		d.least = least
		d.widths, d.src = d.src[n:n+d.miniblocks], d.src[n+d.miniblocks:]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	d.inMiniblock, d.buffer, d.have = d.perMiniblock, 0, 0
	return d.width <= 64
}

// unpack takes the next number in the miniblock.
func (d *delta) unpack() (n uint64, ok bool) {
	for got := 0; got < d.width; {
		if d.have == 0 {
			if len(d.src) == 0 {
				return 0, false
			}
			d.buffer, d.src, d.have = uint64(d.src[0]), d.src[1:], 8
		}
		take := min(d.have, d.width-got)
		n |= d.buffer & (1<<take - 1) << got
		d.buffer, d.have, got = d.buffer>>take, d.have-take, got+take
	}
	return n, true
}

// rest reads all numbers and returns the bytes after their last miniblock.
func (d delta) rest() ([]byte, bool) {
	for d.left > 0 {
		if d.width == 0 && d.inMiniblock > 0 { // these numbers take no bytes, so there may be very many
			n := min(uint64(d.inMiniblock), d.left)
			d.inMiniblock, d.left = d.inMiniblock-int(n), d.left-n
			continue
		}
		if _, ok := d.next(); !ok {
			return nil, false
		}
	}
	skip := (d.inMiniblock*d.width - d.have + 7) / 8 // the last miniblock is padded
	if d.inMiniblock == 0 {
		skip = 0
	}
	return d.src[min(max(skip, 0), len(d.src)):], true
}

// A stringDecoder decodes strings. Each is valid until the next.
type stringDecoder interface{ next() ([]byte, bool) }

// plainStrings decodes strings that have their lengths before them, unless all have one length.
type plainStrings struct {
	src    []byte
	length int // of each string; 0: each has its own
}

func (p *plainStrings) next() ([]byte, bool) {
	if n := p.length; n > 0 && n <= len(p.src) {
		s := p.src[:n]
		p.src = p.src[n:]
		return s, true
	} else if n > 0 {
		return nil, false
	}
	if len(p.src) < 4 {
		return nil, false
	}
	n := binary.LittleEndian.Uint32(p.src)
	if uint64(n) > uint64(len(p.src)-4) {
		return nil, false
	}
	s := p.src[4 : 4+n]
	p.src = p.src[4+n:]
	return s, true
}

// deltaLengths decodes strings that come after all their lengths (DELTA_LENGTH_BYTE_ARRAY = 6).
type deltaLengths struct {
	lengths *delta
	src     []byte
}

func newDeltaLengths(src []byte) (*deltaLengths, bool) {
	lengths, ok := newDelta(src)
	if !ok {
		return nil, false
	}
	rest, ok := lengths.rest()
	return &deltaLengths{lengths, rest}, ok
}

func (d *deltaLengths) next() ([]byte, bool) {
	n, ok := d.lengths.next()
	n = int64(int32(n))
	if !ok || n < 0 || n > int64(len(d.src)) {
		return nil, false
	}
	s := d.src[:n]
	d.src = d.src[n:]
	return s, true
}

// deltaStrings decodes strings that begin with a part of the previous string (DELTA_BYTE_ARRAY = 7).
type deltaStrings struct {
	prefixes *delta
	suffixes *deltaLengths
	last     []byte
}

func newDeltaStrings(src []byte) (*deltaStrings, bool) {
	prefixes, ok := newDelta(src)
	if !ok {
		return nil, false
	}
	rest, ok := prefixes.rest()
	if !ok {
		return nil, false
	}
	suffixes, ok := newDeltaLengths(rest)
	return &deltaStrings{prefixes: prefixes, suffixes: suffixes}, ok
}

func (d *deltaStrings) next() ([]byte, bool) {
	n, ok := d.prefixes.next()
	suffix, okSuffix := d.suffixes.next()
	n = int64(int32(n))
	if !ok || !okSuffix || n < 0 || n > int64(len(d.last)) || n+int64(len(suffix)) > mostPage {
		return nil, false
	}
	d.last = append(d.last[:n], suffix...)
	return d.last, true
}

// A dictionary has a column's distinct values in one row group.
type dictionary struct {
	strings []byte   // one after the other
	ends    []uint32 // where each string ends
	numbers []int64
}

// indexed decodes values from a dictionary (RLE_DICTIONARY = 8).
type indexed struct {
	of *dictionary
	at hybrid
}

func (x *indexed) next() ([]byte, bool) {
	i, ok := x.at.next()
	if !ok || uint64(i) >= uint64(len(x.of.ends)) {
		return nil, false
	}
	begin := uint32(0)
	if i > 0 {
		begin = x.of.ends[i-1]
	}
	return x.of.strings[begin:x.of.ends[i]], true
}

type indexedNumbers struct{ indexed }

func (x *indexedNumbers) next() (int64, bool) {
	i, ok := x.at.next()
	if !ok || uint64(i) >= uint64(len(x.of.numbers)) {
		return 0, false
	}
	return x.of.numbers[i], true
}

// width is the number of bits for levels up to most.
func width(most int) int { return bits.Len(uint(most)) }
