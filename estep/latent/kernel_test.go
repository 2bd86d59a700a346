package latent

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// beside is how many numbers before and behind a list a kernel must leave as they are.
const beside = 8

// guarded returns a list of n random numbers, and the whole that it is the middle of.
func guarded(random *rand.Rand, n int) (list, whole []float32) {
	whole = make([]float32, n+2*beside)
	for i := range whole {
		whole[i] = float32(math.Ldexp(1+random.Float64(), random.IntN(20)-15))
	}
	return whole[beside : beside+n : beside+n], whole
}

// TestKernels compares the kernels of this machine with the plain ones, on lists of all lengths around multiples of the
// vector length. Each number must be the same, and the sum of squares to the last digits. Nothing beside the lists
// changes.
func TestKernels(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		row, wholeRow := guarded(random, n)
		total, wholeTotal := guarded(random, n)
		beta, wholeBeta := guarded(random, n)
		wantRow, wantTotal, wantBeta := slices.Clone(wholeRow), slices.Clone(wholeTotal), slices.Clone(wholeBeta)
		same := func(what string) {
			t.Helper()
			if !slices.Equal(wholeRow, wantRow) || !slices.Equal(wholeTotal, wantTotal) ||
				!slices.Equal(wholeBeta, wantBeta) {
				t.Fatalf("%s of %d numbers: %v, %v, %v, want %v, %v, %v", what, n, wholeRow, wholeTotal, wholeBeta,
					wantRow, wantTotal, wantBeta)
			}
		}
		of := func(whole []float32) []float32 { return whole[beside : beside+n] }

		share(row, total, beta, 0.7)
		plainShare(of(wantRow), of(wantTotal), of(wantBeta), 0.7)
		same("share")

		got, want := weigh(row, beta), plainWeigh(of(wantRow), of(wantBeta))
		same("weigh")
		if math.Abs(got-want) > 1e-14*want {
			t.Errorf("squares of %d numbers are %v, want %v", n, got, want)
		}

		scale(row, 1.3)
		plainScale(of(wantRow), 1.3)
		same("scale")
	}
}
