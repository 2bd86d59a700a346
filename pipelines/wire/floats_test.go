package wire

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// TestFinite: a value that is not finite is found in each place, beside any neighbours, and nothing else is taken for
// one.
func TestFinite(t *testing.T) {
	finiteValues := []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.MaxFloat32, -math.MaxFloat32,
		math.SmallestNonzeroFloat32, math.Float32frombits(0x7f00_0000)}
	others := []float32{float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
		math.Float32frombits(0xff80_0001), math.Float32frombits(0x7fff_ffff)}
	for n := range 20 {
		for _, fill := range finiteValues {
			values := make([]float32, n)
			for i := range values {
				values[i] = fill
			}
			if !finite(floats(values...)) {
				t.Errorf("%d values %v are not finite", n, fill)
			}
			for i := range values {
				for _, other := range others {
					values[i] = other
					if finite(floats(values...)) {
						t.Errorf("%v are finite", values)
					}
					values[i] = fill
				}
			}
		}
	}
}

// TestFinite64 is TestFinite for FLOAT64.
func TestFinite64(t *testing.T) {
	finiteValues := []float64{0, math.Copysign(0, -1), 1, -1, math.MaxFloat64, -math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.Float64frombits(0x7fe0_0000_0000_0000)}
	others := []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Float64frombits(0xfff0_0000_0000_0001),
		math.Float64frombits(0x7fff_ffff_ffff_ffff)}
	encoded := func(values []float64) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	for n := range 11 {
		for _, fill := range finiteValues {
			values := slices.Repeat([]float64{fill}, n)
			if !finite64(encoded(values)) {
				t.Errorf("%d values %v are not finite", n, fill)
			}
			for i := range values {
				for _, other := range others {
					values[i] = other
					if finite64(encoded(values)) {
						t.Errorf("%v are finite", values)
					}
					values[i] = fill
				}
			}
		}
	}
}

// TestAppendFloats: lists of all small lengths, behind other values, and with a last value that is cut.
func TestAppendFloats(t *testing.T) {
	for n := range 9 {
		want := []float32{7, -7}
		for i := range n {
			want = append(want, float32(i)-1.5)
		}
		b := floats(want[2:]...)
		for cut := range 4 {
			got := AppendFloats([]float32{7, -7}, append(slices.Clip(b), make([]byte, cut)...))
			if !slices.Equal(got, want) {
				t.Errorf("%d values and %d bytes: %v, want %v", n, cut, got, want)
			}
		}
	}
}
