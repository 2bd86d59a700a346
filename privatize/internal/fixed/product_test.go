package fixed

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// upper is a layout of a plain matrix, a symmetric one and a plain one.
func upper() *Layout {
	l := new(Layout)
	l.Append(3, 4)
	l.AppendSymmetric(5)
	l.Append(2, 2)
	return l
}

// addExpanded adds what AddFactored adds as dense blocks, a row each.
func addExpanded(v *Vector, l *Layout, g Grid, matrix int, rows, columns []uint32, values []float32) error {
	m := l.matrices[matrix]
	for i := range extent(rows, m.rows) {
		var line []float32
		var of []uint32
		for j := range extent(columns, m.columns) {
			if m.symmetric && j < i {
				continue
			}
			of = append(of, uint32(at(columns, j)))
			line = append(line, values[i]*values[extent(rows, m.rows)+j])
		}
		if err := v.Add(l, g, matrix, []uint32{uint32(at(rows, i))}, of, line); err != nil {
			return err
		}
	}
	return nil
}

// short returns a number of at most 12 binary digits, so that the product of two is a float32.
func short(random *rand.Rand) float32 {
	return float32(math.Ldexp(float64(random.IntN(1<<13)-1<<12), random.IntN(40)-30))
}

// some returns an ascending choice of n numbers, or none, which is all.
func some(random *rand.Rand, from, n int) (list []uint32) {
	for i := from; i < n; i++ {
		if random.IntN(2) == 0 {
			list = append(list, uint32(i))
		}
	}
	return list
}

// TestExpandIsDense: blocks of products, between others, are bit for bit the cells and steps of the same contribution
// in dense blocks.
func TestExpandIsDense(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	l := upper()
	l.Append(9, 3) // rows that are added four at a time, and more
	var whole Vector
	for range 5000 {
		var factored, dense Vector
		for matrix, m := range l.matrices {
			g := Grid{PerUnit: math.Ldexp(1+random.Float64(), random.IntN(30))}
			for from := 0; from < m.rows; {
				rows, columns := some(random, from, m.rows), some(random, 0, m.columns)
				if m.symmetric {
					columns = rows
				}
				if len(rows) == 0 && from > 0 {
					break
				}
				values := make([]float32, extent(rows, m.rows)+extent(columns, m.columns))
				for i := range values {
					values[i] = short(random)
				}
				from = at(rows, extent(rows, m.rows)-1) + 1
				var errs [2]error
				errs[1] = addExpanded(&dense, l, g, matrix, rows, columns, values)
				if random.IntN(3) > 0 {
					errs[0] = factored.AddFactored(l, g, matrix, rows, columns, values)
				} else {
					errs[0] = addExpanded(&factored, l, g, matrix, rows, columns, values)
				}
				if errs[0] != nil || errs[1] != nil {
					t.Fatal(errs)
				}
			}
		}
		got := factored.Expand(&whole)
		if !slices.Equal(got.Cells, dense.Cells) || !slices.Equal(got.Steps, dense.Steps) {
			t.Fatalf("cells %v of %v steps, want %v of %v", got.Cells, got.Steps, dense.Cells, dense.Steps)
		}
		added, want := NewSum(l.Cells()), NewSum(l.Cells())
		if err := errors.Join(factored.AddTo(added, Limit), dense.AddTo(want, Limit)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(added.Cells, want.Cells) {
			t.Fatalf("sum %v, want %v", added.Cells, want.Cells)
		}
	}
}

// TestAddToIsExpand: what AddTo adds of a product is bit for bit what Expand makes of it, for factors of all binary
// digits, grids that are no power of two, rows by four and by one, and cells at the limit of steps.
func TestAddToIsExpand(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 100_000 {
		l := new(Layout)
		if rows := 1 + random.IntN(10); random.IntN(2) == 0 {
			l.AppendSymmetric(rows)
		} else {
			l.Append(rows, 1+random.IntN(5))
		}
		m := l.matrices[0]
		g := Grid{PerUnit: 0x1p40 * (1 + random.Float64())} // so many steps that each rounding shows
		values := make([]float32, m.rows+m.columns)
		for j := range values {
			values[j] = random.Float32() - 0.5
		}
		if i%4 == 0 { // the product of the largest factors is 2^40 steps, or as near as float32 comes
			g.PerUnit = 1
			for j := range values {
				values[j] = float32(math.Ldexp(1+float64(random.IntN(3)-1)*0x1p-23, 20))
			}
		}
		var v, whole Vector
		if err := v.AddFactored(l, g, 0, nil, nil, values); err != nil {
			t.Fatal(err)
		}
		added, want := NewSum(l.Cells()), NewSum(l.Cells())
		if err := errors.Join(v.AddTo(added, Limit), v.Expand(&whole).AddTo(want, Limit)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(added.Cells, want.Cells) {
			t.Fatalf("%v on a grid of %v: sum %v, want %v", values, g.PerUnit, added.Cells, want.Cells)
		}
	}
}

// TestNorm: Norm is at least the exact norm of the expanded steps. It is near that norm where truncation takes hardly
// anything off. Blocks have grids of their own, and numbers are large or small.
func TestNorm(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	l := new(Layout)
	l.Append(3, 4)
	l.Append(30, 5)
	l.Append(1, 2)
	for range 20_000 {
		var v, whole Vector
		scale := math.Ldexp(1, random.IntN(120)-60)
		for matrix, m := range l.matrices[:2] {
			values := make([]float32, m.rows+m.columns)
			for i := range values {
				values[i] = float32((random.Float64() - 0.5) * scale)
			}
			if random.IntN(4) == 0 {
				values[0] = 0
			}
			grid := Grid{math.Ldexp(1+random.Float64(), random.IntN(40)-10) / scale / scale}
			if err := v.AddFactored(l, grid, matrix, nil, nil, values); err != nil {
				t.Fatal(err)
			}
		}
		if random.IntN(2) == 0 {
			grid := Grid{math.Ldexp(1, random.IntN(40))}
			if err := v.Add(l, grid, 2, nil, nil, []float32{random.Float32(), -random.Float32()}); err != nil {
				t.Fatal(err)
			}
		}
		square, largest := new(big.Float).SetPrec(200), int64(0)
		for _, z := range v.Expand(&whole).Steps {
			square.Add(square, new(big.Float).SetInt(new(big.Int).Mul(big.NewInt(z), big.NewInt(z))))
			largest = max(largest, z, -z)
		}
		exact, _ := square.Sqrt(square).Float64()
		norm := v.Norm()
		if largest < Limit && norm < exact || largest > 1<<25 && largest < Limit && norm > exact*(1+1e-5) {
			t.Fatalf("norm %v, exactly %v", norm, exact)
		}
	}
	var v Vector
	largest := slices.Repeat([]float32{math.MaxFloat32}, 7)
	if err := v.AddFactored(l, Grid{math.MaxFloat64}, 0, nil, nil, largest); err != nil || !math.IsInf(v.Norm(), 1) {
		t.Errorf("%v, norm %v of what no float64 can hold", err, v.Norm())
	}
}

// TestProductsOverflow: a sum without room looks at each cell of a product.
func TestProductsOverflow(t *testing.T) {
	l := new(Layout)
	l.Append(1, 2)
	for first, want := range map[int64]error{math.MaxInt64 - 6: nil, math.MaxInt64 - 5: ErrOverflow} {
		s := NewSum(2)
		before := Vector{Cells: []int{1}, Steps: []int64{first}}
		if err := before.AddTo(s, uint64(first)); err != nil {
			t.Fatal(err)
		}
		var v Vector
		if err := v.AddFactored(l, Grid{1}, 0, nil, nil, []float32{2, 1, 3}); err != nil {
			t.Fatal(err)
		}
		if err := v.AddTo(s, 6); err != want {
			t.Errorf("6 more than %d: %v, want %v", first, err, want)
		}
	}
}

// TestProductsAreExact compares the steps of products of any two float32 with exact arithmetic: the product is not
// rounded before it is put on the grid, as it would be as a float32.
func TestProductsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	l := new(Layout)
	l.Append(1, 1)
	number := func() float32 {
		for {
			if v := math.Float32frombits(random.Uint32()); v == v && !math.IsInf(float64(v), 0) {
				return v
			}
		}
	}
	inside := 0
	for range 100_000 {
		a, b := number(), number()
		perUnit := math.Ldexp(1, random.IntN(300)-150) // a power of two adds no rounding
		var v, whole Vector
		if err := v.AddFactored(l, Grid{perUnit}, 0, nil, nil, []float32{a, b}); err != nil {
			t.Fatal(err)
		}
		exact := new(big.Float).SetPrec(200).Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
		exact.Mul(exact, big.NewFloat(perUnit))
		want := int64(0)
		switch limit := big.NewFloat(Limit); {
		case exact.Cmp(limit) >= 0:
			want = Limit
		case exact.Cmp(limit.Neg(limit)) <= 0:
			want = -Limit
		default:
			want, _ = exact.Int64()
			if want != 0 {
				inside++
			}
		}
		if got := v.Expand(&whole).Steps[0]; got != want {
			t.Fatalf("%v · %v at %v a unit is %d steps, want %d", a, b, perUnit, got, want)
		}
	}
	if inside < 100 {
		t.Errorf("only %d products within the limit", inside)
	}
}

func TestAddFactoredRefuses(t *testing.T) {
	l := upper()
	for _, c := range []struct {
		name          string
		matrix        int
		rows, columns []uint32
		values        int
	}{
		{"unknown matrix", 3, nil, nil, 4},
		{"negative matrix", -1, nil, nil, 4},
		{"a value for each cell", 0, []uint32{1, 2}, nil, 8},
		{"row outside", 0, []uint32{3}, nil, 5},
		{"column outside", 0, []uint32{2}, []uint32{4}, 2},
		{"column twice", 0, []uint32{2}, []uint32{1, 1}, 3},
		{"row of the block before", 0, []uint32{0, 2}, []uint32{3}, 3},
		{"all rows", 0, nil, []uint32{3}, 4},
		{"symmetric with other columns", 1, []uint32{1, 2}, []uint32{1, 3}, 4},
		{"symmetric with all columns", 1, []uint32{0, 1, 2, 3, 4}, nil, 10},
	} {
		var v, whole Vector
		if err := v.AddFactored(l, Grid{1}, 0, []uint32{0}, []uint32{1, 2}, []float32{2, 3, 4}); err != nil {
			t.Fatal(err)
		}
		if v.AddFactored(l, Grid{1}, c.matrix, c.rows, c.columns, make([]float32, c.values)) == nil {
			t.Errorf("%s: accepted", c.name)
		}
		if v.Add(l, Grid{1}, 0, []uint32{0}, []uint32{3}, []float32{1}) == nil {
			t.Errorf("%s: a dense block shares a row with a factored one", c.name)
		}
		if got := v.Expand(&whole); !slices.Equal(got.Cells, []int{1, 2}) || !slices.Equal(got.Steps, []int64{6, 8}) {
			t.Errorf("%s: left cells %v of %v steps", c.name, got.Cells, got.Steps)
		}
	}
}

// TestExpandAgain: what a clone expands to does not change with the vector it was cloned from, nor with the memory used
// again.
func TestExpandAgain(t *testing.T) {
	l := upper()
	var v, whole Vector
	fill := func(x float32) {
		v.Reset()
		if err := v.AddFactored(l, Grid{1}, 2, nil, nil, []float32{x, x, 1, 2}); err != nil {
			t.Fatal(err)
		}
	}
	fill(3)
	kept := v.Clone()
	fill(5)
	if got := v.Expand(&whole).Steps; !slices.Equal(got, []int64{5, 10, 5, 10}) {
		t.Errorf("second: %v", got)
	}
	if got := kept.Expand(&whole).Steps; !slices.Equal(got, []int64{3, 6, 3, 6}) {
		t.Errorf("clone of the first: %v", got)
	}
	if v.Reset(); v.Expand(&whole) != &v {
		t.Error("a vector without products was copied")
	}
}

// FuzzExpand adds any factored blocks. Whatever is accepted, cells ascend and lie within the layout, as many as it
// says. Products and their cells add the same to a sum.
func FuzzExpand(f *testing.F) {
	numbers := []float32{0, 1, -1, 0.3, -1e-3, 1e6, -3e38, 3e38, 1e-45, float32(math.Inf(1)), float32(math.NaN())}
	f.Add([]byte{0, 0, 0}, []byte{1, 0, 0})
	f.Add([]byte{1, 0b101, 0b101}, []byte{1, 0b11000, 0b11000})
	f.Add([]byte{1, 0b101, 0b101}, []byte{1, 0b10, 0b10})
	f.Add([]byte{2, 0b1, 0b10}, []byte{2, 0b10, 0})
	f.Add([]byte{3, 0b11111, 0}, []byte{3, 0b11100000, 0b11})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		l := upper()
		l.Append(8, 3)
		var v, whole Vector
		for _, code := range [][]byte{first, second} {
			if len(code) != 3 {
				t.Skip()
			}
			matrix, rows, columns := int(code[0]%5), set(code[1]), set(code[2])
			n := len(rows) + len(columns)
			if matrix < 4 {
				n = extent(rows, l.matrices[matrix].rows) + extent(columns, l.matrices[matrix].columns)
			}
			values := make([]float32, n)
			for i := range values {
				values[i] = numbers[(int(code[0])+7*int(code[1])+i*int(code[2]))%len(numbers)]
			}
			_ = v.AddFactored(l, Grid{1 << 20}, matrix, rows, columns, values) // refusing is fine
		}
		got := v.Expand(&whole)
		added, want := NewSum(l.Cells()), NewSum(l.Cells())
		if err := errors.Join(v.AddTo(added, Limit), got.AddTo(want, Limit)); err != nil ||
			!slices.Equal(added.Cells, want.Cells) {
			t.Fatalf("sum %v, want %v (%v)", added.Cells, want.Cells, err)
		}
		if !slices.IsSorted(got.Cells) || len(slices.Compact(slices.Clone(got.Cells))) != len(got.Cells) {
			t.Fatalf("cells %v", got.Cells)
		}
		if n := len(got.Cells); len(got.Steps) != n || n > 0 && (got.Cells[0] < 0 || got.Cells[n-1] >= l.Cells()) {
			t.Fatalf("cells %v, steps %v", got.Cells, got.Steps)
		}
	})
}

// An image of a sigmoid belief network with 784 pixels and 50 hidden units: 1.0 million cells of 2,059 numbers.
func BenchmarkExpand(b *testing.B) {
	l := new(Layout)
	l.Append(784, 1275)
	values := make([]float32, 784+1275)
	for i := range values {
		values[i] = float32(i%97) / 97
	}
	grid := ClipGrid(50, 1<<20)
	var v, whole Vector
	if err := v.AddFactored(l, grid, 0, nil, nil, values); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		v.Expand(&whole)
	}
	b.ReportMetric(float64(l.Cells())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcells/s")
}
