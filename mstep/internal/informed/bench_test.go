package informed

import (
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/model/publictext"
)

// BenchmarkRound is what mstep adds to a round of 50 topics over 8,000 words, with a public file of 242 topics and 60 features: about a hundred
// thousand documents' worth of noise.
func BenchmarkRound(b *testing.B) {
	const topics, words = 50, 8000
	r := rand.New(rand.NewPCG(1, 2))
	text := &publictext.Text{First: topics}
	rows := func(n int) (all [][]float32) {
		for range n {
			row := make([]float32, words)
			for v := range row {
				row[v] = float32(r.NormFloat64())
			}
			all = append(all, row)
		}
		return all
	}
	text.Topics, text.Features = rows(242), rows(60)
	base, total := make([]float64, words), 0.0
	for v := range base {
		base[v] = 1 / float64(v+10)
		total += base[v]
	}
	for v := range base {
		base[v] /= total
	}
	statistic := make([]float64, topics*words)
	for i := range statistic {
		statistic[i] = 20_000*base[i%words] + 10*r.NormFloat64()
	}
	informed := New(topics, base, text, nil)
	informed.Follow(statistic, 10)
	b.ReportAllocs()
	for b.Loop() {
		informed.Follow(statistic, 10)
		informed.Estimate(statistic, 10)
	}
}
