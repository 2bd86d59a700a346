package pld

import "math"

// A series replaces the masses of a window if the composed loss's transform vanishes except at low frequencies. It is
// the Fourier series of the masses. The transform counts cells by their place i, modulo the window's n:
//
//	mass = 1/n·(c₀ + 2·Re Σ c_k·e^(2πiki/n)).
//
// A sum of the masses over cells, with weights in a geometric sequence, is a sum over the frequencies of finite
// geometric series. So no mass has to be worked out.
type series struct {
	n, begin    int          // begin: the place of the window's first cell
	coefficient []complex128 // c_k
	error       []float64    // of c_k over |c_k|, at most; 8u of it for computing c_k from size and angle
}

// underflow is the logarithm of a size. A coefficient of smaller size is replaced by a bound. float64 ends near e^−744.
const underflow = -600

// newSeries takes a product that lacks only frequencies that vanish.
func newSeries(p *product, n, begin int) *series {
	f := &series{n: n, begin: begin, coefficient: make([]complex128, p.last+1), error: make([]float64, p.last+1)}
	for k := range f.coefficient {
		if math.IsInf(p.size[k], -1) {
			continue
		}
		sin, cos := math.Sincos(p.angle[k])
		absolute := math.Exp(p.size[k])
		f.coefficient[k], f.error[k] = complex(absolute*cos, absolute*sin), math.Expm1(p.spread[k])+8*unit
		// Here e^size may be 0, and the error with it. So the coefficient gets the size e^underflow. Whatever its angle
		// should be, it is off by no more than the error.
		if p.size[k] < underflow {
			f.coefficient[k], f.error[k] = complex(math.Exp(underflow), 0),
				1+math.Exp(p.size[k]+p.spread[k]-underflow)*(1+1e-9)
		}
	}
	return f
}

// turn is e^(2πi·k·m/n). The angle is computed from k·m modulo n, which is exact.
func (f *series) turn(k, m int) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(modulo(k*m, f.n)) / float64(f.n))
	return complex(cos, sin)
}

// A ray is z_k = e^(−rate + 2πik/n) for the frequencies k. Its sums are over the powers of z_k below cells.
type ray struct {
	*series
	rate  float64 // for each cell, at least 0
	cells int     // at least 1
}

// less is 1 − z_k, with a relative error of some 6u. For frequencies below n/4 its real part is a sum of two terms that
// are not negative, −expm1(−rate)·cos + 2·sin²(half the angle).
func (r ray) less(k int) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(r.n))
	half := math.Sin(math.Pi * float64(k) / float64(r.n))
	return complex(2*half*half-math.Expm1(-r.rate)*cos, -math.Exp(-r.rate)*sin)
}

// last is z_k^cells.
func (r ray) last(k int) complex128 {
	return r.turn(k, r.cells) * complex(math.Exp(-r.rate*float64(r.cells)), 0)
}

// geometric is Σ z_k^j for j below cells, (1−z^cells)/(1−z). Its rounding error is below 32u·of.
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

// hockey is Σ z_k^j·(1 − e^(−step·j)) for j below cells. Its rounding error is below 64u·of. With w = z·e^−step,
//
//	Σ z^j − Σ w^j = z·(1−e^−step)/(1−w)·Σ z^j − z^cells·(1−e^(−step·cells))/(1−w).
//
// In this form the two sums do not cancel each other.
func (r ray) hockey(k int, step float64) (sum complex128, of float64) {
	all, of := r.geometric(k)
	lower := ray{r.series, r.rate + step, r.cells}.less(k)
	factor := r.turn(k, 1) * complex(-math.Exp(-r.rate)*math.Expm1(-step), 0) / lower
	end := r.last(k) * complex(-math.Expm1(-step*float64(r.cells)), 0) / lower
	return factor*all - end, size(factor)*of + size(end)
}

// sum adds up the window's cells from number from on, upwards or downwards. Each cell counts as its mass times a weight
// for its distance j from there. wrong bounds the sum's error. weight(k) returns the sum over the distances of the
// weight times e^(2πikj/n), as ray's sums do, with a rounding error below 64u·of.
//
// Let s be the exact sum of weight(k) and ŝ its rounded value. Then |ĉŝ − cs| ≤ |ĉ−c|·|ŝ| + |c|·|ŝ−s|. So a term's
// error is the error of c_k times |ŝ|, and 64u·of times |c|. The products have some 32u of |ĉŝ|; adding the terms has u
// for each of them. A vanishing frequency has at most e^−nothing, and the weights at most one for each cell.
func (f *series) sum(from int, upwards bool, cells int,
	weight func(k int) (sum complex128, of float64)) (sum, wrong float64) {
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
