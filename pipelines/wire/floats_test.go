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
			if !finite(floats(values...), Element_FLOAT32) {
				t.Errorf("%d values %v are not finite", n, fill)
			}
			for i := range values {
				for _, other := range others {
					values[i] = other
					if finite(floats(values...), Element_FLOAT32) {
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
			if !finite(encoded(values), Element_FLOAT64) {
				t.Errorf("%d values %v are not finite", n, fill)
			}
			for i := range values {
				for _, other := range others {
					values[i] = other
					if finite(encoded(values), Element_FLOAT64) {
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

// TestAppendNumbers: numbers of INT16 times powers of two, with lists of all small lengths behind other values. The
// products are worked out in FLOAT64, where each is exact.
func TestAppendNumbers(t *testing.T) {
	short := &Matrix{Element: Element_INT16}
	numbers := []int16{0, 1, -1, math.MaxInt16, math.MinInt16, 256, -255, 12345}
	for _, exponent := range []int32{MinExponent, -127, -126, -15, 0, 1, MaxExponent} {
		for n := range len(numbers) + 1 {
			p := &Part{Exponent: exponent}
			want := []float32{7}
			for _, x := range numbers[:n] {
				p.Values = binary.LittleEndian.AppendUint16(p.Values, uint16(x))
				exact := math.Ldexp(float64(x), int(exponent))
				if want = append(want, float32(exact)); float64(want[len(want)-1]) != exact {
					t.Errorf("%d · 2^%d is no FLOAT32", x, exponent)
				}
			}
			if got := AppendNumbers([]float32{7}, short, p); !slices.Equal(got, want) {
				t.Errorf("exponent %d: %v, want %v", exponent, got, want)
			}
		}
	}
	p := &Part{Values: floats(1.5, -2)}
	if got := AppendNumbers(nil, &Matrix{Element: Element_FLOAT32}, p); !slices.Equal(got, []float32{1.5, -2}) {
		t.Errorf("of FLOAT32: %v", got)
	}
}
