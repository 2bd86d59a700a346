package denoise

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Spectrum is a released symmetric matrix as its eigenvalues and its eigenvectors. The matrix is positive
// semidefinite except for its noise.
type Spectrum struct {
	Values  []float64 // ascending
	Vectors mat.Dense // a column for each eigenvalue
}

// NewSpectrum returns the spectrum of a symmetric n × n matrix, given row by row.
func NewSpectrum(cells []float64, n int) (*Spectrum, error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, cells), true) {
		return nil, errors.New("the eigenvalues of a released matrix were not found")
	}
	s := &Spectrum{Values: eigen.Values(nil)}
	eigen.VectorsTo(&s.Vectors)
	return s, nil
}

// NoiseFloor is the least eigenvalue of an n × n matrix that counts as above noise. The noise has the given standard
// deviation on the diagonal, and 1/√2 of it off the diagonal. The largest eigenvalue of such noise is about
// deviation·√(2n) (Wigner's semicircle: 2·√n times the deviation off the diagonal). Half of it is a compromise: smaller
// eigenvalues cannot be told from noise.
func NoiseFloor(deviation float64, n int) float64 { return deviation * math.Sqrt(2*float64(n)) / 2 }

// Rotate returns x in the coordinates of the eigenvectors.
func (s *Spectrum) Rotate(x []float64) []float64 {
	var rotated mat.VecDense
	rotated.MulVec(s.Vectors.T(), mat.NewVecDense(len(x), x))
	return rotated.RawVector().Data
}

// Back converts x from the coordinates of the eigenvectors to the coordinates of the matrix.
func (s *Spectrum) Back(x []float64) []float64 {
	var back mat.VecDense
	back.MulVec(&s.Vectors, mat.NewVecDense(len(x), x))
	return back.RawVector().Data
}

// Matrix returns the symmetric matrix with these eigenvalues and the same eigenvectors. The eigenvalues are at least 0.
func (s *Spectrum) Matrix(values []float64) *mat.SymDense {
	n := len(values)
	scaled := mat.NewDense(n, n, nil)
	for i, v := range values {
		root := math.Sqrt(v)
		for r := range n {
			scaled.Set(r, i, s.Vectors.At(r, i)*root)
		}
	}
	var m mat.SymDense
	m.SymOuterK(1, scaled)
	return &m
}

// Cells returns the cells of a symmetric matrix, row by row.
func Cells(m *mat.SymDense) []float64 {
	n := m.SymmetricDim()
	cells := make([]float64, 0, n*n)
	for r := range n {
		for c := range n {
			cells = append(cells, m.At(r, c))
		}
	}
	return cells
}
