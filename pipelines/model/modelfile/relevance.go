package modelfile

import (
	"math"
	"slices"
	"strconv"
)

// DefaultLambda is the λ of relevance that users found best in the study of Sievert and Shirley (LDAvis, 2014, §4).
const DefaultLambda = 0.6

// A Ranking ranks a topic's words by relevance: λ·log φ + (1−λ)·log(φ/p) for the probabilities φ in the topic and p in
// all topics together (Sievert and Shirley 2014, equation 1). This equals log φ − (1−λ)·log p. λ = 1 ranks the words by
// probability. All programs that show leading words rank them here, so that a topic has the same words everywhere.
type Ranking struct{ logInTopic, logOverall []float64 }

// RankingOf ranks a topic's words. row and overall may be probabilities, or any multiples of them: that changes no
// order.
func RankingOf(row, overall []float64) Ranking {
	r := Ranking{make([]float64, len(row)), make([]float64, len(row))}
	for id := range row {
		r.logInTopic[id], r.logOverall[id] = math.Log(row[id]), math.Log(overall[id])
	}
	return r
}

// Best returns the ids of the most relevant words. Among equal words the first comes first.
func (r Ranking) Best(lambda float64, top int) []int {
	return Largest(len(r.logInTopic), top,
		func(id int) float64 { return r.logInTopic[id] - (1-lambda)*r.logOverall[id] })
}

// Overall returns the probabilities of words in all topics together, given the topics' cells, row by row.
func Overall(cells []float64, words int) []float64 {
	overall, total := make([]float64, words), 0.0
	for i, c := range cells {
		overall[i%words] += c
		total += c
	}
	for v := range overall {
		overall[v] /= total
	}
	return overall
}

// Largest returns the n numbers below size with the largest values, the largest value first. Among equal values the
// smaller number comes first.
func Largest(size, n int, value func(int) float64) []int {
	kept, values := make([]int, 0, min(n, size)+1), make([]float64, 0, min(n, size)+1)
	for i := range size {
		v := value(i)
		if len(kept) == n && v <= values[n-1] {
			continue // as nearly all are
		}
		at := len(values)
		for at > 0 && values[at-1] < v {
			at--
		}
		kept, values = slices.Insert(kept, at, i), slices.Insert(values, at, v)
		last := min(len(kept), n)
		kept, values = kept[:last], values[:last]
	}
	return kept
}

// PrintProbability prints a probability with four decimals. Below 0.001 it prints two significant digits: no word in a
// large vocabulary has 0.0000.
func PrintProbability(probability float64) string {
	if probability < 0.001 {
		digits, _ := strconv.ParseFloat(strconv.FormatFloat(probability, 'g', 2, 64), 64)
		return strconv.FormatFloat(digits, 'f', -1, 64)
	}
	return strconv.FormatFloat(probability, 'f', 4, 64)
}
