package words

import (
	"math"
	"slices"

	"privpipe/pipelines/model/publictext"
	"privpipe/pipelines/model/relevance"
	"privpipe/pipelines/model/words"
)

const (
	comparedWords = 4096 // the most frequent: rarer ones are mostly what the prior of the frequencies expects
	kindSteps     = 100
)

// kinds returns how much frequencies are like each kind of public text. A mixture of the topics of all kinds is fitted
// to the frequencies by maximum likelihood. The share of a kind is the sum of the weights of its topics. Each step is
// one of expectation maximization (Dempster, Laird and Rubin 1977, §4.3), so the likelihood never falls. The
// frequencies were released, so this costs no privacy.
func kinds(frequencies []float64, text *publictext.Text) []words.Kind {
	var topics [][]float64 // over the compared words
	of := kindOfTopics(text)
	compared := relevance.Largest(len(frequencies), comparedWords, func(v int) float64 { return frequencies[v] })
	for _, lifts := range text.Topics[len(text.Topics)-len(of):] {
		topics = append(topics, onWords(compared, text.Frequencies, lifts))
	}
	weights := make([]float64, len(topics))
	for j := range weights {
		weights[j] = 1 / float64(len(topics))
	}
	for range kindSteps {
		next, total := make([]float64, len(topics)), 0.0
		for i, v := range compared {
			mixture := 0.0
			for j, topic := range topics {
				mixture += weights[j] * topic[i]
			}
			for j, topic := range topics {
				next[j] += frequencies[v] * weights[j] * topic[i] / mixture
			}
			total += frequencies[v]
		}
		for j := range next {
			weights[j] = next[j] / total
		}
	}
	all := make([]words.Kind, len(text.Kinds))
	for i, k := range text.Kinds {
		all[i].Name = k.Name
	}
	for j, weight := range weights {
		all[of[j]].Share = min(1, all[of[j]].Share+weight)
	}
	return all
}

// kindOfTopics is the kind of each of the last topics.
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
