package latent

import (
	"fmt"
	"math"
	"slices"
)

// Flags are the command-line flags for a Shape.
type Flags struct {
	TopTopics  TopTopics `zero:"" default:"5" placeholder:"N[,N@ROUND…]" group:"Contribution" help:"Share each document's words among only this many of its largest topics; 0: all topics. 2,3@20,5@40 begins with 2 topics, and has 3 from round 20 on and 5 from round 40 on (default ${default})."`
	WordWeight string    `enum:"binary,sqrt,count" default:"binary" group:"Contribution" help:"Weigh each word once, by the root of its count, or by its count: ${enum}."`
	Norm       float64   `zero:"" default:"1" group:"Contribution" help:"Scale each contribution to this L2 norm; 0: do not scale."`
}

// Check returns an error if a flag is out of its range.
func (f Flags) Check() error {
	if !(f.Norm >= 0) || math.IsInf(f.Norm, 0) {
		return fmt.Errorf("--norm must not be negative, is %v", f.Norm)
	}
	return nil
}

// Shape returns the shape that the flags describe.
func (f Flags) Shape() Shape {
	return Shape{
		TopTopics: f.TopTopics.First, Later: f.TopTopics.Later,
		Weight: map[string]Weight{"binary": Once, "sqrt": Root}[f.WordWeight], Norm: f.Norm,
	}
}

// Shape says how a document's expected counts become its contribution. A contribution depends only on one document and
// on released parameters, and stays behind the privacy wall. So it needs no privacy argument: the privatizer clips it.
//
// The noise on the sum depends only on the largest norm that a contribution may have. So a document should spend its
// norm on cells that carry information. The defaults (5 topics, one count a word, norm 1) gave the best models at equal
// privacy in the measurements of ../../../README.md. The papers' statistic has all topics, counts, and no scaling.
type Shape struct {
	TopTopics int     // number of topics that share each word: the largest ones; 0: all topics
	Later     []Later // other numbers of topics in later rounds
	Weight    Weight  // of each word
	Norm      float64 // scale to this L2 norm; 0: do not scale
}

// A Weight says how much a word adds to the contribution of its document.
type Weight int

const (
	Count Weight = iota // its count
	Root                // the root of its count
	Once                // 1, however often it occurs
)

// Settings adds the settings of s to the settings of a contribution. Settings tell different contributions apart. The
// key root came later than the others. So it is absent without root weights, and the settings of older programs stay
// the same.
func (s Shape) Settings(settings map[string]any) map[string]any {
	settings["top topics"], settings["binary"], settings["norm"] = s.TopTopics, s.Weight == Once, s.Norm
	if s.Weight == Root {
		settings["root"] = true
	}
	if len(s.Later) > 0 {
		settings["later top topics"] = s.Later
	}
	return settings
}

// Raw reports whether the statistic is the unchanged expected counts.
func (s Shape) Raw() bool {
	return s.TopTopics == 0 && len(s.Later) == 0 && s.Weight == Count && s.Norm == 0
}

// In returns the shape of contributions in this round.
func (s Shape) In(round uint32) Shape {
	for _, l := range s.Later {
		if round >= l.From {
			s.TopTopics = l.Topics
		}
	}
	s.Later = nil
	return s
}

// Top returns the numbers of the topics with the largest mass, at most most of them, ascending, in the memory of best.
// For most = 0 it returns all topics. Ties go to the smaller number.
func Top[T float32 | float64](mass []T, most int, best []int) []int {
	best = best[:0]
	if most == 0 || most >= len(mass) {
		for j := range mass {
			best = append(best, j)
		}
		return best
	}
	for j := range most { // so far, in descending order
		best = append(best, j)
		rise(best, mass)
	}
	last := most - 1
	for j, x := range mass[most:] {
		if x > mass[best[last]] { // few are
			best[last] = most + j
			rise(best, mass)
		}
	}
	slices.Sort(best)
	return best
}

// rise brings the last number of best to its place.
func rise[T float32 | float64](best []int, mass []T) {
	at := len(best) - 1
	last := best[at]
	for ; at > 0 && mass[best[at-1]] < mass[last]; at-- {
		best[at] = best[at-1]
	}
	best[at] = last
}

// Share sets row to theta times beta, and adds row to total. theta is one topic's weight, and beta is the topic's
// likelihood of each word. row has the topic's shares before they are divided by their sum over the chosen topics. All
// three have a number for each word.
func Share(row, total, beta []float32, theta float32) { share(row, total, beta, theta) }

// WeightsOf returns the weights of the words with these ids, in the memory of factors. weights are the weights of all
// words. If weights is nil, WeightsOf returns nil.
func WeightsOf(factors, weights []float32, ids []uint32) []float32 {
	if weights == nil {
		return nil
	}
	factors = factors[:0]
	for _, id := range ids {
		factors = append(factors, weights[id])
	}
	return factors
}

// Scale brings values to the shape. values has one row of all words for each chosen topic. total has the sum of each
// word's values, and counts has its count in the document. factors multiply the weights of words; nil: 1. Afterwards
// the values of each word sum to its weight, except for the norm. A word with total 0 adds nothing. Scale changes
// total.
func (s Shape) Scale(values, total, counts, factors []float32) {
	n := len(counts)
	if n == 0 {
		return
	}
	weights := total[:n]
	for i, c := range counts {
		weight := c
		switch s.Weight {
		case Once:
			weight = 1
		case Root:
			weight = float32(math.Sqrt(float64(c)))
		}
		if factors != nil {
			weight *= factors[i]
		}
		if total[i] > 0 {
			weight /= total[i]
		}
		weights[i] = weight
	}
	square := 0.0
	for row := range slices.Chunk(values, n) {
		square += weigh(row, weights)
	}
	if s.Norm > 0 && square > 0 {
		scale(values, float32(s.Norm/math.Sqrt(square)))
	}
}
