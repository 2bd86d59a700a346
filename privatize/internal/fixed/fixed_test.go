package fixed

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuantise(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		perUnit float64
		v       float32
		want    int64
	}{
		{1, 0, 0},
		{1, 0.99, 0},
		{1, -0.99, 0},
		{1, 1.99, 1},
		{1, -1.99, -1},
		{4, 0.74, 2},
		{1, math.SmallestNonzeroFloat32, 0},
		{math.MaxFloat64, -math.SmallestNonzeroFloat32, -Limit},
		{1, Limit - 1<<16, Limit - 1<<16}, // the float32 below Limit
		{1, Limit, Limit},
		{1, Limit + 1<<17, Limit},
		{1, -Limit - 1<<17, -Limit},
		{1, math.MaxFloat32, Limit},
		{1, inf, Limit},
		{1, -inf, -Limit},
		{1, float32(math.NaN()), 0},
		{math.Inf(1), 0, 0}, // the grid of a clip bound below 2^-1004: 0·∞ is NaN
		{math.Inf(1), -1, -Limit},
	} {
		if got := (Grid{c.perUnit}).Quantise(float64(c.v)); got != c.want {
			t.Errorf("Quantise(%v) at %v a unit = %d, want %d", c.v, c.perUnit, got, c.want)
		}
	}
}

// FuzzQuantise compares with exact rationals. The product may be off by one rounding of a float64, 2^-53 of itself; on
// a grid of a power of two it is exact.
func FuzzQuantise(f *testing.F) {
	f.Add(uint32(0x3f800000), 50.0, uint8(20))                             // 1, clip 50
	f.Add(math.Float32bits(-8.1), 0.1, uint8(20))                          // no binary fractions
	f.Add(math.Float32bits(math.Nextafter32(3, 0)), 1.0, uint8(0))         // just below a step
	f.Add(math.Float32bits(1e-40), 1e-45, uint8(3))                        // subnormal
	f.Add(math.Float32bits(-math.MaxFloat32), 1e9, uint8(20))              // saturates
	f.Add(math.Float32bits(0.3), math.Nextafter(0.3, 1)*(1<<20), uint8(0)) // product near 2^-20
	f.Fuzz(func(t *testing.T, word uint32, clip float64, bits uint8) {
		v := math.Float32frombits(word)
		grid := ClipGrid(clip, 1<<(bits%21))
		if v != v || math.IsInf(float64(v), 0) || !(clip > 0) || math.IsInf(grid.PerUnit, 0) || grid.PerUnit == 0 {
			t.Skip()
		}
		exact := new(big.Rat).Mul(new(big.Rat).SetFloat64(float64(v)), new(big.Rat).SetFloat64(grid.PerUnit))
		exact.Abs(exact)
		got := grid.Quantise(float64(v))
		steps := new(big.Rat).SetInt64(int64(Magnitude(got)))
		if got != 0 && (got < 0) != (v < 0) {
			t.Fatalf("%v counts %d steps: sign", v, got)
		}
		if steps.Cmp(big.NewRat(Limit, 1)) == 0 {
			steps.Set(minimum(exact, steps)) // saturated: too few, never too many
		}
		rounding := big.NewRat(0, 1)
		if mantissa, _ := math.Frexp(grid.PerUnit); mantissa != 0.5 {
			rounding.Mul(exact, big.NewRat(1, 1<<53))
		}
		if steps.Cmp(new(big.Rat).Add(exact, rounding)) > 0 {
			t.Fatalf("%v at %v a unit counts %d steps, more than %s", v, grid.PerUnit, got, exact.FloatString(20))
		}
		if new(big.Rat).Add(steps, big.NewRat(1, 1)).Cmp(new(big.Rat).Sub(exact, rounding)) <= 0 {
			t.Fatalf("%v at %v a unit counts %d steps of %s", v, grid.PerUnit, got, exact.FloatString(20))
		}
	})
}

// minimum returns the limit if exact is beyond it: the steps that a saturated coordinate stands for.
func minimum(exact, limit *big.Rat) *big.Rat {
	if exact.Cmp(limit) > 0 {
		return exact
	}
	return limit
}

// The clip bound C is 2^bits steps, whatever C.
func TestClipGrid(t *testing.T) {
	for _, clip := range []float64{0x1p-126, 0.25, 1, 64, 0x1p100} {
		for _, bits := range []int{0, 7, 20} {
			grid := ClipGrid(clip, 1<<bits)
			if got := grid.Quantise(float64(float32(clip))); got != 1<<bits {
				t.Errorf("clip %v of %d bits counts %d steps", clip, bits, got)
			}
			if got := math.Ldexp(grid.Step(), bits); got != clip {
				t.Errorf("2^%d steps are worth %v, want %v", bits, got, clip)
			}
		}
	}
}

func FuzzSumAdd(f *testing.F) {
	for _, pair := range [][2]int64{
		{0, 0}, {math.MaxInt64, 0}, {math.MaxInt64, 1}, {math.MinInt64, -1}, {math.MinInt64, math.MinInt64},
		{math.MaxInt64, math.MinInt64}, {-1, math.MinInt64}, {0, math.MinInt64}, {math.MaxInt64 - Limit, Limit},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b int64) {
		s := Sum{Cells: []int64{7, a, 7}}
		err := s.Add(1, b)
		want := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		if !want.IsInt64() {
			want.SetInt64(a) // left as it was
		}
		if fits := want.Int64() == a+b; fits != (err == nil) || err != nil && err != ErrOverflow {
			t.Fatalf("%d + %d: error %v", a, b, err)
		}
		if s.Cells[1] != want.Int64() || s.Cells[0] != 7 || s.Cells[2] != 7 {
			t.Fatalf("%d + %d = %d, want %d; neighbours %d, %d", a, b, s.Cells[1], want, s.Cells[0], s.Cells[2])
		}
	})
}

// FuzzSum adds steps to two cells by all ways, and compares each sum with exact numbers. The sum is exact or
// ErrOverflow, whichever cell overflows to either side. An operation is a way, a cell and the two steps. The second
// step is for vectors of both cells.
func FuzzSum(f *testing.F) {
	const most, least = math.MaxInt64, math.MinInt64
	for _, seed := range [][]int64{
		{0, 0, most, 0, 0, 0, 1, 0},                             // to 2^63-1, and the next one overflows
		{0, 0, most - 1, 0, 0, 0, 1, 0},                         // exactly to 2^63-1
		{0, 0, -most, 0, 0, 0, -1, 0},                           // exactly to -2^63
		{0, 0, -most, 0, 0, 0, -2, 0},                           // beyond it
		{0, 0, least, 0, 0, 0, most, 0, 0, 0, 1, 0, 0, 0, 1, 0}, // back and forth
		{1, 0, 1 << 62, -1 << 62, 1, 0, 1 << 62, 5},             // vectors of all cells
		{2, 0, most, 0, 0, 0, 1, 0},                             // a single cell, and then a vector
		{2, 1, least, 0, 1, 0, 0, -1},
		{0, 0, 1 << 62, 0, 0, 1, 1 << 62, 0, 0, 0, -1 << 62, 0}, // within each cell, but not within the sum of all
		{0, 0, 1 << 62, 0, 0, 1, 1 << 62, 0, 0, 0, 1 << 62, 0},  // one cell alone overflows
		{0, 0, 7, 0, 0, 0, least, 0, 0, 1, least, 0, 0, 0, -8, 0},
		{3, 0, most, 0, 3, 0, 1, 1}, // the first cell of a vector overflows, and the second does not
		{3, 0, least, 0, 3, 0, -1, 1},
		{3, 0, 0, most, 3, 0, -1, 1}, // the second does
		{3, 0, 0, least, 3, 0, 1, -1},
		{3, 0, most, least, 3, 0, least, most}, // neither
		{3, 0, most, most, 3, 0, 1, 1},         // both: two faults do not cancel
		{3, 0, least, least, 3, 0, -1, -1},
	} {
		var b []byte
		for _, n := range seed {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, exact := NewSum(2), []*big.Int{new(big.Int), new(big.Int)}
		for operation := range slices.Chunk(b, 32) {
			if len(operation) < 32 {
				return
			}
			number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(operation[8*i:])) }
			cell, steps := int(uint64(number(1))%2), []int64{number(2), number(3)}
			var err error
			switch uint64(number(0)) % 4 {
			case 0:
				v := Vector{Cells: []int{cell}, Steps: steps[:1]}
				err = v.AddTo(s, Magnitude(steps[0]))
				exact[cell].Add(exact[cell], big.NewInt(steps[0]))
			case 1:
				err = s.AddCells(steps)
				for i, z := range steps {
					exact[i].Add(exact[i], big.NewInt(z))
				}
			case 2:
				err = s.Add(cell, steps[0])
				exact[cell].Add(exact[cell], big.NewInt(steps[0]))
			case 3:
				v := Vector{Cells: []int{0, 1}, Steps: steps}
				err = v.AddTo(s, max(Magnitude(steps[0]), Magnitude(steps[1])))
				for i, z := range steps {
					exact[i].Add(exact[i], big.NewInt(z))
				}
			}
			if fits := exact[0].IsInt64() && exact[1].IsInt64(); !fits || err != nil {
				if fits || err != ErrOverflow {
					t.Fatalf("error %v, and the exact sums are %v", err, exact)
				}
				return
			}
			if s.Cells[0] != exact[0].Int64() || s.Cells[1] != exact[1].Int64() {
				t.Fatalf("sums %v, exact %v", s.Cells, exact)
			}
		}
	})
}

// Any order of the contributions, and any way to add them in parts first, gives the same cells. In float64 it would
// not: the values span 40 binary digits and cancel.
func TestSumDoesNotDependOnOrder(t *testing.T) {
	const cells, units = 7, 500
	random := rand.New(rand.NewPCG(1, 2))
	vectors := make([]Vector, units)
	for i := range vectors {
		for c := range cells {
			if random.IntN(3) > 0 {
				vectors[i].Cells = append(vectors[i].Cells, c)
				vectors[i].Steps = append(vectors[i].Steps, random.Int64N(2*Limit)-Limit)
			}
		}
	}
	inOrder := NewSum(cells)
	for i := range vectors {
		if err := vectors[i].AddTo(inOrder, Limit); err != nil {
			t.Fatal(err)
		}
	}
	exact := make([]big.Int, cells)
	for _, v := range vectors {
		for i, c := range v.Cells {
			exact[c].Add(&exact[c], big.NewInt(v.Steps[i]))
		}
	}
	for round := range 20 {
		parts := []*Sum{NewSum(cells), NewSum(cells), NewSum(cells)}
		for _, i := range random.Perm(units) {
			if err := vectors[i].AddTo(parts[random.IntN(len(parts))], Limit); err != nil {
				t.Fatal(err)
			}
		}
		for c := range cells {
			total := parts[2].Cells[c] + parts[0].Cells[c] + parts[1].Cells[c]
			if total != inOrder.Cells[c] || total != exact[c].Int64() {
				t.Fatalf("round %d, cell %d: %d, in order %d, exactly %v", round, c, total, inOrder.Cells[c], &exact[c])
			}
		}
	}
}

func TestSquares(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 1000} {
		for _, spread := range []int64{1, 1 << 20, 1 << 26, 1<<27 - 1, 1 << 27, 1<<28 - 1, 1 << 32, Limit} {
			z, want := make([]int64, n), new(big.Int)
			for i := range z {
				z[i] = spread
				if i%3 > 0 {
					z[i] = random.Int64N(2*spread+1) - spread
				}
				want.Add(want, new(big.Int).Mul(big.NewInt(z[i]), big.NewInt(z[i])))
			}
			high, low := Squares(z)
			got := new(big.Int).SetUint64(high)
			got.Lsh(got, 64).Or(got, new(big.Int).SetUint64(low))
			if got.Cmp(want) != 0 {
				t.Errorf("%d coordinates within %d: %v, want %v", n, spread, got, want)
			}
		}
	}
}

func BenchmarkQuantise(b *testing.B) {
	grid := ClipGrid(50, 1<<20)
	values := make([]float32, 1024)
	for i := range values {
		values[i] = rand.Float32()*100 - 50
	}
	var sum int64
	for i := 0; b.Loop(); i++ {
		sum += grid.Quantise(float64(values[i%len(values)]))
	}
	if sum == math.MinInt64 {
		b.Fatal("unlikely")
	}
}

func BenchmarkSquares(b *testing.B) {
	z := make([]int64, 5000) // a document of 100 words, 50 topics
	for i := range z {
		z[i] = rand.Int64N(1 << 20)
	}
	b.SetBytes(int64(8 * len(z)))
	for b.Loop() {
		Squares(z)
	}
}

func TestAbsolutes(t *testing.T) {
	long := make([]int64, 1<<10)
	for i := range long {
		long[i] = math.MinInt64
	}
	for _, c := range []struct {
		z         []int64
		high, low uint64
	}{
		{nil, 0, 0},
		{[]int64{3, -4, 0}, 0, 7},
		{[]int64{math.MaxInt64, math.MinInt64, 1}, 1, 0},
		{long, 1 << 9, 0},
	} {
		if high, low := Absolutes(c.z); high != c.high || low != c.low {
			t.Errorf("%d coordinates: %d, %d, want %d, %d", len(c.z), high, low, c.high, c.low)
		}
	}
}
