package denoise

import (
	"math"
	"math/rand/v2"
	"testing"
)

func symmetric(n int, deviation float64) []float64 {
	random, cells := rand.New(rand.NewPCG(1, 2)), make([]float64, n*n)
	for r := range n {
		cells[r*n+r] = deviation * random.NormFloat64()
		for c := range r {
			cells[r*n+c] = deviation / math.Sqrt2 * random.NormFloat64()
			cells[c*n+r] = cells[r*n+c]
		}
	}
	return cells
}

// TestSpectrum: a spectrum gives back its matrix, and vectors go to the eigenvectors and back.
func TestSpectrum(t *testing.T) {
	const n = 7
	cells := symmetric(n, 1)
	for i := range n {
		cells[i*n+i] += 20 // all eigenvalues are positive
	}
	s, err := NewSpectrum(cells, n)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range Cells(s.Matrix(s.Values)) {
		if math.Abs(x-cells[i]) > 1e-12 {
			t.Errorf("cell %d is %v, want %v", i, x, cells[i])
		}
	}
	x := []float64{1, 2, 3, 4, 5, 6, 7}
	rotated := s.Rotate(x)
	square := 0.0
	for i, v := range rotated {
		square += s.Values[i] * v * v
	}
	for i := range n {
		for j := range n {
			square -= x[i] * cells[i*n+j] * x[j]
		}
	}
	if math.Abs(square) > 1e-9 {
		t.Errorf("the quadratic form differs by %v", square)
	}
	for i, v := range s.Back(rotated) {
		if math.Abs(v-x[i]) > 1e-12 {
			t.Errorf("%v came back as %v", x[i], v)
		}
	}
}

// TestNoiseFloor: it is half of the largest eigenvalue of noise.
func TestNoiseFloor(t *testing.T) {
	const n = 300
	s, err := NewSpectrum(symmetric(n, 3), n)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := NoiseFloor(3, n), s.Values[n-1]/2; math.Abs(got-want) > 0.05*want {
		t.Errorf("the floor is %v, half of the largest eigenvalue %v", got, want)
	}
}
