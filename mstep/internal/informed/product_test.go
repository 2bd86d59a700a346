package informed

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// random returns a matrix of normal numbers whose rows are followed by so many cells that no one may read or write.
func random(r *rand.Rand, rows, columns, gap int) blas32.General {
	m := zeros(rows, columns+gap)
	m.Cols = columns
	for i := range m.Data {
		m.Data[i] = float32(math.NaN())
		if i%m.Stride < columns {
			m.Data[i] = float32(r.NormFloat64())
		}
	}
	return m
}

func transposed(m blas32.General) blas32.General {
	t := zeros(m.Cols, m.Rows)
	for i := range m.Rows {
		for j := range m.Cols {
			t.Data[j*t.Stride+i] = m.Data[i*m.Stride+j]
		}
	}
	return t
}

// expect fails unless got is a · b, each cell by a sum in float64 and one line. An error of n roundings of float32's
// last place is allowed for n terms, of the sum of their sizes.
func expect(t *testing.T, got, a, b blas32.General) {
	t.Helper()
	if got.Rows != a.Rows || got.Cols != b.Cols || len(got.Data) != a.Rows*b.Cols {
		t.Fatalf("result of %d × %d with %d cells, want %d × %d", got.Rows, got.Cols, len(got.Data), a.Rows, b.Cols)
	}
	for i := range a.Rows {
		for j := range b.Cols {
			sum, size := 0.0, 0.0
			for k := range a.Cols {
				x := float64(a.Data[i*a.Stride+k]) * float64(b.Data[k*b.Stride+j])
				sum += x
				size += math.Abs(x)
			}
			if x := float64(got.Data[i*got.Stride+j]); !(math.Abs(x-sum) <= float64(a.Cols)*0x1p-23*size) {
				t.Fatalf("%d × %d × %d: cell %d, %d is %v, want %v", a.Rows, a.Cols, b.Cols, i, j, x, sum)
			}
		}
	}
}

// TestSizes: products of all sizes around the sizes of tiles and panels are right. The right factor is as it stands or
// transposed, and anything may follow rows.
func TestSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, rows := range []int{0, 1, 4, 7} {
		for _, inner := range []int{0, 1, 2, 17, depth, depth + 1, 2*depth + 3} {
			for _, columns := range []int{0, 1, 7, 16, 17, 40} {
				for _, gap := range []int{0, 3} {
					a, b := random(r, rows, inner, gap), random(r, inner, columns, gap)
					expect(t, product(a, newFactor(b)), a, b)
					expect(t, product(a, transposedFactor(transposed(b))), a, b)
				}
			}
		}
	}
}

// TestSameOnAnyMachine: the number of cores changes no bit.
func TestSameOnAnyMachine(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := rand.New(rand.NewPCG(23, 24))
	a, b := random(r, 9, 600, 0), newFactor(random(r, 600, 1200, 0))
	var results [2][]float32
	for i, cores := range []int{1, 7} {
		runtime.GOMAXPROCS(cores)
		results[i] = product(a, b).Data
	}
	if !slices.Equal(results[0], results[1]) {
		t.Error("products on 1 core and on 7 differ")
	}
}

// TestFactorsThatDoNotMatch are refused: their product would be of other numbers.
func TestFactorsThatDoNotMatch(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a product of 2 columns and 3 rows")
		}
	}()
	r := rand.New(rand.NewPCG(25, 26))
	product(random(r, 1, 2, 0), newFactor(random(r, 3, 1, 0)))
}

// FuzzKernel compares the kernel of this machine and the plain one with a sum in float64, in panels that are followed
// by other numbers.
func FuzzKernel(f *testing.F) {
	for n := range uint16(9) {
		f.Add(uint64(n), n)
	}
	f.Add(uint64(9), uint16(depth))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) {
		r := rand.New(rand.NewPCG(seed, 27))
		columns := int(n) % (depth + 1)
		a, b := random(r, columns, height, 0), random(r, columns, width, 0)
		for _, kernel := range []func(*tile, []float32, []float32){multiplyTile, plainMultiplyTile} {
			guarded := struct{ before, t, after tile }{}
			for i := range guarded.t {
				guarded.before[i], guarded.t[i], guarded.after[i] = 1, float32(math.NaN()), 1
			}
			left, right := followed(a.Data), followed(b.Data)
			kernel(&guarded.t, left, right)
			expect(t, blas32.General{Rows: height, Cols: width, Stride: width, Data: guarded.t[:]}, transposed(a), b)
			for i := range guarded.t {
				if guarded.before[i] != 1 || guarded.after[i] != 1 {
					t.Fatal("a kernel writes beside its tile")
				}
			}
		}
	})
}

// followed returns numbers that are followed by ones that are not: whoever reads on will show it.
func followed(numbers []float32) []float32 {
	return append(slices.Clone(numbers), slices.Repeat([]float32{float32(math.NaN())}, width)...)[:len(numbers)]
}

// BenchmarkOf is of 50 mixtures of 243 rows over 4,096 words, and the transposed product: 50 million multiplications
// each.
func BenchmarkOf(b *testing.B) {
	r := rand.New(rand.NewPCG(28, 29))
	rows := random(r, 243, 4096, 0)
	for _, c := range []struct {
		name  string
		inner int
		right *factor
	}{{"mixtures", 243, newFactor(rows)}, {"transposed", 4096, transposedFactor(rows)}} {
		left := random(r, 50, c.inner, 0)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				product(left, c.right)
			}
		})
	}
}
