package model

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

// TestAppendPartsRefuses blocks without cells, and values that are not one a cell.
func TestAppendPartsRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		rows, columns []uint32
		values        []float32
		refused       bool
	}{
		"a cell":        {[]uint32{0}, []uint32{0}, []float32{1}, false},
		"four cells":    {[]uint32{0, 2}, []uint32{1, 3}, []float32{1, 2, 3, 4}, false},
		"surplus value": {[]uint32{0}, []uint32{0}, []float32{1, 0}, true},
		"missing value": {[]uint32{0}, []uint32{0, 1}, []float32{1}, true},
		"no columns":    {[]uint32{0}, nil, nil, true},
		"no rows":       {nil, []uint32{0}, nil, true},
	} {
		t.Run(what, func(t *testing.T) {
			defer func() {
				if refused := recover() != nil; refused != c.refused {
					t.Errorf("refused: %v, want %v", refused, c.refused)
				}
			}()
			AppendParts(nil, 0, c.rows, c.columns, c.values)
		})
	}
}

// TestAppendFactored: a block is cut by rows, each piece with all columns, and refused where a row does not fit.
func TestAppendFactored(t *testing.T) {
	const columns, rows = MaxPart/4 - 2, 5 // two rows a piece
	ids, ofRows, ofColumns := make([]uint32, rows), make([]float32, rows), make([]float32, columns)
	for i := range ids {
		ids[i], ofRows[i] = uint32(3*i+1), float32(i)
	}
	ofColumns[columns-1] = 7
	parts := AppendFactored(nil, 4, ids, ofRows, ofColumns)
	var gotIDs []uint32
	var got []float32
	for _, p := range parts {
		numbers := wire.AppendIDs(nil, p.RowGaps)
		cells := decoded(p.Values)
		if !p.Factored || p.Matrix != 4 || len(p.ColumnGaps) > 0 || len(p.Values) > MaxPart ||
			cells[len(cells)-1] != 7 || len(cells) != len(numbers)+columns {
			t.Errorf("a part of %d rows and %d numbers", len(numbers), len(cells))
		}
		gotIDs, got = append(gotIDs, numbers...), append(got, cells[:len(numbers)]...)
	}
	if len(parts) != 3 || !slices.Equal(gotIDs, ids) || !slices.Equal(got, ofRows) {
		t.Errorf("%d parts of the rows %v: %v", len(parts), gotIDs, got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a row beside too many columns is taken")
		}
	}()
	AppendFactored(nil, 0, ids, ofRows, make([]float32, MaxPart/4))
}

func decoded(b []byte) (x []float32) {
	for i := 0; i < len(b); i += 4 {
		x = append(x, math.Float32frombits(binary.LittleEndian.Uint32(b[i:])))
	}
	return x
}

// TestPartsReused: blocks of any sizes after one another have the parts that AppendParts gives each.
func TestPartsReused(t *testing.T) {
	var memory Parts
	for i, shape := range [][2]int{{3, 4}, {1, 2}, {5, MaxPart / 8}, {2, 1}, {3, MaxPart / 4}, {4, 7}, {1, 1}, {1, 3},
		{1, 5}, {1, 11}} {
		rows, columns := make([]uint32, shape[0]), make([]uint32, shape[1])
		for r := range rows {
			rows[r] = uint32(i + 2*r)
		}
		for c := range columns {
			columns[c] = uint32(i + 3*c)
		}
		values := make([]float32, len(rows)*len(columns))
		for v := range values {
			values[v] = float32(i*v + 1)
		}
		got, want := memory.Set(uint32(i), rows, columns, values), AppendParts(nil, uint32(i), rows, columns, values)
		if !slices.EqualFunc(got, want, func(a, b *wire.Part) bool { return proto.Equal(a, b) }) {
			t.Errorf("block %d: %d parts, want %d, or others", i, len(got), len(want))
		}
		first := 0
		for _, p := range want {
			n := len(p.RowGaps)
			if !slices.Equal(wire.AppendIDs(nil, p.RowGaps), rows[first:first+n]) ||
				!slices.Equal(wire.AppendIDs(nil, p.ColumnGaps), columns) ||
				!slices.Equal(decoded(p.Values), values[first*len(columns):(first+n)*len(columns)]) ||
				len(p.Values) > MaxPart && n > 1 {
				t.Errorf("block %d: the part of the rows from %d on has other cells", i, first)
			}
			first += n
		}
		if first != len(rows) {
			t.Errorf("block %d: parts of %d rows, want %d", i, first, len(rows))
		}
	}
}
