package pld

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// transformError is above the error of a Fourier transform of n values whose absolute values add up to 1, over the logarithm
// of n to base 2. Each output is a sum in which each value comes once, by log₂n additions and as many twiddle factors
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. 2002, §24.1); each level has the rounding of a complex
// product, √5·u, of two sums, 2u, and of the factor, whose angle below 2π is off by 3u of it and so, at two levels a factor
// (gonum's radix is 4), 7u + u.
const transformError = 16 * unit

// nothing is minus the logarithm of a coefficient that is taken for 0.
const nothing = 100

// transform fills mass: the transforms of the terms' tilted masses, each to the power of its count, multiplied and
// transformed back. A coefficient c of a term is worked out as c−1 from all masses but the greatest, which is put at 0:
//
//	c − 1 = (S−1) + r̂(f) − r̂(0),   S: the sum of all,
//
// so that of many releases that tell nothing only their number counts, not their rounding.
func (w *window) transform(terms []term) {
	half := w.n/2 + 1
	fft := fourier.NewFFT(w.n)
	w.mass = make([]float64, w.n)
	coefficients := make([]complex128, half)
	size, angle, spread := make([]float64, half), make([]float64, half), make([]float64, half) // size in logarithms
	each := transformError * math.Log2(float64(w.n)) * (1 + 1e-6)
	begin := modulo(w.first, w.n)
	for _, x := range terms {
		f := x.fold(w.mass, w.tilt)
		w.error += x.count * f.error
		begin = modulo(begin-modulo(int(x.count), w.n)*modulo(f.center, w.n), w.n)
		fft.Coefficients(coefficients, w.mass)
		// Errors of r̂(f) and r̂(0), and of what follows, which is in proportion to c−1.
		wrong, follows := 2*each*f.rest+f.wrong, float64(32+len(terms))*unit
		rest := real(coefficients[0])
		for k, c := range coefficients {
			re, im := f.excess+(real(c)-rest), imag(c)
			far := math.Sqrt(re*re + im*im)
			e := wrong + follows*far
			// log(|c|+e) ≤ ((|c|+e)²−1)/2. Most frequencies are not worth more.
			if x.count*((re*(2+re)+im*im)/2+2*e) < -nothing {
				size[k] = math.Inf(-1)
			}
			if math.IsInf(size[k], -1) {
				continue
			}
			var absolute, logSize float64
			if far > 0.5 {
				absolute = math.Max(math.Sqrt((1+re)*(1+re)+im*im), 1e-300)
				logSize = math.Log(absolute)
			} else {
				square := re*(2+re) + im*im // |c|² − 1
				absolute, logSize = math.Sqrt(1+square), math.Log1p(square)/2
			}
			size[k] += x.count * logSize
			angle[k] += x.count * math.Atan2(im, 1+re)
			// |(c+e)^T − c^T| ≤ (|c|+|e|)^T − |c|^T
			spread[k] += x.count * math.Log1p(e/absolute)
		}
	}
	var wrong, total float64
	for k := range size {
		twice := 2.0
		if k == 0 || 2*k == w.n {
			twice = 1
		}
		if math.IsInf(size[k], -1) {
			coefficients[k] = 0
			wrong += twice * math.Exp(1-nothing) // other terms' coefficients are at most 1, but for rounding
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
	w.error += 8 * n * unit // of the sums of a sweep
	w.cell = (wrong + each*(total+wrong)) / n * (1 + 1e-6)
	fft.Sequence(w.mass, coefficients)
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

// A folded lattice has its tilted masses at their index modulo the window's length, but for the greatest.
type folded struct {
	center int     // the greatest's index; the others' are counted from it
	rest   float64 // sum of the others
	excess float64 // sum of all, less 1
	wrong  float64 // error of excess, at most
	error  float64 // relative error of the masses, at most
}

// fold sets sum to the masses.
func (l *lattice) fold(sum []float64, at float64) folded {
	clear(sum)
	norm, largest, f := l.cumulant(at), 0.0, folded{}
	greatest, lost := math.Inf(-1), 0.0 // lost: what rounding took from rest (Kahan's summation)
	exponent := func(i int) float64 { return l.mass[i] + at*float64(l.first+i)*l.step }
	for i := range l.mass {
		if e := exponent(i); e > greatest {
			f.center, greatest = i, e
		}
	}
	cell := modulo(-f.center, len(sum))
	for i, m := range l.mass {
		if i != f.center && !math.IsInf(m, -1) {
			p := math.Exp(exponent(i) - norm)
			sum[cell] += p
			p -= lost
			next := f.rest + p
			f.rest, lost = next, (next-f.rest)-p
		}
		if !math.IsInf(m, -1) {
			largest = math.Max(largest, math.Abs(m)+math.Abs(at*float64(l.first+i)*l.step))
		}
		if cell++; cell == len(sum) {
			cell = 0
		}
	}
	p := math.Exp(greatest - norm)
	f.excess = (p - 1) + f.rest
	f.error = 8 * unit * (largest + math.Abs(norm) + 2)
	if p < 0.5 {
		f.wrong = 4 * unit // otherwise it is 8u of the greatest mass
	}
	f.center += l.first
	return f
}
