package model

import "testing"

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
