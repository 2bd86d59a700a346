package attack

import "math"

// fewShadows is the number of shadow models, with a document or without it, that are enough for the document's own
// deviation. With fewer models, the deviation of all documents is used.
const fewShadows = 16

// Ratio attacks a target by the likelihood ratio of Carlini, Chien, Nasr, Song, Terzis and Tramèr (Membership Inference
// Attacks From First Principles, 2022, algorithm 1). It compares the target's confidence in a document with two groups
// of shadow models: models that were trained on the document, and models that were not. The confidences in each group
// are taken as normal. A document is left out if no shadow model was trained on it, or if all were.
func Ratio(shadows []Set, target Set) []Guess {
	in, out := confidences(shadows, func(s Set) []Example { return s.In }),
		confidences(shadows, func(s Set) []Example { return s.Out })
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

// confidences returns the confidences of all shadow models, by document.
func confidences(shadows []Set, part func(Set) []Example) map[string][]float64 {
	all := make(map[string][]float64)
	for _, s := range shadows {
		for _, e := range part(s) {
			all[e.ID] = append(all[e.ID], e.Confidence)
		}
	}
	return all
}

// leastDeviation keeps densities finite if shadow models agree.
const leastDeviation = 1e-6

// pooled returns the standard deviation of confidences about their document's mean, over all documents together.
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

// logDensity returns the log density at x, up to a constant, under a normal distribution. Its mean is the sample's
// mean. Its deviation is the sample's deviation, or spread for a small sample.
func logDensity(x float64, of []float64, spread float64) float64 {
	mean, squares := moments(of)
	if len(of) >= fewShadows {
		spread = max(math.Sqrt(squares/float64(len(of)-1)), leastDeviation)
	}
	return -(x-mean)*(x-mean)/(2*spread*spread) - math.Log(spread)
}
