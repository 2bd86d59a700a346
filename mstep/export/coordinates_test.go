package export

import (
	"testing"

	"privpipe/pipelines/model/modelfile"
)

// TestInOnePlace: one topic, equal topics, and topics that only rounding tells apart are in one place.
func TestInOnePlace(t *testing.T) {
	const most = 8
	words := []string{"a", "b", "c"}
	for number := 1; number <= most; number++ {
		for _, apart := range []float64{0, 1e-16, 1e-9} {
			m := &modelfile.Topics{Number: number, Words: words}
			order, sizes := make([]int, number), make([]float64, number)
			for k := range number {
				cells := []float64{1, 2 + apart*float64(k), 3 - apart*float64(k*k%5)}
				m.Cells = append(m.Cells, cells...)
				order[k], sizes[k] = k, sum(cells)
			}
			x, y := coordinates(m, order, sizes)
			for k := range number {
				if x[k] != 0 || y[k] != 0 {
					t.Errorf("%d topics, %v apart: topic %d is at (%v, %v)", number, apart, k, x[k], y[k])
				}
			}
		}
	}
}
