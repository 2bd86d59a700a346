package public

import (
	"cmp"
	"math"
	"slices"

	"privpipe/pipelines/model/modelfile"
)

// A lift is the probability of a word in a topic over its probability in all topics. It is estimated from expected counts, to which
// softCount is added, so that a word of few counts has a lift near 1.
const (
	softCount = 2.0
	leastLift = 0.05 // below it, no word says more
	liftStep  = 0.125
)

// lifts returns the logarithms of the lifts in each topic, the largest topic first, in steps of liftStep, since a file of few numbers is small.
func lifts(model *modelfile.Topics) [][]float32 {
	words := len(model.Words)
	sizes, columns, total := make([]float64, model.Number), make([]float64, words), 0.0
	for k := range sizes {
		for v, l := range model.Row(k) {
			sizes[k] += l
			columns[v] += l
			total += l
		}
	}
	order := make([]int, model.Number)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	all := make([][]float32, model.Number)
	for i, k := range order {
		all[i] = make([]float32, words)
		for v, l := range model.Row(k) {
			lift := (l + softCount) / (sizes[k]*columns[v]/total + softCount)
			all[i][v] = float32(liftStep * math.Round(math.Log(max(lift, leastLift))/liftStep))
		}
	}
	return all
}
