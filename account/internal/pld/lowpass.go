package pld

import (
	"math"

	"privpipe/pipelines/parallel"
)

// fewFrequencies is the least number of cells in the window for each frequency of the series.
const fewFrequencies = 16

// lowpass returns the series of the terms' product, if it can show that all but low frequencies vanish. Otherwise ok is
// false.
//
// Let p_j be one term's tilted masses and c their transform. g(θ) = |c(θ)|² = Σ p_i·p_j·cos(θ(i−j)) has
// |g″| ≤ Σ p_i·p_j·(i−j)² = 2V, V = Σp·Σp·j² − (Σp·j)². Take two points that are Δ apart. Between them g is at most
// Δ²/8·2V above the larger of its values there: linear interpolation is off by no more (Dahlquist and Björck, Numerical
// Methods, 1974, §4.3). A transform of m values, about as many as the lattice has points, is at the points 2πl/m. So a
// frequency between two of them vanishes where
//
//	Σ count/2·log(max(g_l, g_l+1) + π²V/m²) ≤ −nothing.
//
// All frequencies from some l on vanish. The low frequencies, up to the least such l, are worked out by a band.
func (w *window) lowpass(terms []term) (f *series, ok bool) {
	if len(terms) > atOnce {
		return nil, false
	}
	longest := 0
	for _, x := range terms {
		longest = max(longest, len(x.mass))
	}
	m := transformSize(longest)
	if 2*m > w.n { // hardly less work
		return nil, false
	}
	folds, masses, logs := make([]folded, len(terms)), make([][]float64, len(terms)), make([][]float64, len(terms))
	parallel.Each(len(terms), func(i int) {
		folds[i], masses[i] = terms[i].fold(nil, w.tilt)
		logs[i] = terms[i].between(folds[i], masses[i], m)
	})
	lowest := m / 2
	for ; lowest > 0; lowest-- {
		sum := 0.0
		for i := range logs {
			sum += logs[i][lowest-1]
		}
		if sum > -nothing {
			break
		}
	}
	high := int(math.Ceil(float64(lowest) * float64(w.n) / float64(m)))
	block := blockLength(w.n, high)
	if high*fewFrequencies > w.n || block == 1 {
		return nil, false
	}
	p := newProduct(high+1, len(terms))
	begin := modulo(w.first, w.n)
	b := newBand(w.n, high, block)
	for i, x := range terms {
		w.error += x.count * folds[i].error
		begin = modulo(begin-modulo(int(x.count), w.n)*modulo(folds[i].center, w.n), w.n)
		p.multiply(b.coefficients(masses[i], x.first-folds[i].center), x.count, folds[i].excess,
			2*b.error*folds[i].rest+folds[i].wrong)
	}
	return newSeries(p, w.n, begin), true
}

// between bounds the logarithm of |c|^count between each two neighbours of the m points.
func (x term) between(f folded, masses []float64, m int) []float64 {
	b := newBand(m, m/2, 1)
	c := b.coefficients(masses, x.first-f.center)
	wrong := 2*b.error*f.rest + f.wrong
	var first, second float64
	for i, p := range masses { // the greatest is at 0
		j := float64(x.first + i - f.center)
		first += p * j
		second += p * j * j
	}
	// Rounding is at most 3 units for each value, of Σp·Σp·j² for both parts together.
	v := (1+f.excess)*second*(1+float64(4*len(masses)+64)*unit) - first*first
	slack := math.Pi * math.Pi * v / (float64(m) * float64(m)) * (1 + 1e-9)
	rest := real(c[0])
	square := func(c complex128) float64 {
		absolute := size(complex(1+f.excess+(real(c)-rest), imag(c))) + wrong
		return absolute * absolute * (1 + 16*unit)
	}
	logs, before := make([]float64, m/2), square(c[0])
	for l := range logs {
		after := square(c[l+1])
		logs[l] = x.count / 2 * math.Log(max(before, after)+slack)
		before = after
	}
	return logs
}
