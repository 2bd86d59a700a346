package wire

import (
	"encoding/binary"
	"math"
	"slices"
)

// AppendGaps appends ids, which ascend strictly, to gaps: the first id, and then the difference of each id to the one
// before. Document.word_gaps, Part.row_gaps and Part.column_gaps have this form.
func AppendGaps(gaps, ids []uint32) []uint32 {
	from := len(gaps)
	gaps = slices.Grow(gaps, len(ids))[:from+len(ids)]
	last, to := uint32(0), gaps[from:]
	for i, id := range ids {
		to[i] = id - last
		last = id
	}
	return gaps
}

// AppendIDs is the inverse of AppendGaps.
func AppendIDs(ids, gaps []uint32) []uint32 {
	from := len(ids)
	ids = slices.Grow(ids, len(gaps))[:from+len(gaps)]
	id, to := uint32(0), ids[from:]
	for i, gap := range gaps {
		id += gap
		to[i] = id
	}
	return ids
}

// AppendFloats appends the little-endian FLOAT32 numbers in b to values. Part.values and Document.values have this
// form. An incomplete last number is left out.
func AppendFloats(values []float32, b []byte) []float32 {
	from, more := len(values), len(b)/4
	values = slices.Grow(values, more)[:from+more]
	rest := values[from:]
	for ; len(rest) >= 4; rest, b = rest[4:], b[16:] { // four at a time, written out, is twice as fast
		to, from := (*[4]float32)(rest), (*[16]byte)(b)
		to[0] = math.Float32frombits(binary.LittleEndian.Uint32(from[0:4]))
		to[1] = math.Float32frombits(binary.LittleEndian.Uint32(from[4:8]))
		to[2] = math.Float32frombits(binary.LittleEndian.Uint32(from[8:12]))
		to[3] = math.Float32frombits(binary.LittleEndian.Uint32(from[12:16]))
	}
	for i := range rest {
		rest[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i : 4*i+4]))
	}
	return values
}

// AppendNumbers appends the values of a part to values. m is the part's matrix. A value of INT16 is exact: 2^exponent
// is a FLOAT32, and so is its product with a number of 15 binary digits (see checkPart).
func AppendNumbers(values []float32, m *Matrix, p *Part) []float32 {
	if m.Element != Element_INT16 {
		return AppendFloats(values, p.Values)
	}
	from, more, unit := len(values), len(p.Values)/2, float32(math.Ldexp(1, int(p.Exponent)))
	values = slices.Grow(values, more)[:from+more]
	rest, b := values[from:], p.Values
	for ; len(rest) >= 4; rest, b = rest[4:], b[8:] {
		to, four := (*[4]float32)(rest), binary.LittleEndian.Uint64(b)
		to[0], to[1] = float32(int16(four))*unit, float32(int16(four>>16))*unit
		to[2], to[3] = float32(int16(four>>32))*unit, float32(int16(four>>48))*unit
	}
	for i := range rest {
		rest[i] = float32(int16(binary.LittleEndian.Uint16(b[2*i:2*i+2]))) * unit
	}
	return values
}
