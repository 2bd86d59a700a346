package job

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

func numbersOf(p *wire.Part) (numbers []int16) {
	for b := range slices.Chunk(p.Values, 2) {
		numbers = append(numbers, int16(binary.LittleEndian.Uint16(b)))
	}
	return numbers
}

// TestScaled compares with numbers and exponents by hand, at the borders of 16 bits and of the exponents.
func TestScaled(t *testing.T) {
	const most = math.MaxFloat32
	for _, c := range []struct {
		values   []float32
		numbers  []int16
		exponent int32
	}{
		{nil, nil, -15},
		{[]float32{0}, []int16{0}, -15},
		{[]float32{1, -.5, 0x1p-15}, []int16{1<<15 - 2, -1<<14 + 1, 1}, -15},
		{[]float32{3, -3.25, .25, 0}, []int16{24574, -26622, 2048, 0}, -13}, // 24574.5 is a tie, 26622.375, 2047.875
		{[]float32{32768, -32769}, []int16{32766, -32767}, 0},
		{[]float32{-32769.5}, []int16{-16384}, 1}, // 32767.49994 is not far enough from 2^15
		{[]float32{0x1p-149, -0x1p-120}, []int16{0, -1 << 6}, -126},
		{[]float32{0x1p126, 0x1p112}, []int16{1<<15 - 2, 2}, 111},
		{[]float32{most, -most, -1}, []int16{1<<15 - 2, -1<<15 + 2, 0}, 111},
	} {
		p := &wire.Part{Values: stream.AppendCells(nil, c.values)}
		err := scaled(p)
		if got := numbersOf(p); err != nil || !slices.Equal(got, c.numbers) ||
			p.Exponent != c.exponent {
			t.Errorf("%v: %v · 2^%d, %v, want %v · 2^%d", c.values, got, p.Exponent, err, c.numbers, c.exponent)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if scaled(&wire.Part{Values: stream.AppendCells(nil, []float32{1, float32(v), 2})}) == nil {
			t.Errorf("%v has a number", v)
		}
	}
}

// FuzzScaled compares rounding with math.RoundToEven of the product in FLOAT32. The exponent is the least: with a
// smaller one the largest number would not fit. Bytes are FLOAT32 numbers.
func FuzzScaled(f *testing.F) {
	f.Add(stream.AppendCells(nil, []float32{1, -.75, 0, 3e-5, 7}))
	f.Add(stream.AppendCells(nil, []float32{32769.75, -32768, 1e-40}))
	f.Add(stream.AppendCells(nil, []float32{math.MaxFloat32, 1e38, -1e37}))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:len(b)&^3]
		values := wire.AppendFloats(nil, b)
		largest, finite := 0.0, true
		for _, v := range values {
			finite = finite && math.Abs(float64(v)) <= math.MaxFloat32
			largest = max(largest, min(math.Abs(float64(v)), 0x1p126))
		}
		p := &wire.Part{Values: bytes.Clone(b)}
		if err := scaled(p); err != nil || !finite {
			if (err == nil) == finite {
				return
			}
			t.Fatalf("%v: error %v", values, err)
		}
		numbers, unit := numbersOf(p), math.Ldexp(1, int(p.Exponent))
		if p.Exponent < wire.MinExponent || p.Exponent > wire.MaxExponent {
			t.Fatalf("exponent %d", p.Exponent)
		}
		if p.Exponent > -126 && largest > 0 && largest*shrink/unit*2 <= 1<<15-1 {
			t.Errorf("%v: with an exponent less than %d the largest fits, too", values, p.Exponent)
		}
		scale := float32(shrink / unit)
		for i, v := range values {
			want := math.RoundToEven(float64(float32(max(-0x1p126, min(v, 0x1p126)) * scale)))
			if float64(numbers[i]) != want {
				t.Errorf("%v has %d · 2^%d, want %v", v, numbers[i], p.Exponent, want)
			}
		}
	})
}

// BenchmarkScaled has the 255 cells of a short text.
func BenchmarkScaled(b *testing.B) {
	values := make([]float32, 255)
	for i := range values {
		values[i] = 1 / float32(i+16)
	}
	from, to := stream.AppendCells(nil, values), make([]byte, 4*len(values))
	b.SetBytes(int64(len(from)))
	for b.Loop() {
		copy(to, from)
		if err := scaled(&wire.Part{Values: to}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestScaleKernels compares the kernels of this machine with the plain ones, for lengths up to a few vectors and for
// any alignment. Nothing behind the numbers changes.
func TestScaleKernels(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 4 * 70 {
		n, offset := n/4, n%4
		whole := make([]byte, offset+4*n+16)
		for i := range whole {
			whole[i] = byte(random.Uint32())
		}
		for i := range n { // products below 2^15 in absolute value, some with a half behind the point
			v := float32(random.IntN(1<<16-2)-(1<<15-1)) / 2 * float32(1+random.IntN(2))
			binary.LittleEndian.PutUint32(whole[offset+4*i:], math.Float32bits(v*4))
		}
		want := bytes.Clone(whole)
		got, plain := whole[offset:offset+4*n], want[offset:offset+4*n]
		if a, b := magnitude(got), plainMagnitude(plain); a != b {
			t.Fatalf("%d numbers: largest %v, want %v", n, a, b)
		}
		toINT16(got, .25)
		plainINT16(plain, .25)
		if !bytes.Equal(got[:2*n], plain[:2*n]) || !bytes.Equal(whole[offset+4*n:], want[offset+4*n:]) {
			t.Fatalf("%d numbers: %v, want %v", n, got[:2*n], plain[:2*n])
		}
	}
}
