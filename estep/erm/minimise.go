package erm

import (
	"errors"
	"math"
)

// An objective is J(w) = (1/n)·Σ log(1 + e^(−y·xᵀw)) + ½·λ·|w|² + tiltᵀw, over n rows. It is strictly convex, so
// exactly one w has the gradient 0.
type objective struct {
	rows   *rows
	lambda float64   // Λ + Δ, above 0
	tilt   []float64 // b/n
}

// These bounds say how far minimise goes. It stops at a gradient of at most tolerance, relative to the larger of 1 and
// |tilt|. Rounding in sums over very many rows may end the descent earlier, at a gradient of at most stalled, in the
// same relative measure. The distance to the exact minimiser is at most the gradient's norm over λ.
const (
	tolerance = 1e-12
	stalled   = 1e-9
	maxSteps  = 200 // Newton steps; some ten are usual
)

// minimise returns the minimiser by Newton's method. A step s solves H·s = −g to a thousandth of |g|, by conjugate
// gradients, which need no d × d matrix. The step is halved until |g| falls by a quarter of the step's length. Such a
// length exists, since g falls along s to first order. H ≥ λ everywhere, so the method converges from 0 on (Eisenstat,
// Walker, Globally convergent inexact Newton methods, 1994).
func (o *objective) minimise() ([]float64, error) {
	scale := max(1, norm(o.tilt))
	w := make([]float64, len(o.tilt))
	g, weights := o.gradient(w)
	for range maxSteps {
		size := norm(g)
		if size <= tolerance*scale {
			return w, nil
		}
		step := o.solve(g, weights, size/1000)
		length := 1.0
		for {
			next := sum(w, length, step)
			nextG, nextWeights := o.gradient(next)
			if norm(nextG) <= (1-length/4)*size {
				w, g, weights = next, nextG, nextWeights
				break
			}
			if length /= 2; length < 1e-9 && size <= stalled*scale {
				return w, nil
			} else if length < 1e-9 {
				return nil, errors.New("the minimiser was not found: the gradient does not fall any more")
			}
		}
	}
	return nil, errors.New("the minimiser was not found: too many steps")
}

// gradient returns the gradient of J at w. weights holds σ(z)·σ(−z)/n for each row, with z = y·xᵀw: the weight of x·xᵀ
// in the Hessian.
func (o *objective) gradient(w []float64) (g, weights []float64) {
	g = sum(o.tilt, o.lambda, w)
	n := float64(o.rows.number())
	weights = make([]float64, o.rows.number())
	o.rows.each(func(i int, ids []uint32, x []float64) {
		right := 1 / (1 + math.Exp(-dot(ids, x, w))) // the probability of the row's class
		weights[i] = right * (1 - right) / n
		addTo(g, ids, x, (right-1)/n)
	})
	return g, weights
}

// times returns H·v for the Hessian H = Σ weights·x·xᵀ + λ·I.
func (o *objective) times(weights, v []float64) []float64 {
	product := sum(make([]float64, len(v)), o.lambda, v)
	o.rows.each(func(i int, ids []uint32, x []float64) { addTo(product, ids, x, weights[i]*dot(ids, x, v)) })
	return product
}

// solve returns s with |H·s + g| ≤ most, by conjugate gradients (Hestenes, Stiefel, 1952). If rounding prevents this
// bound, solve returns s after len(g) + 10 steps: without rounding, len(g) steps would be exact.
func (o *objective) solve(g, weights []float64, most float64) []float64 {
	s := make([]float64, len(g))
	rest := sum(s, -1, g) // −g − H·s
	direction := rest
	square := inner(rest, rest)
	for range len(g) + 10 {
		if math.Sqrt(square) <= most {
			break
		}
		product := o.times(weights, direction)
		length := square / inner(direction, product)
		s, rest = sum(s, length, direction), sum(rest, -length, product)
		before := square
		square = inner(rest, rest)
		direction = sum(rest, square/before, direction)
	}
	return s
}

// sum returns a + times·b.
func sum(a []float64, times float64, b []float64) []float64 {
	c := make([]float64, len(a))
	for i := range c {
		c[i] = a[i] + times*b[i]
	}
	return c
}

func inner(a, b []float64) (total float64) {
	for i := range a {
		total += a[i] * b[i]
	}
	return total
}

func norm(a []float64) float64 { return math.Sqrt(inner(a, a)) }
