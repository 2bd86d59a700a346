package modeltest_test

import (
	"slices"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// TestDense: Dense returns the cells of dense parts, of factored parts (SPEC.md §3.3), and of factored parts for
// symmetric matrices.
func TestDense(t *testing.T) {
	factored := func(matrix uint32, values ...float32) *wire.Part {
		return &wire.Part{Matrix: matrix, Factored: true, Values: stream.AppendCells(nil, values)}
	}
	matrices := []*wire.Matrix{{Rows: 2, Columns: 3}, {Rows: 2, Columns: 2, Symmetric: true}}
	parts := model.AppendParts(nil, 0, []uint32{1}, []uint32{0, 2}, []float32{5, 7})
	parts = append(parts, factored(0, 2, 3, 10, 20, 30), factored(1, 2, 3, 2, 3))
	want := []float64{
		20, 40, 60,
		30 + 5, 60, 90 + 7,
		4, 6, 9,
	}
	if got := modeltest.Dense(matrices, parts); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
