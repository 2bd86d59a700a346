package membership

import "math"

// fewShadows is the number of shadow models, with a document or without it, below which its deviations are those of all documents.
const fewShadows = 16

// Ratio attacks a target by the likelihood ratio of Carlini, Chien, Nasr, Song, Terzis and Tramèr (Membership Inference Attacks From First
// Principles, 2022, algorithm 1): how the target's confidence in a document compares with that of shadow models that were trained on the same
// document, and of those that were not, each taken as normal. Documents that no shadow model was trained on, or all were, are left out.
func Ratio(shadows []Set, target Set) []Guess {
	in, out := confidences(shadows, func(s Set) []Example { return s.In }), confidences(shadows, func(s Set) []Example { return s.Out })
	spreadIn, spreadOut := pooled(in), pooled(out)
	var guesses []Guess
	guess := func(examples []Example, member bool) {
		for _, e := range examples {
			with, without := in[e.ID], out[e.ID]
			if len(with) == 0 || len(without) == 0 {
				continue
			}
			ratio := logDensity(e.Confidence, with, spreadIn) - logDensity(e.Confidence, without, spreadOut)
			guesses = append(guesses, Guess{Score: ratio, Member: member, Called: ratio > 0})
		}
	}
	guess(target.In, true)
	guess(target.Out, false)
	return guesses
}

// confidences are those of all shadow models, by document.
func confidences(shadows []Set, part func(Set) []Example) map[string][]float64 {
	all := make(map[string][]float64)
	for _, s := range shadows {
		for _, e := range part(s) {
			all[e.ID] = append(all[e.ID], e.Confidence)
		}
	}
	return all
}

// leastDeviation keeps densities finite where shadow models agree.
const leastDeviation = 1e-6

// pooled is the standard deviation of a confidence about the mean of its document, of all documents together.
func pooled(all map[string][]float64) float64 {
	squares, free := 0.0, 0
	for _, of := range all {
		_, s := moments(of)
		squares, free = squares+s, free+len(of)-1
	}
	if free == 0 {
		return 1
	}
	return max(math.Sqrt(squares/float64(free)), leastDeviation)
}

func moments(of []float64) (mean, squares float64) {
	for _, x := range of {
		mean += x / float64(len(of))
	}
	for _, x := range of {
		squares += (x - mean) * (x - mean)
	}
	return mean, squares
}

// logDensity is the log density of x, but for a constant, under a normal distribution with the mean of a sample. Its deviation is that of the
// sample, or spread for a small one.
func logDensity(x float64, of []float64, spread float64) float64 {
	mean, squares := moments(of)
	if len(of) >= fewShadows {
		spread = max(math.Sqrt(squares/float64(len(of)-1)), leastDeviation)
	}
	return -(x-mean)*(x-mean)/(2*spread*spread) - math.Log(spread)
}
