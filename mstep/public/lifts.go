package public

import (
	"cmp"
	"math"
	"slices"

	"privpipe/pipelines/model/modelfile"
)

// A lift is a word's probability in a topic over its probability in all topics. It is estimated from expected counts.
// softCount is added to both counts, so that a word with few counts has a lift near 1.
const (
	softCount = 2.0
	leastLift = 0.05 // lifts below it count as leastLift: a word says no more
	liftStep  = 0.125
)

// lifts returns the logarithms of the lifts in each topic, the largest topic first. They are in steps of liftStep, so
// that the file has few different numbers and is small.
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
