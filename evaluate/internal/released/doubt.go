package released

import (
	"fmt"
	"math"

	"privpipe/pipelines/event"
)

// A Noise is the noise in each cell of one release, in steps.
type Noise struct {
	Mechanism string // event.Gaussian, event.Laplace or event.None
	Scale     uint64 // σ, or t of event.Laplace; 0 for event.None
}

// A Mean is the weighted sum of a matrix's releases. The zero value is empty. It marks cells that surely count words of
// some document. A cell is a word in a topic. Noise alone may have filled the other cells. Earlier noise may have
// decided which topic a word went to.
//
// Round t releases y_t = s_t + Z_t for each cell. The sum s_t of the bounded contributions is at least 0, because
// contributions of counts are. The noise Z_t is drawn again, independently, after s_t is fixed. s_t may depend on
// earlier releases. Take A = Σ w_t·y_t, with weights w_t ≥ 0 that are fixed beforehand. If no document's words were
// counted in a cell, then s_t = 0 in all rounds that count, and A = Σ w_t·Z_t. So
//
//	P[nothing was counted in the cell, and A > h] ≤ P[Σ w_t·Z_t > h]
//
// whatever s_t depends on. The chance that any of n cells is marked wrongly is at most n times the right side
// (Bonferroni's inequality). Threshold returns an h at which this product is at most α.
type Mean struct {
	Sum []float64 // for each cell, in steps times weight

	factor, tail float64 // sub-gamma variance factor and scale of the noise in each cell of Sum
}

// Add adds one release. Its weight must be at least 0 and must not depend on released numbers. All releases must have
// the same number of cells.
func (m *Mean) Add(cells []int64, noise Noise, weight float64) error {
	if m.Sum == nil {
		m.Sum = make([]float64, len(cells))
	}
	if len(cells) != len(m.Sum) {
		return fmt.Errorf("a release of %d cells, those before it have %d", len(cells), len(m.Sum))
	}
	for i, c := range cells {
		m.Sum[i] += weight * float64(c)
	}
	return m.AddNoise(noise, weight*weight, weight)
}

// AddNoise adds the noise of releases without known cells. squares is the sum of their squared weights, and largest
// their largest weight.
func (m *Mean) AddNoise(noise Noise, squares, largest float64) error {
	scale := float64(noise.Scale)
	switch noise.Mechanism {
	case event.None:
	case event.Gaussian:
		// The discrete Gaussian is sub-Gaussian with variance factor σ²: E exp(λZ) is exp(λ²σ²/2) times a quotient of
		// two sums over the integers x. One sums exp(−(x−λσ²)²/2σ²), the other the same without the shift λσ². By
		// Poisson's summation formula, the sum as a function of its shift has only positive Fourier coefficients. So it
		// is largest without a shift.
		m.factor += squares * scale * scale
	case event.Laplace:
		// This noise is sub-gamma with variance factor 2t² and scale t, as is continuous Laplace noise (Boucheron,
		// Lugosi and Massart 2013, §2.4). Discrete Laplace noise has the smaller moment generating function 1/(1 −
		// sinh²(λ/2)/sinh²(1/2t)), as sinh is convex.
		m.factor += 2 * squares * scale * scale
		m.tail = max(m.tail, largest*scale)
	default:
		return fmt.Errorf("mechanism %q adds no noise to sums", noise.Mechanism)
	}
	return nil
}

// Threshold returns a bound h on Sum in cells without contributions. The probability that any such cell exceeds h is at
// most alpha, over all cells together. h is √(2v·L) + c·L with L = ln(n/alpha), for n cells, variance factor v and
// scale c (Boucheron, Lugosi and Massart, Concentration Inequalities, 2013, theorem 2.3 and §2.4).
func (m *Mean) Threshold(alpha float64) float64 {
	log := math.Log(float64(len(m.Sum)) / alpha)
	return math.Sqrt(2*m.factor*log) + m.tail*log
}

// Marked says for each cell whether it has contributions beyond doubt. With probability 1−alpha no mark is wrong.
func (m *Mean) Marked(alpha float64) []bool {
	h := m.Threshold(alpha)
	marked := make([]bool, len(m.Sum))
	for i, a := range m.Sum {
		marked[i] = a > h
	}
	return marked
}
