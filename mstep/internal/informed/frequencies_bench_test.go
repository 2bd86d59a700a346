package informed

import (
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/model/publictext"
)

// benchmarkText is a text of 242 topics and 60 features over 8,000 words, with base frequencies.
func benchmarkText() (text *publictext.Text, base []float64) {
	const words = 8000
	r := rand.New(rand.NewPCG(1, 2))
	text = &publictext.Text{First: 50}
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
	text.Frequencies = base
	return text, base
}

// BenchmarkRefine is what refined frequencies add to a round of mstep: an estimate of them, and public topics on them.
func BenchmarkRefine(b *testing.B) {
	text, base := benchmarkText()
	r := rand.New(rand.NewPCG(3, 4))
	counts, deviations := make([]float64, len(base)), make([]float64, len(base))
	for v, p := range base {
		counts[v], deviations[v] = 1e5*p+10*r.NormFloat64(), 10
	}
	f := NewFrequencies(text, counts, deviations)
	rows := New(50, base, text, deviations)
	began := cpuSeconds(b)
	for b.Loop() {
		refined, _ := f.Estimate(counts, deviations, false)
		rows.Rebase(refined)
	}
	b.ReportMetric(1000*(cpuSeconds(b)-began)/float64(b.N), "cpu-ms/op")
}
