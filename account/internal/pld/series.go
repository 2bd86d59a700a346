package pld

import "math"

// A series is what a window has in place of masses, where the transform of the composed loss is nothing but at low frequencies: its
// Fourier series. With i the cell's place, modulo the n of the window, from which the transform counts,
//
//	mass = 1/n·(c₀ + 2·Re Σ c_k·e^(2πiki/n)).
//
// A sum over cells of the masses, weighted by a geometric sequence, is a sum over the frequencies of finite geometric series, so that
// no mass has to be worked out.
type series struct {
	n, begin    int          // begin: the place of the window's first cell
	coefficient []complex128 // c_k
	error       []float64    // of c_k over |c_k|, at most, and 8u for its being made of size and angle
}

// underflow is the logarithm of a size below which a coefficient is a bound only: float64 ends near e^−744.
const underflow = -600

// newSeries takes a product of which every frequency that it does not have is nothing.
func newSeries(p *product, n, begin int) *series {
	f := &series{n: n, begin: begin, coefficient: make([]complex128, p.last+1), error: make([]float64, p.last+1)}
	for k := range f.coefficient {
		if math.IsInf(p.size[k], -1) {
			continue
		}
		sin, cos := math.Sincos(p.angle[k])
		absolute := math.Exp(p.size[k])
		f.coefficient[k], f.error[k] = complex(absolute*cos, absolute*sin), math.Expm1(p.spread[k])+8*unit
		if p.size[k] < underflow { // the size would be 0, and with it the error: its bound, and with any angle the coefficient is no further off
			f.coefficient[k], f.error[k] = complex(math.Exp(underflow), 0), 1+math.Exp(p.size[k]+p.spread[k]-underflow)*(1+1e-9)
		}
	}
	return f
}

// turn is e^(2πi·k·m/n): the angle is that of k·m modulo n, which is exact.
func (f *series) turn(k, m int) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(modulo(k*m, f.n)) / float64(f.n))
	return complex(cos, sin)
}

// A ray is z_k = e^(−rate + 2πik/n) for the frequencies k, and the sums of so many of its powers.
type ray struct {
	*series
	rate  float64 // of a cell, at least 0
	cells int     // at least 1
}

// less is 1 − z_k, with a relative error of some 6u: for frequencies below n/4 its real part is a sum of two that are not negative,
// −expm1(−rate)·cos + 2·sin²(half the angle).
func (r ray) less(k int) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(r.n))
	half := math.Sin(math.Pi * float64(k) / float64(r.n))
	return complex(2*half*half-math.Expm1(-r.rate)*cos, -math.Exp(-r.rate)*sin)
}

// last is z_k^cells.
func (r ray) last(k int) complex128 {
	return r.turn(k, r.cells) * complex(math.Exp(-r.rate*float64(r.cells)), 0)
}

// geometric is Σ z_k^j for j below cells, (1−z^cells)/(1−z), and a number that its rounding error is below 32u of.
func (r ray) geometric(k int) (sum complex128, of float64) {
	switch {
	case k > 0:
		less, last := r.less(k), r.last(k)
		return (1 - last) / less, (1 + size(last)) / size(less)
	case r.rate == 0:
		return complex(float64(r.cells), 0), float64(r.cells)
	}
	real := math.Expm1(-r.rate*float64(r.cells)) / math.Expm1(-r.rate)
	return complex(real, 0), real
}

// hockey is Σ z_k^j·(1 − e^(−step·j)) for j below cells, and a number that its rounding error is below 64u of. With w = z·e^−step,
//
//	Σ z^j − Σ w^j = z·(1−e^−step)/(1−w)·Σ z^j − z^cells·(1−e^(−step·cells))/(1−w),
//
// in which the two sums do not cancel each other.
func (r ray) hockey(k int, step float64) (sum complex128, of float64) {
	all, of := r.geometric(k)
	lower := ray{r.series, r.rate + step, r.cells}.less(k)
	factor := r.turn(k, 1) * complex(-math.Exp(-r.rate)*math.Expm1(-step), 0) / lower
	end := r.last(k) * complex(-math.Expm1(-step*float64(r.cells)), 0) / lower
	return factor*all - end, size(factor)*of + size(end)
}

// sum is Σ over the cells from one on, upwards or downwards, of its mass times what weight says of its distance, and the error of that.
// weight(k) is Σ z_k^j times it over the distances j, and what its rounding error is below 64u of.
//
// With s what weight says and ŝ its rounded value, |ĉŝ − cs| ≤ |ĉ−c|·|ŝ| + |c|·|ŝ−s|. So the error of a term is that of c_k times |ŝ|, and
// 64u of its second number times |c|. The products have some 32u of |ĉŝ|; adding the terms has u for each of them.
// A frequency that is nothing has at most e^−nothing, and the weights at most one for each cell.
func (f *series) sum(from int, upwards bool, cells int, weight func(k int) (sum complex128, of float64)) (sum, wrong float64) {
	follows := float64(32+len(f.coefficient)) * unit
	twice := 1.0
	for k, c := range f.coefficient {
		if c != 0 {
			s, of := weight(k)
			if !upwards { // the powers turn the other way
				s = complex(real(s), -imag(s))
			}
			sum += twice * real(c*f.turn(k, from+f.begin)*s)
			wrong += twice * size(c) * (size(s)*(f.error[k]+follows) + of*(1+f.error[k])*64*unit)
		}
		twice = 2
	}
	n := float64(f.n)
	return sum / n, wrong/n*(1+1e-6) + float64(cells)*math.Exp(1-nothing)
}

func size(z complex128) float64 { return math.Hypot(real(z), imag(z)) }
