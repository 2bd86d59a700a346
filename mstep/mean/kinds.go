package mean

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/publictext"
)

const (
	comparedWords = 4096 // the most frequent words; rarer words mostly follow the frequencies' prior
	kindSteps     = 100
)

// kinds returns how similar the frequencies are to each kind of public text. A mixture of the topics of all kinds is
// fitted to the frequencies by maximum likelihood. The share of one kind is the sum of its topics' weights. Each step
// is one step of expectation maximization (Dempster, Laird and Rubin 1977, §4.3), so the likelihood never falls. The
// frequencies were released, so this costs no privacy.
func kinds(frequencies []float64, text *publictext.Text) []families.Kind {
	of := kindOfTopics(text)
	if len(of) == 0 {
		return nil
	}
	compared := modelfile.Largest(len(frequencies), comparedWords, func(v int) float64 { return frequencies[v] })
	topics := blas64.General{Rows: len(of), Cols: len(compared), Stride: len(compared)} // over the compared words
	for _, lifts := range text.Topics[len(text.Topics)-len(of):] {
		topics.Data = append(topics.Data, onWords(compared, text.Frequencies, lifts)...)
	}
	weights := slices.Repeat([]float64{1 / float64(len(of))}, len(of))
	mixture, ratios, gains := make([]float64, len(compared)), make([]float64, len(compared)), make([]float64, len(of))
	vector := func(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
	total := 0.0
	for _, v := range compared {
		total += frequencies[v]
	}
	for range kindSteps {
		blas64.Gemv(blas.Trans, 1, topics, vector(weights), 0, vector(mixture))
		for i, v := range compared {
			ratios[i] = frequencies[v] / total / mixture[i]
		}
		blas64.Gemv(blas.NoTrans, 1, topics, vector(ratios), 0, vector(gains))
		for j, gain := range gains {
			weights[j] *= gain
		}
	}
	all := make([]families.Kind, len(text.Kinds))
	for i, k := range text.Kinds {
		all[i].Name = k.Name
	}
	for j, weight := range weights {
		all[of[j]].Share = min(1, all[of[j]].Share+weight)
	}
	return all
}

// kindOfTopics returns the kind of each of the last topics.
func kindOfTopics(text *publictext.Text) (of []int) {
	for i, k := range text.Kinds {
		next := len(text.Topics)
		if i+1 < len(text.Kinds) {
			next = text.Kinds[i+1].First
		}
		of = append(of, slices.Repeat([]int{i}, next-k.First)...)
	}
	return of
}

// onWords returns the probabilities of some words in a public topic, scaled to sum 1.
func onWords(ids []int, frequencies []float64, logLifts []float32) []float64 {
	topic, total := make([]float64, len(ids)), 0.0
	for i, v := range ids {
		topic[i] = frequencies[v] * math.Exp(float64(logLifts[v]))
		total += topic[i]
	}
	for i := range topic {
		topic[i] /= total
	}
	return topic
}
