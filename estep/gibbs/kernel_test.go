package gibbs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzKernel compares the kernels of this machine with the plain ones, and these with sums in one line, up to the
// largest numbers.
func FuzzKernel(f *testing.F) {
	for width := range uint8(8) {
		f.Add(uint64(width), width)
	}
	f.Fuzz(func(t *testing.T, seed uint64, width uint8) {
		random := rand.New(rand.NewPCG(seed, 2))
		n := padding * (1 + int(width)%32)
		// More elements surround those of the kernels, which must not touch them.
		ends, row, mass := make([]uint64, n+2), make([]uint32, n+2), make([]uint32, n+2)
		shares := make([]float32, n+2)
		largest := uint32(1) << random.IntN(31) // n products below 2^24 · 2^31 are below 2^63
		for i := range ends {
			ends[i], row[i], mass[i], shares[i] = 99, random.Uint32N(1<<weightBits+1), random.Uint32N(largest+1), 1
			if random.IntN(3) == 0 {
				mass[i] = 0
			}
		}
		mass[1] = 1 + mass[1]/2
		row[1] = max(row[1], 1)
		want := slices.Clone(ends)
		for i := 1; i <= n; i++ {
			want[i] = uint64(row[i]) * uint64(mass[i])
			if i > lanes {
				want[i] += want[i-lanes]
			}
		}
		plain := slices.Clone(ends)
		plainProducts(plain[1:n+1], row[1:n+1], mass[1:n+1])
		products(ends[1:n+1], row[1:n+1], mass[1:n+1])
		if !slices.Equal(plain, want) || !slices.Equal(ends, want) {
			t.Fatalf("products %v\nplain %v\nwant %v", ends, plain, want)
		}
		sum := total(ends[1 : n+1])
		places := []uint64{0, sum - 1, random.Uint64N(sum), random.Uint64N(sum)}
		for _, place := range places {
			at := place
			number := 0 // the element by a walk, lane by lane
			for ; ; number++ {
				i := 1 + element(number, n)
				if own := uint64(row[i]) * uint64(mass[i]); at < own {
					break
				} else {
					at -= own
				}
			}
			if got, plain := find(ends[1:n+1], place), plainFind(ends[1:n+1], place); got != number || plain != number {
				t.Fatalf("the place %d of %d is of element %d, plainly of %d, want %d", place, sum, got, plain, number)
			}
		}
		share(shares[1:n+1], row[1:n+1], mass[1:n+1], 0x1p-40)
		for i, x := range shares {
			want := 1.0
			if i > 0 && i <= n {
				want += float64(row[i]) * float64(mass[i]) * 0x1p-40
			}
			if math.Abs(float64(x)-want) > 1e-6*want {
				t.Fatalf("share %d is %v, want %v", i, x, want)
			}
		}
	})
}
