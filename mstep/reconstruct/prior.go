package reconstruct

import "math"

// A prior is the knowledge about a batch before its reports: for each word the average number of its authors.
type prior struct {
	last    []float64 // η of the last batch: the numbers of authors in its rebuilt documents
	mean    []float64 // μ of the last batch
	authors float64   // in the last batch
}

// newPrior begins with public documents. counts[w] of them have word w, and μ⁰ = η⁰ = counts. Line 3 of algorithm 2 has
// counts of tokens, which have another unit than the reports.
func newPrior(counts []int, documents int) *prior {
	p := &prior{last: make([]float64, len(counts)), authors: float64(documents)}
	for w, n := range counts {
		p.last[w] = float64(n)
	}
	p.mean = p.last
	return p
}

// next returns the prior mean for a batch with the given number of authors: μˡ = ½(μˡ⁻¹ + ηˡ⁻¹)·|Dˡ|/|Dˡ⁻¹|, equation
// 21. Line 13 of algorithm 2 leaves out the mean and the sizes.
func (p *prior) next(authors int) []float64 {
	mean := make([]float64, len(p.mean))
	for w := range mean {
		mean[w] = (p.mean[w] + p.last[w]) / 2 * float64(authors) / p.authors
	}
	return mean
}

// learn takes a batch's posterior means, and the prior mean that next returned for it.
func (p *prior) learn(mean, posterior []float64, authors int) {
	p.mean, p.last, p.authors = mean, posterior, float64(authors)
}

// clamp returns the whole number in [0, most] nearest to x.
func clamp(x float64, most int) int { return int(math.Round(min(max(x, 0), float64(most)))) }
