package export

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"privpipe/pipelines/model/modelfile"
)

// coordinates returns the places of the topics on a plane, in the given order. It scales the Jensen–Shannon divergences
// between the topics classically (Torgerson 1952), as pyLDAvis.prepare does. The x axis has the largest eigenvalue, and
// the y axis the second largest.
func coordinates(t *modelfile.Topics, order []int, sizes []float64) (x, y []float64) {
	n := len(order)
	squares := mat.NewSymDense(n, nil)
	means := make([]float64, n)
	mean := 0.0
	for i, a := range order {
		for j, b := range order[:i] {
			d := divergence(t.Row(a), t.Row(b), sizes[a], sizes[b])
			squares.SetSym(i, j, d*d)
			means[i] += d * d / float64(n)
			means[j] += d * d / float64(n)
		}
	}
	for _, m := range means {
		mean += m / float64(n)
	}
	for i := range n {
		for j := range i + 1 {
			squares.SetSym(i, j, -(squares.At(i, j)-means[i]-means[j]+mean)/2)
		}
	}
	x, y = make([]float64, n), make([]float64, n)
	var eigen mat.EigenSym
	if !eigen.Factorize(squares, true) {
		return x, y // not reached for finite values; all topics are then in one place
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for axis, to := range [][]float64{x, y} {
		column := n - 1 - axis
		// NumPy's isclose(0), or an eigenvalue that rounding makes negative
		if column < 0 || values[column] < 1e-8 {
			continue
		}
		// An eigenvector has either sign. Here the largest coordinate is positive, so that the picture is the same
		// everywhere.
		scale, most := math.Sqrt(values[column]), 0.0
		for i := range n {
			if at := vectors.At(i, column); math.Abs(at) > math.Abs(most)+1e-9 {
				most = at
			}
		}
		for i := range n {
			to[i] = math.Copysign(scale, most) * vectors.At(i, column)
		}
	}
	return x, y
}

// divergence returns the Jensen–Shannon divergence between two rows, each divided by its sum, in nats (Lin 1991).
func divergence(a, b []float64, sumA, sumB float64) float64 {
	d := 0.0
	for i := range a {
		p, q := a[i]/sumA, b[i]/sumB
		m := (p + q) / 2
		if p > 0 {
			d += p * math.Log(p/m) / 2
		}
		if q > 0 {
			d += q * math.Log(q/m) / 2
		}
	}
	return math.Max(d, 0)
}
