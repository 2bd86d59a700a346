package job

import (
	"encoding/binary"
	"errors"
	"math"

	"privpipe/pipelines/wire"
)

// shrink is the factor of scaled. An L2 norm grows by rounding: typically by 2^-18 of the largest
// number, and hardly ever by 2^-14. So a contribution with the norm of the clip stays within it, and the privatizer
// need not scale it.
const shrink = 1 - 0x1p-14

// scaled shrinks a part's numbers and turns them from FLOAT32 into INT16 times 2^exponent, in their own memory. The
// exponent is the least with which the largest number is below 2^15. Numbers are rounded to the nearest, so by at most
// 2^-15 of the largest one, or 2^-127: truncation would add up to a bias. Numbers beyond ±2^126 count as ±2^126. scaled
// refuses numbers that are not finite.
//
// Like the part, its numbers depend on one unit only. The privatizer bounds the numbers that it reads.
func scaled(p *wire.Part) error {
	largest := float64(magnitude(p.Values))
	switch {
	case !(largest <= math.MaxFloat32):
		return errors.New("contribution has a value that is NaN or infinite")
	case largest > 0x1p126:
		saturate(p.Values)
		largest = 0x1p126
	}
	largest *= shrink
	_, above := math.Frexp(largest) // largest < 2^above
	exponent := max(above-15, -126)
	if largest > math.Ldexp(1<<15-1, exponent) { // it could be rounded to 2^15
		exponent++
	}
	toINT16(p.Values, float32(math.Ldexp(shrink, -exponent)))
	p.Values, p.Exponent = p.Values[:len(p.Values)/2], int32(exponent)
	return nil
}

// plainINT16 multiplies FLOAT32 numbers by scale, rounds them to INT16, and leaves these in the first half of values.
// Products must be within ±(2^15 − 1/2).
func plainINT16(values []byte, scale float32) {
	from, to := values, values
	for ; len(from) >= 16; from, to = from[16:], to[8:] { // four at a time, written out
		four := (*[16]byte)(from)
		a, b := rounded(four[0:4], scale), rounded(four[4:8], scale)
		c, d := rounded(four[8:12], scale), rounded(four[12:16], scale)
		binary.LittleEndian.PutUint64(to, uint64(a)|uint64(b)<<16|uint64(c)<<32|uint64(d)<<48)
	}
	for ; len(from) >= 4; from, to = from[4:], to[2:] {
		binary.LittleEndian.PutUint16(to, rounded(from, scale))
	}
}

// rounded returns a FLOAT32 times scale, rounded to a whole number, in two's complement. These are the last bits of a
// sum with the unit 1.
func rounded(number []byte, scale float32) uint16 {
	product := float32(math.Float32frombits(binary.LittleEndian.Uint32(number)) * scale) // no fused multiply-add
	return uint16(math.Float32bits(product + 0x1.8p23))
}

// plainMagnitude returns the largest absolute value of FLOAT32 numbers. Their bits ascend with it (IEEE 754).
func plainMagnitude(values []byte) float32 {
	largest := uint32(0)
	for ; len(values) >= 4; values = values[4:] {
		largest = max(largest, binary.LittleEndian.Uint32(values)&^(1<<31))
	}
	return math.Float32frombits(largest)
}

// saturate brings FLOAT32 numbers within ±2^126.
func saturate(values []byte) {
	for ; len(values) >= 4; values = values[4:] {
		v := math.Float32frombits(binary.LittleEndian.Uint32(values))
		binary.LittleEndian.PutUint32(values, math.Float32bits(max(-0x1p126, min(v, 0x1p126))))
	}
}
