package pld

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"

	"privpipe/pipelines/parallel"
)

// transformError times log₂n is above the error of the Fourier transform of n values, if their absolute values add up
// to 1. Each output is a sum with each value once, by log₂n additions and as many twiddle factors (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed. 2002, §24.1). Each level has the rounding of one complex product, √5·u,
// and of two sums, 2u. It also has the error of the factor, 7u + u: u for the factor's rounding, and 7u for its angle.
// The angle is below 2π with a relative error of 3u, and one factor serves two levels (gonum's radix is 4).
const transformError = 16 * unit

// nothing is minus the logarithm of the largest coefficient that counts as 0.
const nothing = 100

// transform fills series, or else mass. It multiplies the transforms of the terms' tilted masses, each to the power of
// its count, and transforms the product back. A term's coefficient c is worked out as c−1 from all masses but the
// greatest, which is put at 0:
//
//	c − 1 = (S−1) + r̂(f) − r̂(0),   S: the sum of all.
//
// So if many releases tell nothing, only their number counts, not their rounding.
func (w *window) transform(terms []term) {
	if series, ok := w.lowpass(terms); ok {
		w.series = series
		return
	}
	w.masses(terms)
}

// masses fills mass.
func (w *window) masses(terms []term) {
	half := w.n/2 + 1
	p := newProduct(half, len(terms))
	begin := modulo(w.first, w.n)
	all := newBand(w.n, half-1, 1)
	bands := []*band{all} // of the same frequencies
	var room [atOnce][]float64
	for len(terms) > 0 {
		some := terms[:min(len(bands), len(terms))]
		terms = terms[len(some):]
		var folds [atOnce]folded
		var coefficients [atOnce][]complex128
		parallel.Each(len(some), func(i int) {
			folds[i], room[i] = some[i].fold(room[i], w.tilt)
			coefficients[i] = bands[i].coefficients(room[i], some[i].first-folds[i].center)
		})
		for i, x := range some {
			f := folds[i]
			w.error += x.count * f.error
			begin = modulo(begin-modulo(int(x.count), w.n)*modulo(f.center, w.n), w.n)
			// Errors of r̂(f) and r̂(0).
			p.multiply(coefficients[i], x.count, f.excess, 2*bands[i].error*f.rest+f.wrong)
		}
		if low := bands[0].narrowed(p.last); low != bands[0] {
			for bands = []*band{low}; len(bands) < min(atOnce, len(terms)); {
				bands = append(bands, low.another())
			}
		}
	}
	w.invert(p, begin)
}

// atOnce is the number of terms that are transformed at a time, where few frequencies are left.
const atOnce = 16

// A product is the product of transforms, in logarithms.
type product struct {
	size, angle, spread []float64 // spread: of the error over the size; a size of −Inf counts as 0
	last                int       // the highest frequency that is left
	follows             float64   // relative rounding error of the operations on a factor less 1
}

// newProduct is the empty product. It allows for the given number of terms.
func newProduct(frequencies, terms int) *product {
	return &product{
		size: make([]float64, frequencies), angle: make([]float64, frequencies), spread: make([]float64, frequencies),
		follows: float64(32+terms) * unit,
	}
}

// multiply multiplies by c^count, for c = 1 + excess + (r − r(0)). wrong bounds the error of r − r(0). No frequencies
// are left beyond the frequencies of r.
func (p *product) multiply(r []complex128, count, excess, wrong float64) {
	size, angle, spread := p.size, p.angle, p.spread
	rest := real(r[0])
	p.last = 0
	for k, c := range r {
		if math.IsInf(size[k], -1) {
			continue
		}
		re, im := excess+(real(c)-rest), imag(c)
		far := math.Sqrt(re*re + im*im)
		e := wrong + p.follows*far
		// log(|c|+e) ≤ ((|c|+e)²−1)/2. Most frequencies are not worth more.
		if size[k]+spread[k]+count*((re*(2+re)+im*im)/2+2*e) < -nothing {
			size[k] = math.Inf(-1)
			continue
		}
		var absolute, logSize float64
		if far > 0.5 {
			absolute = max(math.Sqrt((1+re)*(1+re)+im*im), 1e-300)
			logSize = math.Log(absolute)
		} else {
			square := re*(2+re) + im*im // |c|² − 1
			absolute, logSize = math.Sqrt(1+square), math.Log1p(square)/2
		}
		size[k] += count * logSize
		angle[k] += count * math.Atan2(im, 1+re)
		// |(c+e)^T − c^T| ≤ (|c|+|e|)^T − |c|^T
		spread[k] += count * math.Log1p(e/absolute)
		if size[k]+spread[k] < -nothing {
			size[k] = math.Inf(-1)
			continue
		}
		p.last = k
	}
	for k := p.last + 1; k < len(r); k++ {
		size[k] = math.Inf(-1)
	}
}

// invert fills mass: it transforms the product back. The first cell is at the index begin modulo n.
func (w *window) invert(p *product, begin int) {
	size, angle, spread := p.size, p.angle, p.spread
	half := len(size)
	coefficients := make([]complex128, half)
	var wrong, total float64
	for k := range size {
		twice := 2.0
		if k == 0 || 2*k == w.n {
			twice = 1
		}
		if math.IsInf(size[k], -1) {
			coefficients[k] = 0
			wrong += twice * math.Exp(1-nothing) // other terms' coefficients are at most 1, except for rounding
			continue
		}
		absolute := math.Exp(size[k])
		sin, cos := math.Sincos(angle[k])
		coefficients[k] = complex(absolute*cos, absolute*sin)
		total += twice * absolute
		if spread[k] < 1 {
			wrong += twice * absolute * (math.Expm1(spread[k]) + 8*unit)
		} else {
			wrong += twice * math.Exp(size[k]+spread[k])
		}
	}
	n := float64(w.n)
	w.error += 8 * n * unit // of a sweep's sums
	each := transformError * math.Log2(n) * (1 + 1e-6)
	w.cell = (wrong + each*(total+wrong)) / n * (1 + 1e-6)
	w.mass = fourier.NewFFT(w.n).Sequence(nil, coefficients)
	// The transform is of the indices modulo n.
	turned := make([]float64, w.n)
	for i, m := range w.mass {
		turned[modulo(i-begin, w.n)] = m / n
	}
	w.mass = turned
}

func modulo(i, n int) int {
	if i %= n; i < 0 {
		i += n
	}
	return i
}

// folded describes a tilted lattice.
type folded struct {
	center int     // the greatest's index; the others' are counted from it
	rest   float64 // sum of the others
	excess float64 // sum of all, less 1
	wrong  float64 // error of excess, at most
	error  float64 // relative error of the masses, at most
}

// fold returns the tilted masses, 0 in place of the greatest, in the same room if that suffices.
func (l *lattice) fold(room []float64, at float64) (f folded, masses []float64) {
	masses = append(room[:0], l.mass...)
	norm, largest := l.cumulant(at), 0.0
	greatest, lost := math.Inf(-1), 0.0 // lost: what rounding took from rest (Kahan's summation)
	for i, m := range masses {
		loss := float64(l.first+i) * l.step
		if e := m + at*loss; e > greatest {
			f.center, greatest = i, e
		}
	}
	for i, m := range masses {
		masses[i] = 0
		if math.IsInf(m, -1) {
			continue
		}
		shift := at * float64(l.first+i) * l.step
		largest = max(largest, math.Abs(m)+math.Abs(shift))
		if i == f.center {
			continue
		}
		p := math.Exp(m + shift - norm)
		masses[i] = p
		p -= lost
		next := f.rest + p
		f.rest, lost = next, (next-f.rest)-p
	}
	p := math.Exp(greatest - norm)
	f.excess = (p - 1) + f.rest
	f.error = 8 * unit * (largest + math.Abs(norm) + 2)
	if p < 0.5 {
		f.wrong = 4 * unit // otherwise it is 8u of the greatest mass
	}
	f.center += l.first
	return f, masses
}
