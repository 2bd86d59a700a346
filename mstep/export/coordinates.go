package export

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/mds"

	"privpipe/pipelines/model/modelfile"
)

// coordinates returns the places of the topics on a plane, in the given order. It scales the Jensen–Shannon divergences
// between the topics classically (Torgerson 1952), as pyLDAvis.prepare does. The x axis has the largest eigenvalue, and
// the y axis the second largest.
func coordinates(t *modelfile.Topics, order []int, sizes []float64) (x, y []float64) {
	n := len(order)
	divergences, topics := mat.NewSymDense(n, nil), make([][]float64, n)
	for i, k := range order {
		topics[i] = floats.ScaleTo(make([]float64, len(t.Words)), 1/sizes[k], t.Row(k))
		for j := range i {
			divergences.SetSym(i, j, stat.JensenShannon(topics[i], topics[j]))
		}
	}
	var scaled mat.Dense
	kept, eigenvalues := mds.TorgersonScaling(&scaled, make([]float64, n), divergences)
	x, y = make([]float64, n), make([]float64, n)
	for axis, to := range [][]float64{x, y} {
		// NumPy's isclose(0), or an eigenvalue that rounding makes negative
		if axis >= kept || eigenvalues[axis] < 1e-8 {
			break
		}
		mat.Col(to, axis, &scaled)
		// An eigenvector has either sign. Here the largest coordinate is positive, so that the picture is the same
		// everywhere.
		most := 0.0
		for _, at := range to {
			if math.Abs(at) > math.Abs(most)+1e-9 {
				most = at
			}
		}
		floats.Scale(math.Copysign(1, most), to)
	}
	return x, y
}
