package score

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/mds"
)

// A Map is a plane of topics. Similar topics are near each other.
type Map struct {
	X, Y []float64 // for each topic; the axes have no meaning of their own
	// Kept is the part of the squared distances between topics, in [0, 1], that the plane shows.
	Kept float64
}

// MapOf maps topics, each a distribution over the same words. As in LDAvis (Sievert and Shirley 2014, §3.2), the map is
// by classical multidimensional scaling (Torgerson 1952) of distances. The distance is the square root of the
// Jensen–Shannon divergence. It is a metric (Endres and Schindelin 2003) and a distance in a Hilbert space (Fuglede and
// Topsøe 2004), so that the scaling has no negative eigenvalue. The largest coordinate along X, by its absolute value,
// is positive, and along Y, too.
func MapOf(topics [][]float64) *Map {
	n := len(topics)
	m := &Map{X: make([]float64, n), Y: make([]float64, n), Kept: 1}
	if n < 2 {
		return m
	}
	distances := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i {
			distances.SetSym(i, j, JensenShannon(topics[i], topics[j]))
		}
	}
	var coordinates mat.Dense
	kept, values := mds.TorgersonScaling(&coordinates, make([]float64, n), distances)
	total := 0.0
	for _, v := range values {
		total += max(v, 0)
	}
	if total < 1e-12 { // all topics are equal
		return m
	}
	m.Kept = 0
	for axis, to := range [][]float64{m.X, m.Y} {
		if axis >= kept || values[axis] <= 0 {
			break
		}
		m.Kept += values[axis] / total
		mat.Col(to, axis, &coordinates)
		orient(to)
	}
	return m
}

// orient mirrors an axis so that its largest coordinate by absolute value is positive, because eigenvectors have no
// sign.
func orient(axis []float64) {
	largest := 0.0
	for _, x := range axis {
		if math.Abs(x) > math.Abs(largest)*(1+1e-9) {
			largest = x
		}
	}
	if largest < 0 {
		for i := range axis {
			axis[i] = -axis[i]
		}
	}
}
