package fixed

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// twoMatrices are a of 2 × 3 cells, 0 to 5, and b of 1 × 4 cells, 6 to 9.
func twoMatrices() *Layout {
	l := new(Layout)
	l.Append(2, 3)
	l.Append(1, 4)
	return l
}

func TestLayout(t *testing.T) {
	l := twoMatrices()
	if l.Cells() != 10 || l.Matrices() != 2 {
		t.Errorf("%d cells, %d matrices", l.Cells(), l.Matrices())
	}
	for i, want := range [][2]int{{0, 6}, {6, 10}} {
		if from, to := l.Span(i); from != want[0] || to != want[1] {
			t.Errorf("matrix %d spans [%d, %d), want %v", i, from, to, want)
		}
	}
}

// block is an argument list of Vector.Add.
type block struct {
	matrix        int
	rows, columns []uint32
	values        []float32
}

func (b block) addTo(v *Vector) error {
	return v.Add(twoMatrices(), Grid{1}, b.matrix, b.rows, b.columns, b.values)
}

func TestVectorAdd(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks []block
		cells  []int
	}{
		{"all of a matrix", []block{{0, nil, nil, []float32{1, 2, 3, 4, 5, 6}}}, []int{0, 1, 2, 3, 4, 5}},
		{"some columns", []block{{0, nil, []uint32{0, 2}, []float32{1, 2, 3, 4}}}, []int{0, 2, 3, 5}},
		{"some rows", []block{{0, []uint32{1}, nil, []float32{1, 2, 3}}}, []int{3, 4, 5}},
		{"row after row", []block{
			{0, []uint32{0}, []uint32{2}, []float32{1}},
			{0, []uint32{1}, []uint32{0}, []float32{2}},
		}, []int{2, 3}},
		{"matrix after matrix", []block{
			{0, []uint32{1}, []uint32{1}, []float32{1}},
			{1, nil, []uint32{0, 3}, []float32{2, 3}},
		}, []int{4, 6, 9}},
		{"second matrix only", []block{{1, []uint32{0}, nil, []float32{1, 2, 3, 4}}}, []int{6, 7, 8, 9}},
	} {
		var v Vector
		for _, b := range c.blocks {
			if err := b.addTo(&v); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if !slices.Equal(v.Cells, c.cells) {
			t.Errorf("%s: cells %v, want %v", c.name, v.Cells, c.cells)
		}
		for i, steps := range v.Steps {
			if steps != int64(i+1) {
				t.Errorf("%s: cell %d has %d steps", c.name, v.Cells[i], steps)
			}
		}
	}
}

// Each refused block follows one of row 1 of the first matrix, which must stay as it was.
func TestVectorAddRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		block block
	}{
		{"negative matrix", block{-1, nil, nil, nil}},
		{"unknown matrix", block{2, nil, nil, nil}},
		{"too few values", block{1, nil, nil, []float32{1, 2, 3}}},
		{"too many values", block{1, nil, []uint32{1}, []float32{1, 2}}},
		{"row outside", block{1, []uint32{1}, []uint32{0}, []float32{1}}},
		{"column outside", block{1, nil, []uint32{4}, []float32{1}}},
		{"column twice", block{1, nil, []uint32{1, 1}, []float32{1, 2}}},
		{"columns descend", block{1, nil, []uint32{2, 1}, []float32{1, 2}}},
		{"same row", block{0, []uint32{1}, []uint32{0}, []float32{1}}},
		{"row before", block{0, []uint32{0}, []uint32{0}, []float32{1}}},
		{"all rows again", block{0, nil, []uint32{0}, []float32{1, 2}}},
	} {
		var v Vector
		if err := (block{0, []uint32{1}, []uint32{1}, []float32{9}}).addTo(&v); err != nil {
			t.Fatal(err)
		}
		if c.block.addTo(&v) == nil {
			t.Errorf("%s: accepted", c.name)
		}
		if !slices.Equal(v.Cells, []int{4}) || !slices.Equal(v.Steps, []int64{9}) {
			t.Errorf("%s: left cells %v of %v steps", c.name, v.Cells, v.Steps)
		}
	}
}

// After Reset another unit may begin at the first row again.
func TestVectorReset(t *testing.T) {
	var v Vector
	all := block{0, nil, nil, []float32{1, 2, 3, 4, 5, 6}}
	if err := all.addTo(&v); err != nil {
		t.Fatal(err)
	}
	if err := all.addTo(&v); !errors.Is(err, ErrOverlap) {
		t.Errorf("the same block again: %v", err)
	}
	v.Reset()
	if err := all.addTo(&v); err != nil || len(v.Cells) != 6 {
		t.Errorf("after Reset: %v, cells %v", err, v.Cells)
	}
}

// FuzzVectorAdd adds any blocks. Whatever is accepted, no cell occurs twice, or the clip would bound less than what the
// sum takes in; and none lies outside the layout.
func FuzzVectorAdd(f *testing.F) {
	f.Add([]byte{0, 0, 0}, []byte{1, 0, 0})
	f.Add([]byte{0, 0b01, 0b101}, []byte{0, 0b10, 0b011})
	f.Add([]byte{0, 0b10, 0}, []byte{0, 0b01, 0})
	f.Add([]byte{1, 0b1, 0b1010}, []byte{0, 0, 0})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		l := twoMatrices()
		var v Vector
		for _, code := range [][]byte{first, second} {
			if len(code) != 3 {
				t.Skip()
			}
			b := block{matrix: int(code[0] % 3), rows: set(code[1]), columns: set(code[2])}
			rows, columns := len(b.rows), len(b.columns)
			if b.matrix < 2 && rows == 0 {
				rows = []int{2, 1}[b.matrix]
			}
			if b.matrix < 2 && columns == 0 {
				columns = []int{3, 4}[b.matrix]
			}
			b.values = make([]float32, rows*columns)
			_ = b.addTo(&v) // refusing is fine
		}
		if !slices.IsSorted(v.Cells) || len(slices.Compact(slices.Clone(v.Cells))) != len(v.Cells) {
			t.Fatalf("cells %v", v.Cells)
		}
		if n := len(v.Cells); len(v.Steps) != n || n > 0 && (v.Cells[0] < 0 || v.Cells[n-1] >= l.Cells()) {
			t.Fatalf("cells %v, steps %v", v.Cells, v.Steps)
		}
	})
}

// set returns the places of the ones of b, ascending; from 0x80 on descending, which is to be refused.
func set(b byte) []uint32 {
	var s []uint32
	for i := range uint32(7) {
		if b>>i&1 == 1 {
			s = append(s, i)
		}
	}
	if b >= 0x80 {
		slices.Reverse(s)
	}
	return s
}

func TestAddToReportsOverflow(t *testing.T) {
	full := NewSum(1)
	if err := full.Add(0, 1<<63-1); err != nil {
		t.Fatal(err)
	}
	v := Vector{Cells: []int{0}, Steps: []int64{1}}
	for i, s := range []*Sum{full, {Cells: []int64{1<<63 - 1}}} { // nobody says how full the second is
		if err := v.AddTo(s, 1); !errors.Is(err, ErrOverflow) {
			t.Error(i, err)
		}
	}
}

// A document of 100 distinct words and 50 topics.
func BenchmarkVector(b *testing.B) {
	l := new(Layout)
	l.Append(50, 10_000)
	columns, values := make([]uint32, 100), make([]float32, 5000)
	for i := range columns {
		columns[i] = uint32(97 * i)
	}
	for i := range values {
		values[i] = float32(i) / 5000
	}
	grid, sum := ClipGrid(50, 1<<20), NewSum(l.Cells())
	var v Vector
	b.Run("Add", func(b *testing.B) {
		b.SetBytes(int64(4 * len(values)))
		for b.Loop() {
			v.Reset()
			if err := v.Add(l, grid, 0, nil, columns, values); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("AddTo", func(b *testing.B) {
		b.SetBytes(int64(8 * len(values)))
		for b.Loop() {
			if err := v.AddTo(sum, 1<<20); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestSymmetric: of a symmetric matrix the upper triangle has cells, row by row, and a cell off the diagonal is marked.
func TestSymmetric(t *testing.T) {
	l := new(Layout)
	l.Append(1, 2)
	l.AppendSymmetric(3)
	l.Append(1, 1)
	if l.Cells() != 9 {
		t.Errorf("%d cells", l.Cells())
	}
	if want := []bool{false, false, false, true, true, false, true, false, false}; !slices.Equal(l.Twice(), want) {
		t.Errorf("marked %v, want %v", l.Twice(), want)
	}
	if twoMatrices().Twice() != nil {
		t.Error("cells of plain matrices are marked")
	}
	for _, c := range []struct {
		rows, columns []uint32
		cells         []int // nil: refused
	}{
		{[]uint32{0}, []uint32{0, 1, 2}, []int{2, 3, 4}},
		{[]uint32{0, 1}, []uint32{1, 2}, []int{3, 4, 5, 6}},
		{[]uint32{1}, []uint32{2}, []int{6}},
		{[]uint32{2}, []uint32{2}, []int{7}},
		{[]uint32{0}, nil, []int{2, 3, 4}},
		{[]uint32{1}, nil, nil},
		{nil, []uint32{2}, []int{4, 6, 7}},
		{nil, nil, nil},
		{[]uint32{2}, []uint32{1}, nil},
	} {
		var v Vector
		rows, columns := extent(c.rows, 3), extent(c.columns, 3)
		err := v.Add(l, Grid{1}, 1, c.rows, c.columns, make([]float32, rows*columns))
		if (err == nil) != (c.cells != nil) || !slices.Equal(v.Cells, c.cells) {
			t.Errorf("rows %v, columns %v: cells %v, error %v, want %v", c.rows, c.columns, v.Cells, err, c.cells)
		}
	}
}

// FuzzMerge compares with a map of sums. Bytes are cells and steps of two vectors.
func FuzzMerge(f *testing.F) {
	f.Add([]byte{1, 5, 3, 7}, []byte{1, 250, 2, 9})
	f.Add([]byte{}, []byte{0, 0})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		sums := make(map[int]int64)
		vector := func(b []byte) *Vector {
			v, cell := new(Vector), -1
			for ; len(b) >= 2; b = b[2:] {
				cell += 1 + int(b[0]%4)
				steps := int64(int8(b[1])) << 30
				v.push(cell, steps)
				sums[cell] += steps
			}
			return v
		}
		v, w := vector(a), vector(b)
		if err := v.Merge(w); err != nil {
			t.Fatal(err)
		}
		if len(v.Cells) != len(sums) || !slices.IsSorted(v.Cells) {
			t.Fatalf("cells %v, want those of %v", v.Cells, sums)
		}
		for i, cell := range v.Cells {
			if v.Steps[i] != sums[cell] {
				t.Errorf("cell %d is %d, want %d", cell, v.Steps[i], sums[cell])
			}
		}
	})
}

// TestMergeOverflow: records that add up beyond 64 bits are an error, not a wrong sum.
func TestMergeOverflow(t *testing.T) {
	v, w := new(Vector), new(Vector)
	v.push(0, math.MaxInt64)
	w.push(0, 1)
	if err := v.Merge(w); !errors.Is(err, ErrOverflow) {
		t.Errorf("error %v", err)
	}
	Saturate(v.Steps)
	if v.Steps[0] != Limit {
		t.Errorf("saturates at %d", v.Steps[0])
	}
}
