package attack

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Shadow attacks a target by the shadow models of Shokri, Stronati, Song and Shmatikov (Membership Inference Attacks
// Against Machine Learning Models, 2017). They are models of the same kind, and the attacker knows their members. For
// each class a logistic regression learns to tell members from others by the shadow models' answers. A class that the
// shadows lack is called by the regression over all classes.
func Shadow(shadows []Set, target Set) ([]Guess, error) {
	var all []Example
	var members []bool
	for _, s := range shadows {
		for _, e := range s.In {
			all, members = append(all, e), append(members, true)
		}
		for _, e := range s.Out {
			all, members = append(all, e), append(members, false)
		}
	}
	common, err := fit(all, members)
	if err != nil {
		return nil, err
	}
	classes := make(map[int]*regression)
	for _, e := range all {
		if _, done := classes[e.Class]; done {
			continue
		}
		var of []Example
		var are []bool
		for i, other := range all {
			if other.Class == e.Class {
				of, are = append(of, other), append(are, members[i])
			}
		}
		if classes[e.Class], err = fit(of, are); err != nil {
			classes[e.Class] = common // only members, or only others
		}
	}
	var guesses []Guess
	for _, part := range []struct {
		examples []Example
		member   bool
	}{{target.In, true}, {target.Out, false}} {
		for _, e := range part.examples {
			of := classes[e.Class]
			if of == nil {
				of = common
			}
			p := of.probability(e.Features)
			guesses = append(guesses, Guess{Score: p, Member: part.member, Called: p > 0.5})
		}
	}
	return guesses, nil
}

// A regression is a logistic regression on features scaled to mean 0 and deviation 1.
type regression struct{ mean, scale, weights []float64 }

// precision is the precision of each weight's normal prior. It keeps the weights finite if members and others can be
// told apart without error.
const precision = 1e-2

// fit fits a regression by Newton's method. All members together weigh the same as all others, so that ½ is the
// threshold for balanced accuracy.
func fit(examples []Example, members []bool) (*regression, error) {
	in := 0
	for _, m := range members {
		if m {
			in++
		}
	}
	if in == 0 || in == len(members) {
		return nil, errors.New("the shadow models must have members and others")
	}
	d := len(examples[0].Features)
	r := &regression{make([]float64, d), make([]float64, d), make([]float64, d+1)}
	for j := range d {
		sum, squares := 0.0, 0.0
		for _, e := range examples {
			sum += e.Features[j]
		}
		r.mean[j] = sum / float64(len(examples))
		for _, e := range examples {
			squares += (e.Features[j] - r.mean[j]) * (e.Features[j] - r.mean[j])
		}
		if r.scale[j] = math.Sqrt(squares / float64(len(examples))); r.scale[j] == 0 {
			r.scale[j] = 1
		}
	}
	for range 50 {
		gradient, hessian := mat.NewVecDense(d+1, nil), mat.NewSymDense(d+1, nil)
		for j := range d + 1 {
			gradient.SetVec(j, -precision*r.weights[j])
			hessian.SetSym(j, j, precision)
		}
		for i, e := range examples {
			x := r.row(e.Features)
			p, weight, y := logistic(dot(r.weights, x)), float64(len(members))/2/float64(len(members)-in), 0.0
			if members[i] {
				weight, y = float64(len(members))/2/float64(in), 1
			}
			gradient.AddScaledVec(gradient, weight*(y-p), mat.NewVecDense(d+1, x))
			hessian.SymRankOne(hessian, weight*p*(1-p), mat.NewVecDense(d+1, x))
		}
		var factor mat.Cholesky
		var step mat.VecDense
		if !factor.Factorize(hessian) || factor.SolveVecTo(&step, gradient) != nil {
			return nil, errors.New("the regression of the attack cannot be fitted")
		}
		largest := 0.0
		for j := range r.weights {
			largest = max(largest, math.Abs(step.AtVec(j)))
		}
		for j := range r.weights { // a full step may overshoot far from the optimum
			r.weights[j] += step.AtVec(j) * min(1, 5/largest)
		}
		if largest < 1e-10 {
			break
		}
	}
	return r, nil
}

// row scales features and adds the intercept.
func (r *regression) row(features []float64) []float64 {
	x := make([]float64, 0, len(features)+1)
	for j, f := range features {
		x = append(x, (f-r.mean[j])/r.scale[j])
	}
	return append(x, 1)
}

func (r *regression) probability(features []float64) float64 {
	return logistic(dot(r.weights, r.row(features)))
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
